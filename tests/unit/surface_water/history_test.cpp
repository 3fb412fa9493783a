// What implicit methods carry from step to step: over a change of method, of the step's length, of the mesh
// (SW-23, SW-25, SW-37).
#include <gtest/gtest.h>

#include <cmath>

#include "unit/surface_water/meshes.h"

namespace selkie::surface_water {
namespace {

double bump(const Vec3& x) { return 0.2 + 0.05 * std::exp(-4 * (x - Vec3(0, 0, 1)).squaredNorm()); }

// Change of the depths in one more step.
std::vector<double> next_change(Pool& run, double dt) {
  const Buffer<double> before = run.state.depth;
  run.advance(dt);
  std::vector<double> change;
  for (std::size_t v = 0; v < before.size(); ++v) change.push_back(run.state.depth[v] - before[v]);
  return change;
}
double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

TEST(SurfaceHistory, AMethodThatIsTakenUpAgainGoesOnWithTheWaveThatIsThere) {
  for (const Method method :
       {Method::implicit_euler, Method::kass_miller, Method::newmark, Method::newmark_classic}) {
    Pool run{sphere_model(8)};
    run.set_depth(bump);
    run.params.method = method;
    run.advance(1.0 / 60, 20);
    run.params.method = Method::leapfrog;
    run.advance(1.0 / 60, 40);
    const std::vector<double> last = next_change(run, 1.0 / 60);
    run.params.method = method;
    std::vector<double> change = next_change(run, 1.0 / 60);
    ASSERT_TRUE(run.ok);
    if (method == Method::kass_miller) {  // knows depths alone: starts from rest, and gently
      EXPECT_LT(largest(change), largest(last));
      continue;
    }
    for (std::size_t v = 0; v < change.size(); ++v) change[v] -= last[v];
    // The shortest waves here, l ≈ 10 with ω ≈ 15/s, turn by ωΔt = 0.25 from one step to the next.
    EXPECT_LT(largest(change), 0.3 * largest(last)) << static_cast<int>(method);
  }
}

TEST(SurfaceHistory, ImplicitEulerStartsFromTheFlowItIsGiven) {
  Pool run{sphere_model(8)};
  run.params.method = Method::implicit_euler, run.params.advection = false;
  run.set_velocity([](const Vec3& x) -> Vec3 { return 1e-4 * (Vec3(0, 0, 1) - x.z() * x); });
  std::vector<double> expected(run.state.depth.size());
  Buffer<double> x(run.model.complex.face_count, 0), y = x;
  for (std::size_t f = 0; f < x.size(); ++f) {
    const Vec2 v = vector_of(run.model.metric, f, Vec2(run.state.rate_1[f], run.state.rate_2[f]));
    x[f] = v[0], y[f] = v[1];
  }
  flux_divergence(run.model.complex, run.model.metric, run.state.depth, x, y, expected);
  const double dt = 1e-3;
  const std::vector<double> change = next_change(run, dt);
  // Pressure changes a mode by ω²Δt² of itself; l = 1: 4e-6, and the mesh's own waves stay below 1e-3.
  for (std::size_t v = 0; v < change.size(); ++v)
    EXPECT_NEAR(change[v], -dt * expected[v], 1e-3 * dt * largest(expected));
}

// z_{n+1} (1 + w²) = z_n + (Δt_n / Δt_{n-1}) (z_n - z_{n-1}) for the mode l = 1, on a mesh that rests.
TEST(SurfaceHistory, ImplicitEulerCarriesTheRateOverStepsOfUnequalLength) {
  Pool run{make_model(recursive_sphere(3), 0.2, 10, "sphere")};
  run.params.method = Method::implicit_euler, run.params.advection = false;
  run.set_depth([](const Vec3& x) { return 0.2 + 1e-6 * x.z(); });
  auto amplitude = [&] {
    double sum = 0;
    for (std::size_t v = 0; v < run.state.depth.size(); ++v)
      sum += run.model.metric.dual_area[v] * (run.state.depth[v] - 0.2) * run.model.rest[v].z();
    return sum;
  };
  double dt_before = 1.0 / 60, z_before = amplitude(), z = z_before;
  for (const double dt : {1.0 / 60, 1.0 / 60, 1.0 / 30, 1.0 / 120, 1.0 / 45, 1.0 / 60}) {
    run.advance(dt);
    const double now = amplitude(), w2 = 9.81 * 0.2 * 2 * dt * dt;
    EXPECT_NEAR(now * (1 + w2), z + dt / dt_before * (z - z_before), 3e-6 * z_before) << dt;
    z_before = z, z = now, dt_before = dt;
  }
}

TEST(SurfaceHistory, RateAndCurvatureOfTheDepthsKeepTheirVolumeAsTheMeshGrows) {
  for (const Method method : {Method::newmark_classic, Method::implicit_euler}) {
    Pool run{sphere_model(6)};
    run.params.method = method;
    run.set_depth(bump);
    run.advance(1.0 / 60, 5);
    State before = run.state;
    std::vector<Vec3> larger;
    for (const Vec3& x : run.model.rest) larger.push_back(Vec3(1.2 * x.x(), x.y(), 1.05 * x.z()));
    run.inputs.positions = larger;
    move_mesh(run.model, run.params, run.inputs, 1.0 / 60, run.state, run.work);
    const bool newmark = method == Method::newmark_classic;
    auto kept = [&](const Buffer<double>& now, const Buffer<double>& then) {
      ASSERT_EQ(now.size(), run.state.depth.size());
      for (std::size_t v = 0; v < now.size(); ++v)
        EXPECT_NEAR(now[v] * run.state.dual_area[v], then[v] * before.dual_area[v], 1e-15);
    };
    if (newmark) {
      kept(run.state.depth_rate, before.depth_rate), kept(run.state.depth_curvature, before.depth_curvature);
    } else {
      kept(run.state.depth_before, before.depth_before);
    }
  }
}

}  // namespace
}  // namespace selkie::surface_water
