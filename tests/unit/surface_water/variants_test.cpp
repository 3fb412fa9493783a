// What distinguishes the earlier published schemes and open meshes (SW-49, SW-50).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "unit/surface_water/meshes.h"

namespace selkie::surface_water {
namespace {

Vec3 velocity_of(const Pool& run, std::size_t f) {
  return frame_of(run.model.complex, run.model.metric, run.state.positions, f)
      .to_space(vector_of(run.model.metric, f, Vec2(run.state.rate_1[f], run.state.rate_2[f])));
}

// The rim is a wall: a trough of 2 m swings with 2L/√(gH), as between the walls of any basin.
TEST(SurfaceVariants, AnOpenTroughSwingsWithThePeriodOfItsSeiche) {
  Pool run{make_model(geometry::sheet({.size = {2, 0.5}, .divisions = {32, 8}}), 0.2, 10, "sheet", true)};
  run.params.advection = false;
  auto mode = [](const Vec3& x) { return std::sin(0.5 * std::numbers::pi * x.z()); };
  run.set_depth([&](const Vec3& x) { return 0.2 + 1e-5 * mode(x); });
  const double start = volume(run.state);
  auto amplitude = [&] {
    double sum = 0;
    for (std::size_t v = 0; v < run.state.depth.size(); ++v)
      sum += run.state.dual_area[v] * (run.state.depth[v] - 0.2) * mode(run.model.rest[v]);
    return sum;
  };
  std::vector<double> zeros;
  double before = amplitude();
  const double dt = 1.0 / 240;
  while (run.ok && zeros.size() < 3 && run.time < 10) {
    run.advance(dt);
    const double now = amplitude();
    if (before * now < 0) zeros.push_back(run.time - dt * now / (now - before));
    before = now;
  }
  ASSERT_EQ(zeros.size(), 3u);
  // Second order in k dx = 0.098: (k dx)²/24 of lumped linear elements, with a margin of three.
  EXPECT_NEAR((zeros[2] - zeros[0]) / (4 / std::sqrt(9.81 * 0.2)), 1, 1.2e-3);
  EXPECT_NEAR(volume(run.state), start, 1e-14);
}

// ∇·(a η) = 0 in place of the depth average: closed form of the specification, a₀ = 1 m/s².
TEST(SurfaceVariants, WithoutTheHalfTheEquilibriumIsThatOfTheDropletMethod) {
  Pool run{make_model(recursive_sphere(3), 0.2, 10, "sphere")};
  run.params.gradient_share = 1, run.params.friction = 97;
  run.inputs.acceleration = Vec3(0, 0, 1);
  run.advance(1.0 / 60, 1500);
  ASSERT_TRUE(run.ok);
  for (std::size_t v = 0; v < run.state.depth.size(); ++v) {
    const double z = run.model.rest[v].z();
    if (std::abs(z) < 1 - 1e-9) continue;
    // 1e-4: five times the error that the specification names for the scheme itself at this level.
    EXPECT_NEAR(run.state.depth[v], z > 0 ? 0.33157 : 0.08521, 1e-4);
  }
}

TEST(SurfaceVariants, TheDropletMethodPushesWithTheWholeGradientOfTheAcceleration) {
  auto pushed = [](Method method) {
    Pool run{sphere_model(16)};
    run.params.method = method;
    run.inputs.acceleration = Vec3(0, 0, 1);
    run.advance(1e-4);
    EXPECT_TRUE(run.ok);
    return run;
  };
  const Pool wang = pushed(Method::wang), euler = pushed(Method::implicit_euler);
  double largest = 0;
  for (std::size_t f = 0; f < wang.model.complex.face_count; ++f)
    largest = std::max(largest, (velocity_of(wang, f) - velocity_of(euler, f)).norm());
  // ½ η |∇a| Δt, with |∇a| = a₀ sinθ / R largest at the equator; 2 %: faces are chords.
  EXPECT_NEAR(largest / (0.5 * 0.2 * 1e-4), 1, 0.02);
}

TEST(SurfaceVariants, KassAndMillerDoNotAdvectAndLaytonDoes) {
  auto changed = [](Method method) {
    Pool run{sphere_model(8)};
    run.params.method = method;
    run.set_velocity([](const Vec3& x) { return Vec3(0, 0, 1).cross(x); });
    std::vector<Vec3> before;
    for (std::size_t f = 0; f < run.model.complex.face_count; ++f) before.push_back(velocity_of(run, f));
    run.advance(1.0 / 60);
    EXPECT_TRUE(run.ok);
    double largest = 0;
    for (std::size_t f = 0; f < before.size(); ++f)
      largest = std::max(largest, (velocity_of(run, f) - before[f]).norm());
    return largest;
  };
  EXPECT_LT(changed(Method::kass_miller), 1e-11);  // its linear solve
  EXPECT_GT(changed(Method::layton), 1e-3);        // v²/R Δt = 0.017 m/s along curved paths
}

TEST(SurfaceVariants, EarlierSchemesLoseOrGainWaterWhereMassFluxesDoNot) {
  auto drift = [](Method method) {
    Pool run{sphere_model(6)};
    run.params.method = method;
    run.set_depth([](const Vec3& x) { return 0.2 + 0.1 * std::exp(-4 * (x - Vec3(0, 0, 1)).squaredNorm()); });
    const double start = volume(run.state);
    run.advance(1.0 / 60, 120);
    EXPECT_TRUE(run.ok);
    return std::abs(volume(run.state) / start - 1);
  };
  const double leapfrog = drift(Method::leapfrog);
  EXPECT_LT(leapfrog, 1e-13);
  for (const Method method : {Method::layton, Method::wang}) EXPECT_GT(drift(method), 1e-6);
}

}  // namespace
}  // namespace selkie::surface_water
