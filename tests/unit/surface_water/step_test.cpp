// Whole steps: conservation, rest, invariance, forces, motion, modes (SW-15, SW-23 … SW-39, SW-51).
#include "selkie/fluids/surface_water/step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/core/state_arrays.h"
#include "support/allocation_counter.h"
#include "unit/surface_water/meshes.h"

namespace selkie::surface_water {
namespace {

double bump(const Vec3& x) { return 0.2 + 0.05 * std::exp(-4 * (x - Vec3(0, 0, 1)).squaredNorm()); }

// A sphere that stretches and squeezes.
std::vector<Vec3> breathing(const Model& model, double t) {
  std::vector<Vec3> moved;
  for (const Vec3& x : model.rest)
    moved.push_back(Vec3(x.x() * (1 + 0.2 * std::sin(3 * t)), x.y(), x.z() * (1 - 0.15 * std::sin(2 * t))));
  return moved;
}

TEST(SurfaceStep, KeepsTheVolumeOnAMovingMesh) {
  for (const bool donor : {false, true}) {
    Pool run{sphere_model(6)};
    run.params.donor_limited = donor;
    run.set_depth(bump);
    const double start = volume(run.state);
    for (int s = 0; s < 300; ++s) {
      const std::vector<Vec3> moved = breathing(run.model, run.time + 1.0 / 60);
      run.inputs.positions = moved;
      run.advance(1.0 / 60);
    }
    ASSERT_TRUE(run.ok);
    EXPECT_NEAR(volume(run.state) / start, 1, 1e-13);
  }
}

TEST(SurfaceStep, ALakeRestsOverAnUnevenBottom) {
  Pool run{sphere_model(6)};
  for (std::size_t v = 0; v < run.model.bottom.size(); ++v)
    run.model.bottom[v] = 0.2 + 0.1 * random_uniform(1, v, 0),
    run.state.depth[v] = run.model.bottom[v] + 0.05;
  run.advance(1.0 / 60, 200);
  ASSERT_TRUE(run.ok);
  for (std::size_t v = 0; v < run.state.depth.size(); ++v)
    EXPECT_NEAR(run.state.depth[v], run.model.bottom[v] + 0.05, 1e-13);
}

TEST(SurfaceStep, FoldingTheMeshAlongItsEdgesChangesNothing) {
  Pool flat{flat_model(12, 0.3)}, folded{flat_model(12, 0.3, 1.2)};
  for (Pool* run : {&flat, &folded})
    for (std::size_t v = 0; v < run->state.depth.size(); ++v) {
      const Vec3& x = flat.model.rest[v];
      run->state.depth[v] = 0.2 + 0.05 * std::exp(-6 * (x - Vec3(0.3, 0, 0.2)).squaredNorm());
    }
  flat.advance(1.0 / 60, 100), folded.advance(1.0 / 60, 100);
  for (std::size_t v = 0; v < flat.state.depth.size(); ++v)
    EXPECT_NEAR(flat.state.depth[v], folded.state.depth[v], 1e-14);
}

TEST(SurfaceStep, ATranslatedMeshIsARestingMesh) {
  Pool still{sphere_model(6)}, moving{sphere_model(6)};
  still.set_depth(bump), moving.set_depth(bump);
  for (int s = 0; s < 60; ++s) {
    std::vector<Vec3> moved(moving.model.rest.begin(), moving.model.rest.end());
    for (Vec3& x : moved) x += (moving.time + 1.0 / 60) * Vec3(2, 0.5, -1);
    moving.inputs.positions = moved;
    still.advance(1.0 / 60), moving.advance(1.0 / 60);
  }
  // Positions carry the round-off of numbers of size 2, divided by Δt² in the inertia.
  for (std::size_t v = 0; v < still.state.depth.size(); ++v)
    EXPECT_NEAR(still.state.depth[v], moving.state.depth[v], 1e-10);
}

TEST(SurfaceStep, ChoosesSubstepsByTheStabilityBound) {
  Pool run{sphere_model(16)};
  prepare(run.model, run.work);
  split_accelerations(run.model, run.params, run.inputs, run.model.metric, run.state, run.work);
  const SubstepChoice choice =
      choose_substeps(run.model, run.params, run.model.metric, 1.0 / 60, run.state, run.work);
  EXPECT_EQ(choice.count, 3);
  // The specification's δ_max of the level-4 sphere is 0.0393 s; the bound must not exceed it.
  const SubstepChoice longer =
      choose_substeps(run.model, run.params, run.model.metric, 1.0, run.state, run.work);
  EXPECT_GT(longer.count, 1 / 0.0393);
  EXPECT_LT(longer.count, 1.6 / 0.0393);
}

TEST(SurfaceStep, FrictionIsPercentPerSixtieth) {
  Pool run{sphere_model(4)};
  run.params.advection = false, run.params.friction = 90, run.params.attraction = 1e-6;
  run.set_velocity([](const Vec3& x) -> Vec3 { return 1e-6 * Vec3(-x.y(), x.x(), 0); });
  auto speed = [&](std::size_t v) { return std::hypot(run.state.rate_1[v], run.state.rate_2[v]); };
  std::size_t fastest = 0;
  for (std::size_t v = 0; v < run.state.rate_1.size(); ++v)
    if (speed(v) > speed(fastest)) fastest = v;
  const double before = speed(fastest);
  ASSERT_GT(before, 0);
  run.advance(1.0 / 30);
  EXPECT_NEAR(speed(fastest) / before, 0.81, 1e-3);
}

TEST(SurfaceStep, SourcesPourWhatTheySayAndSinksStopAtTheGround) {
  Pool run{sphere_model(6)};
  run.set_depth([](const Vec3&) { return 0.0; });
  const std::vector<Source> sources{{{5, 6, 7}, 0.0257}};
  run.inputs.sources = sources;
  run.advance(1.0 / 60, 60);
  EXPECT_NEAR(volume(run.state), 0.0257, 1e-13);
  EXPECT_NEAR(run.state.poured, 0.0257, 1e-13);
  const std::vector<Source> sinks{{{5, 6, 7}, -10}};
  run.inputs.sources = sinks;
  run.advance(1.0 / 60, 200);
  EXPECT_NEAR(volume(run.state), run.state.poured, 1e-13);
  EXPECT_GT(run.state.poured, -1e-13);
  EXPECT_LT(run.state.poured, 0.9 * 0.0257);
  for (const std::uint32_t v : {5, 6, 7})
    EXPECT_GT(run.state.depth[v], -1e-6) << "a sink takes only what is there";
}

TEST(SurfaceStep, DryGroundStaysNearlyDryAndNothingIsLost) {
  Pool run{sphere_model(8)};
  run.set_depth([](const Vec3& x) { return x.z() > 0.5 ? 0.2 : 0.0; });
  const double start = volume(run.state);
  double lowest = 0;
  for (int s = 0; s < 400; ++s) {
    run.advance(1.0 / 60);
    for (const double d : run.state.depth) lowest = std::min(lowest, d);
  }
  ASSERT_TRUE(run.ok);
  EXPECT_NEAR(volume(run.state) / start, 1, 1e-13);
  EXPECT_GT(lowest, -0.02);
}

TEST(SurfaceStep, ResultsDoNotDependOnThreadsOrScratch) {
  auto hash = [](int threads, bool spoil) {
    set_thread_count(threads);
    Pool run{sphere_model(20)};
    run.set_depth(bump);
    for (int s = 0; s < 12; ++s) {
      if (spoil) poison(run.work);
      const std::vector<Vec3> moved = breathing(run.model, run.time + 1.0 / 60);
      run.inputs.positions = moved;
      run.advance(1.0 / 60);
    }
    set_thread_count(0);
    Hasher hasher;
    add_to_hash(hasher, arrays_of(run.state));
    return hasher.value().hex();
  };
  const std::string one = hash(1, false);
  EXPECT_EQ(hash(2, false), one);
  EXPECT_EQ(hash(2, true), one);
}

TEST(SurfaceStep, AllocatesNothingAfterTheFirstSteps) {
  set_thread_count(1);
  Pool run{sphere_model(8)};
  run.set_depth(bump);
  std::vector<Vec3> moved = breathing(run.model, 0.1);
  run.inputs.positions = moved;
  run.advance(1.0 / 60, 3);
  const std::size_t before = selkie::testing::allocations.load();
  run.advance(1.0 / 60, 3);
  EXPECT_EQ(selkie::testing::allocations.load(), before);
  set_thread_count(0);
}

TEST(SurfaceStep, AdvectedHeightsDriftAndMassFluxesDoNot) {
  auto drift = [](Method method) {
    Pool run{sphere_model(6)};
    run.params.method = method;
    run.set_depth(bump);
    const double start = volume(run.state);
    run.advance(1.0 / 60, 120);
    EXPECT_TRUE(run.ok);
    return std::abs(volume(run.state) / start - 1);
  };
  EXPECT_GT(drift(Method::advected_height), 100 * drift(Method::leapfrog));
}

TEST(SurfaceStep, CholeskyAndConjugateGradientsAgree) {
  auto depths = [](LinearSolver solver) {
    Pool run{sphere_model(6)};
    run.params.method = Method::implicit_euler, run.params.solver = solver;
    run.set_depth(bump);
    run.advance(1.0 / 60, 20);
    EXPECT_TRUE(run.ok);
    return run.state.depth;
  };
  const Buffer<double> a = depths(LinearSolver::cholesky), b = depths(LinearSolver::conjugate_gradients);
  for (std::size_t v = 0; v < a.size(); ++v) EXPECT_NEAR(a[v], b[v], 1e-8);
}

// One step of each implicit method against its modal factor on the l = 1 mode, which the mesh has exactly.
TEST(SurfaceStep, ImplicitEulerDampsAModeByItsFormula) {
  Pool run{make_model(recursive_sphere(3), 0.2, 10, "sphere")};
  run.params.method = Method::implicit_euler, run.params.advection = false;
  run.set_depth([](const Vec3& x) { return 0.2 + 1e-6 * x.z(); });
  auto amplitude = [&](const Buffer<double>& depth) {
    double sum = 0;
    for (std::size_t v = 0; v < depth.size(); ++v)
      sum += run.model.metric.dual_area[v] * (depth[v] - 0.2) * run.model.rest[v].z();
    return sum;
  };
  // z_{n+1} - 2 z_n + z_{n-1} = -w² z_{n+1}; from rest the determinant of two successive states decays.
  const double dt = 1.0 / 60, w2 = 9.81 * 0.2 * 2 * dt * dt;
  std::vector<double> z{amplitude(run.state.depth)};
  for (int s = 0; s < 4; ++s) run.advance(dt), z.push_back(amplitude(run.state.depth));
  EXPECT_NEAR(z[1] * (1 + w2), z[0], 2e-6 * z[0]);
  for (int s = 1; s < 4; ++s) EXPECT_NEAR(z[s + 1] * (1 + w2), 2 * z[s] - z[s - 1], 2e-6 * z[0]);
}

TEST(SurfaceStep, EveryMethodRunsAndCalmsAWave) {
  for (int m = 0; m < 8; ++m) {
    Pool run{sphere_model(6)};
    run.params.method = static_cast<Method>(m);
    run.set_depth(bump);
    run.advance(1.0 / 60, 240);
    EXPECT_TRUE(run.ok) << m << ' ' << run.report.trouble;
    for (const double d : run.state.depth) {
      EXPECT_GT(d, 0.14) << m;
      EXPECT_LT(d, 0.26) << m;
    }
  }
}

TEST(SurfaceStep, OpenMeshesKeepTheirWaterBetweenWallsAndLoseItOverADrain) {
  for (const RimKind rim : {RimKind::wall, RimKind::drain, RimKind::level}) {
    geometry::TriangleMesh sheet = geometry::sheet({.size = {2, 2}, .divisions = {16, 16}});
    Pool run{make_model(sheet, 0.2, 10, "sheet", true)};
    run.model.rim = rim;
    run.inputs.rim_depth = 0.15;
    run.set_depth([](const Vec3& x) { return 0.2 + 0.05 * std::exp(-8 * x.squaredNorm()); });
    const double start = volume(run.state);
    run.advance(1.0 / 60, 200);
    ASSERT_TRUE(run.ok);
    EXPECT_NEAR(volume(run.state) + run.state.drained, start, 1e-13);
    const double share = run.state.drained / start;
    EXPECT_TRUE(rim == RimKind::wall ? share == 0 : share > 0.05) << share;
  }
}

TEST(SurfaceDroplets, LeaveWhereTheSurfaceIsPulledOffAndNothingIsLost) {
  Pool run{sphere_model(8)};
  run.params.droplets = true, run.params.droplet_volume = 1e-4, run.params.acceleration_limit = 30;
  run.inputs.acceleration = Vec3(0, -15, 0);  // stronger than the attraction: off at the lower side
  const double start = volume(run.state);
  std::size_t most = 0;
  for (int s = 0; s < 240; ++s) {
    if (s == 30) run.inputs.acceleration = Vec3::Zero(), run.inputs.gravity = Vec3(0, 9.81, 0);  // falls back
    run.advance(1.0 / 60);
    ASSERT_TRUE(run.ok);
    most = std::max(most, run.state.drop_volumes.size());
    double flying = 0;
    for (const double d : run.state.drop_volumes) flying += d;
    EXPECT_NEAR(volume(run.state) + flying + run.state.lost, start, 1e-12);
    EXPECT_NEAR(run.state.shed, flying + run.state.lost, 1e-12);
  }
  EXPECT_GT(most, 50u);
  EXPECT_LT(run.state.drop_volumes.size(), 3 * most / 4) << "those that meet the sphere again rejoin";
}

}  // namespace
}  // namespace selkie::surface_water
