// What acts from outside: pushes, the world's gravity, the turning of the mesh, smoothing, control, the
// guards of the source (SW-12, SW-29, SW-30, SW-35, SW-38, SW-44).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "selkie/core/state_arrays.h"
#include "unit/surface_water/meshes.h"

namespace selkie::surface_water {
namespace {

std::string hash_of(Pool& run) {
  Hasher hasher;
  add_to_hash(hasher, arrays_of(run.state));
  return hasher.value().hex();
}
Vec3 middle_of(const Pool& run, std::size_t f) {
  Vec3 middle = Vec3::Zero();
  for (std::size_t c = 0; c < 3; ++c) middle += run.state.positions[run.model.complex.vertex[c][f]] / 3;
  return middle;
}
Vec3 velocity_of(const Pool& run, std::size_t f) {
  const Metric& m = metric_of(run.model, run.inputs, run.work);
  return frame_of(run.model.complex, m, run.state.positions, f)
      .to_space(vector_of(m, f, Vec2(run.state.rate_1[f], run.state.rate_2[f])));
}

TEST(SurfaceForces, APushIntoTheWaterDrivesItOutwards) {
  Pool run{sphere_model(32)};
  const double push = 50, radius = 0.15, dt = 1e-3;  // far above acceleration_limit: a push is not cut
  const std::vector<Push> pushes{{Vec3(0, 0, 1), Vec3(0, 0, -push), radius}};
  run.inputs.pushes = pushes;
  run.advance(dt);
  ASSERT_TRUE(run.ok);
  double fastest = 0;
  for (std::size_t f = 0; f < run.model.complex.face_count; ++f) {
    const Vec3 x = middle_of(run, f), v = velocity_of(run, f);
    if (std::hypot(x.x(), x.y()) < 0.3 && x.z() > 0) {
      EXPECT_GT(v.dot(Vec3(x.x(), x.y(), 0)), -1e-9) << "away from the push";
    }
    fastest = std::max(fastest, v.norm());
  }
  // ½η|∇a| is largest one radius away, a e^{-1/2} / radius; and the push's own part along the sphere there,
  // a sinθ e^{-1/2}, points the same way. 4 %: faces of 0.035 m over a radius of 0.15 m.
  const double expected = dt * push * std::exp(-0.5) * (0.5 * 0.2 / radius + std::sin(radius));
  EXPECT_NEAR(fastest, expected, 0.04 * expected);
}

TEST(SurfaceForces, APushAlongTheWaterGivesItsVelocity) {
  Pool run{sphere_model(16)};
  const double dt = 1e-3;
  const std::vector<Push> pushes{{Vec3(0, 0, 1), Vec3(3e-3, 0, 0) / dt, 0.5}};
  run.inputs.pushes = pushes;
  run.advance(dt);
  Vec3 nearest = Vec3::Zero();
  double least = 1;
  for (std::size_t f = 0; f < run.model.complex.face_count; ++f)
    if (const double d = (middle_of(run, f) - Vec3(0, 0, 1)).norm(); d < least)
      least = d, nearest = velocity_of(run, f);
  // The normal turns by 1/R: ½η∇a adds a tenth. 1 %: a face at 0.05 m, exp(-0.005).
  EXPECT_NEAR(nearest.x(), 1.1 * 3e-3, 3.3e-5);
}

TEST(SurfaceForces, TheWorldsGravityActsByItsShare) {
  Pool share{sphere_model(6)}, field{sphere_model(6)};
  share.params.world_gravity = 0.25, share.inputs.gravity = Vec3(0, -8, 4);
  field.inputs.acceleration = Vec3(0, -2, 1);
  share.advance(1.0 / 60, 30), field.advance(1.0 / 60, 30);
  EXPECT_EQ(hash_of(share), hash_of(field));
  EXPECT_GT(share.state.depth[0] + 1, 0.5);
  Pool none{sphere_model(6)};
  none.inputs.gravity = Vec3(0, -8, 4);
  none.advance(1.0 / 60, 30);
  EXPECT_NE(hash_of(share), hash_of(none));
}

TEST(SurfaceForces, ConstantControlIsAUniformField) {
  Pool control{sphere_model(6)}, field{sphere_model(6)};
  control.params.control = Control::constant, control.params.control_strength = 1.5;
  control.params.control_direction = Vec3(0, -3, 0);
  field.inputs.acceleration = Vec3(0, -1.5, 0);
  control.advance(1.0 / 60, 30), field.advance(1.0 / 60, 30);
  EXPECT_EQ(hash_of(control), hash_of(field));
}

TEST(SurfaceForces, TheNormalAccelerationIsSmoothedByItsShare) {
  Pool run{sphere_model(6)};
  run.params.normal_smoothing = 0.7;
  run.advance(1.0 / 60);
  run.inputs.acceleration = Vec3(0, 0, 1);
  for (int s = 1; s < 4; ++s) {
    run.advance(1.0 / 60);
    for (std::size_t v = 0; v < run.state.depth.size(); ++v)
      EXPECT_NEAR(run.state.normal_acceleration[v],
                  -9.81 + (1 - std::pow(0.7, s)) * run.model.metric.vertex_normal[v].z(), 1e-13);
  }
}

TEST(SurfaceForces, TheInertiaOfTheMeshIsSmoothedByItsShare) {
  Pool run{sphere_model(4)};
  run.params.inertia_smoothing = 0.7;
  const double dt = 1.0 / 60;
  std::vector<Vec3> moved;
  for (int s = 1; s <= 5; ++s) {
    moved.assign(run.model.rest.begin(), run.model.rest.end());
    for (Vec3& x : moved) x.y() += 0.5 * std::pow(s * dt, 2);  // 1 m/s²
    run.inputs.positions = moved;
    run.advance(dt);
    // The first step only begins the history. Round-off of positions over Δt².
    EXPECT_NEAR(run.state.acceleration[3].y(), s < 2 ? 0 : 1 - std::pow(0.7, s - 1), 1e-11) << s;
  }
}

// On a sphere that turns about z with Ω water at latitude z turns against it with 2Ωz, seen from the mesh.
TEST(SurfaceForces, TheMeshsTurningTurnsTheWaterWhereItIsAskedTo) {
  const double dt = 1e-3, omega = 2;
  auto turned = [&](bool coriolis, double latitude) {
    Pool run{sphere_model(16)};
    run.params.advection = false, run.params.inertia = 0, run.params.attraction = 1e-6;
    run.params.coriolis = coriolis;
    run.set_velocity([](const Vec3& x) -> Vec3 { return 0.1 * Vec3(-x.y(), x.x(), 0.5); });
    std::size_t best = 0;
    for (std::size_t f = 0; f < run.model.complex.face_count; ++f)
      if (std::abs(middle_of(run, f).z() - latitude) < std::abs(middle_of(run, best).z() - latitude))
        best = f;
    auto velocity = [&] {
      return vector_of(run.model.metric, best, Vec2(run.state.rate_1[best], run.state.rate_2[best]));
    };
    const Vec2 before = velocity();
    std::vector<Vec3> moved;
    for (const Vec3& x : run.model.rest)
      moved.push_back(Vec3(std::cos(omega * dt) * x.x() - std::sin(omega * dt) * x.y(),
                           std::sin(omega * dt) * x.x() + std::cos(omega * dt) * x.y(), x.z()));
    run.inputs.positions = moved;
    run.advance(dt);
    const Vec2 after = velocity();
    return std::atan2(before[0] * after[1] - before[1] * after[0], before.dot(after));
  };
  EXPECT_NEAR(turned(true, 0.9), -2 * omega * dt * 0.9, 0.02 * 2 * omega * dt);  // faces are chords
  EXPECT_NEAR(turned(true, 0), 0, 0.02 * 2 * omega * dt);
  EXPECT_NEAR(turned(false, 0.9), 0, 1e-6);
}

TEST(SurfaceGuards, CuttingLongSegmentsKeepsTheVolumeAndSlowsTheWave) {
  auto run_with = [](double longest) {
    Pool run{sphere_model(8)};
    run.params.longest_segment = longest;
    run.set_depth(
        [](const Vec3& x) { return 0.2 + 0.05 * std::exp(-4 * (x - Vec3(0, 0, 1)).squaredNorm()); });
    const double start = volume(run.state);
    run.advance(1.0 / 60, 60);
    EXPECT_TRUE(run.ok);
    EXPECT_NEAR(volume(run.state) / start, 1, 1e-13);
    return run;
  };
  Pool none = run_with(0), loose = run_with(10), tight = run_with(0.02);
  EXPECT_EQ(hash_of(none), hash_of(loose)) << "the source's 10 m never cuts on a mesh of metres";
  EXPECT_NE(hash_of(none), hash_of(tight));
}

// An edge with obtuse angles on both sides, in a doubled sheet that is squeezed.
TEST(SurfaceGuards, WithoutNegativeWeightsDepthsStayBetweenThoseOfTheStart) {
  geometry::TriangleMesh mesh = doubled_sheet(12, 0.3);
  for (Vec3& x : mesh.positions) x.z() *= 0.2;
  const Model model = make_model(mesh, 0.2, 0, "squeezed");
  ASSERT_TRUE(has_obtuse_pair(model.complex, model.metric));
  auto spread = [&](bool guarded) {
    Pool run{model};
    run.params.method = Method::implicit_euler, run.params.no_negative_weights = guarded;
    run.params.advection = false, run.params.damping = 1;
    for (std::size_t v = 0; v < run.state.depth.size(); ++v) run.state.depth[v] = v == 40 ? 0.3 : 0.2;
    run.advance(1e-2);
    EXPECT_TRUE(run.ok);
    double least = 1;
    for (const double d : run.state.depth) least = std::min(least, d);
    return least;
  };
  // With K an M-matrix an implicit step is a mean of the old depths; with positive entries it undershoots.
  EXPECT_GE(spread(true), 0.2 - 1e-12);
  EXPECT_LT(spread(false), 0.2 - 1e-6);
}

}  // namespace
}  // namespace selkie::surface_water
