// Loads on the surface: inner pressure of hollow bodies, dead tractions and pressures that follow.
#include "selkie/solids/fem/loads.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "selkie/geometry/tetrahedra/mesher.h"
#include "selkie/solids/fem/elements.h"
#include "support/fem_bodies.h"

namespace selkie::fem {
namespace {

using testing::elastic;
using testing::plate;
using testing::run;

// A ball of radius 0.5 m with a cavity of 0.3 m.
constexpr double kOuter = 0.5, kInner = 0.3;
Model hollow_ball(int divisions) {
  return from_tets(
      geometry::fill_surface(geometry::shell_surface({.radius = kOuter, .thickness = kOuter - kInner}),
                             geometry::Mesher::bcc, divisions),
      1000);
}

double enclosed(const Model& model, const Buffer<Vec3>& x) {
  double volume = 0;
  for (const auto& [a, b, c] : model.pressed) volume += x[a].dot(x[b].cross(x[c])) / 6;
  return volume;
}

TEST(Loads, InnerPressureInflatesTheCavityOfAHollowBallAsTheThickSphereSays) {
  const Model model = hollow_ball(20);
  ASSERT_LT(model.pressed.size(), model.surface.size());
  Params params = elastic(Law::linear, 1e5, 0.25);
  params.pressure = 1000;
  params.mass_damping = 20;
  State state = make_state(model);
  const double before = enclosed(model, state.positions);
  EXPECT_GT(before, 0) << "normals look out of the cavity, where its gas pushes";
  Work work;
  run(model, params, {.gravity = Vec3::Zero()}, 0.05, 60, state, work);
  // Lamé's sphere: u(a) = p a³/(E(b³ − a³)) [(1 − 2ν)a + (1 + ν)b³/(2a²)]; the cavity grows by 3u/a.
  const double a = kInner, b3 = std::pow(kOuter, 3), a3 = a * a * a;
  const double u = 1000 * a3 / (1e5 * (b3 - a3)) * (0.5 * a + 1.25 * b3 / (2 * a * a));
  const double growth = enclosed(model, state.positions) / before - 1;
  // Walls of eight cells, a ball of facets: 1.3 % measured.
  EXPECT_NEAR(growth, 3 * u / a, 0.025 * 3 * u / a);
}

TEST(Loads, InnerPressureOfASolidBodyPushesItsWholeSurface) {
  const Model model = testing::block(2);
  EXPECT_EQ(model.pressed, model.surface);
}

TEST(Loads, PressureOnAClosedSurfaceHasNoResultantAndPushesInwards) {
  const Model model = hollow_ball(8);
  const LoadedPart part = find_loaded_part(model, std::vector<std::uint8_t>(model.vertex_count, 1));
  EXPECT_EQ(part.triangles.size(), model.surface.size());
  const Buffer<Vec3> x = testing::shaken(model, 0.01);
  std::vector<Vec3> forces(model.vertex_count, Vec3::Zero());
  add_pressure(model, part, 5, x.span(), forces);
  Vec3 sum = Vec3::Zero();
  double inwards = 0;
  for (std::size_t i = 0; i < forces.size(); ++i)
    sum += forces[i], inwards -= x[i].normalized().dot(forces[i]);
  EXPECT_LT(sum.norm(), 1e-13);  // of 5 Pa on some square metres
  // 4π(b² − a²) p: the cavity's wall is pushed outwards.
  EXPECT_NEAR(inwards, 4 * std::numbers::pi * (0.25 - 0.09) * 5, 0.1 * 4 * std::numbers::pi * 0.16 * 5);
}

TEST(Loads, EdgesOfBodiesOfTrianglesArePushedFromOutside) {
  const Model model = plate(4, 2, 1, 0.5, 1000, 0.1);
  std::vector<std::uint8_t> right(model.vertex_count);
  for (std::uint32_t i = 0; i < model.vertex_count; ++i) right[i] = model.rest_positions[i].x() > 0.99;
  const LoadedPart part = find_loaded_part(model, right);
  EXPECT_EQ(part.edges.size(), 2u);
  EXPECT_NEAR(part.area, 0.05, 1e-15);
  std::vector<Vec3> pressed(model.vertex_count, Vec3::Zero()), pulled = pressed;
  add_pressure(model, part, 200, model.rest_positions, pressed);
  add_traction(model, part, Vec3(-200, 0, 0), pulled);
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < pressed.size(); ++i) {
    sum += pressed[i];
    EXPECT_LT((pressed[i] - pulled[i]).norm(), 1e-13);
  }
  EXPECT_NEAR(sum.x(), -10, 1e-12);
}

}  // namespace
}  // namespace selkie::fem
