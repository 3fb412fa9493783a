// Godunov's building block (SW-07, SW-08): exact shift at CFL 1, the step bound, conservation on a closed mesh.
#include "selkie/fluids/surface_water/godunov.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "unit/surface_water/meshes.h"

namespace selkie::surface_water {
namespace {

// A ring of cells of one metre, each face with the flux of its Riemann problem.
std::vector<double> ring_step(const std::vector<double>& q, double speed, double dt) {
  const std::size_t n = q.size();
  std::vector<double> next(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double in = riemann_flux(q[(i + n - 1) % n], q[i], speed), out = riemann_flux(q[i], q[(i + 1) % n], speed);
    next[i] = q[i] + dt * (in - out);
  }
  return next;
}

TEST(Godunov, ShiftsByOneCellAtCourantNumberOne) {
  const std::vector<double> start{0, 0, 3, 1, 4, 1, 5, 0};
  for (const double speed : {2.0, -0.5}) {  // powers of two: no rounding
    const double dt = godunov_step_limit(std::vector<double>{speed}, 1.0);
    EXPECT_EQ(dt, 1 / std::abs(speed));
    std::vector<double> expected = start, q = start;
    for (int step = 0; step < 5; ++step) {
      q = ring_step(q, speed, dt);
      if (speed > 0)
        std::rotate(expected.begin(), expected.end() - 1, expected.end());
      else
        std::rotate(expected.begin(), expected.begin() + 1, expected.end());
      ASSERT_EQ(q, expected) << speed;
    }
  }
}

// Above the bound a jump overshoots and grows; below it no value appears that was not there.
TEST(Godunov, StaysBetweenItsExtremesUpToTheBoundOnly) {
  const std::vector<double> start{0, 0, 0, 1, 1, 1, 0, 0, 0, 0};
  for (const double courant : {0.5, 0.99, 1.5}) {
    std::vector<double> q = start;
    for (int step = 0; step < 30; ++step) q = ring_step(q, 1, courant);
    const auto [least, most] = std::minmax_element(q.begin(), q.end());
    if (courant <= 1) {
      EXPECT_GE(*least, 0) << courant;
      EXPECT_LE(*most, 1) << courant;
    } else {
      EXPECT_GT(*most, 1e3);
    }
  }
}

TEST(Godunov, KnowsTheWavesOfShallowWater) {
  const auto speeds = wave_speeds(0.5, 0.4, -10);
  EXPECT_DOUBLE_EQ(speeds[0], -1.5);
  EXPECT_DOUBLE_EQ(speeds[1], 0.5);
  EXPECT_DOUBLE_EQ(speeds[2], 2.5);
  EXPECT_EQ(wave_speeds(0.5, 0.4, 1)[2], 0.5) << "water that falls upwards carries no waves";
  EXPECT_DOUBLE_EQ(godunov_step_limit(speeds, 0.1), 0.04);
}

// A blot on a turning sphere: the amount stays to rounding, no value falls below zero or rises beyond what the small
// divergence of velocities that are constant on flat triangles makes of it, and after a turn the blot is where it was.
TEST(Godunov, CarriesABlotAroundASphere) {
  const Model model = sphere_model(24);
  const std::size_t count = model.complex.face_count;
  std::vector<Vec2> velocity(count);
  std::vector<double> q(count), next(count);
  std::vector<Vec3> middle(count);
  for (std::size_t f = 0; f < count; ++f) {
    middle[f].setZero();
    for (const auto& corner : model.complex.vertex) middle[f] += model.rest[corner[f]] / 3;
    velocity[f] = frame_of(model.complex, model.metric, model.rest, f).to_plane(Vec3::UnitY().cross(middle[f]));
    q[f] = middle[f].x() > 0.6 ? 1 : 0;
  }
  auto total = [&](const std::vector<double>& values) {
    double sum = 0;
    for (std::size_t f = 0; f < count; ++f) sum += model.metric.area[f] * values[f];
    return sum;
  };
  auto centre = [&](const std::vector<double>& values) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t f = 0; f < count; ++f) sum += model.metric.area[f] * values[f] * middle[f];
    return Vec3(sum.normalized());
  };
  const double start = total(q), turn = 2 * 3.14159265358979323846;
  const Vec3 start_centre = centre(q);
  const int steps = static_cast<int>(std::ceil(turn / (0.9 * godunov_step_limit(model.complex, model.metric, velocity))));
  Vec3 quarter = Vec3::Zero();
  for (int step = 0; step < steps; ++step) {
    godunov_step(model.complex, model.metric, velocity, turn / steps, q, next);
    std::swap(q, next);
    if (step + 1 == steps / 4) quarter = centre(q);
  }
  EXPECT_NEAR(total(q), start, 1e-12 * start);
  EXPECT_GE(*std::min_element(q.begin(), q.end()), 0);
  EXPECT_LT(*std::max_element(q.begin(), q.end()), 1.05);
  EXPECT_LT(quarter.dot(start_centre), 0.05) << "a quarter of a turn away";
  EXPECT_GT(quarter.dot(Vec3::UnitY().cross(start_centre)), 0.95);
  EXPECT_GT(centre(q).dot(start_centre), 0.999);
}

}  // namespace
}  // namespace selkie::surface_water
