// Free motion: the integrator's recurrence, spinning bodies, the hand that holds one.
#include <gtest/gtest.h>

#include <cmath>

#include "rigid_scenes.h"
#include "selkie/core/state_arrays.h"
#include "selkie/math/rotation.h"
#include "selkie/solids/rigid/queries.h"

namespace selkie::rigid {
namespace {

using test::Arena;
using test::ball_at;
using test::box_at;

TEST(RigidMotion, FreeFallIsTheParabola) {
  Arena arena;
  add(arena.state, ball_at({0, 10, 0}, 0.1, {3, 1, 0}));
  ASSERT_TRUE(arena.run(1));
  const double t = arena.steps * arena.dt;
  // 60 additions of numbers near 10.
  EXPECT_NEAR(arena.state.velocities[0].y(), 1 - 9.81 * t, 1e-12);
  EXPECT_NEAR((arena.state.positions[0] - Vec3(3 * t, 10 + t - 0.5 * 9.81 * t * t, 0)).norm(), 0, 1e-12);
}

TEST(RigidMotion, ATorqueFreeBoxKeepsItsAngularMomentumToRoundOffAndItsEnergy) {
  Arena arena;
  arena.gravity.setZero();
  Body box = box_at(Vec3::Zero(), {0.1, 0.2, 0.4});
  box.angular_velocity = Vec3(3, 4, 5);
  add(arena.state, box);
  const Diagnostics before = diagnose(arena.state, Vec3::Zero());
  double worst = 0;
  for (int n = 0; n < 1200; ++n) {
    ASSERT_TRUE(arena.step().ok);
    const double energy = diagnose(arena.state, Vec3::Zero()).kinetic_energy;
    worst = std::max(worst, std::abs(energy / before.kinetic_energy - 1));
  }
  const Diagnostics after = diagnose(arena.state, Vec3::Zero());
  // 1200 rotations of a vector, each with a few roundings.
  EXPECT_LT((after.angular_momentum - before.angular_momentum).norm(),
            1e-12 * before.angular_momentum.norm());
  // What is asked of the method; the splitting's own error at ω h = 0.12 / 4 is some 10⁻⁶.
  EXPECT_LT(worst, 1e-3);
}

TEST(RigidMotion, TheIntermediateAxisFlipsWhenEulersEquationsSay) {
  Quat q = Quat::Identity();
  const Vec3 inertia(1, 2, 3);
  Vec3 w(0.01, 5, 0);
  const double dt = 1e-3;
  std::vector<double> flips;
  double before = 5;
  for (int n = 1; n <= 12000; ++n) {
    rotate_freely(dt, inertia, q, w);
    const double now = (q.conjugate() * w).y();
    if (now * before < 0) flips.push_back(n * dt);
    before = now;
  }
  ASSERT_EQ(flips.size(), 2u);
  // Exact: 2.6330 s and every 5.26606 s; the midpoint rule's error at h ω = 0.005 is some 10⁻⁵ of that.
  EXPECT_NEAR(flips[0], 2.6330, 0.004);
  EXPECT_NEAR(flips[1] - flips[0], 5.26606, 0.004);
}

TEST(RigidMotion, ASpinThatNoStepResolvesGainsNoEnergy) {
  Quat q = Quat::Identity();
  const Vec3 inertia(0.1, 1, 1.05);
  Vec3 w(30, 400, 20);
  auto energy = [&] { return 0.5 * w.dot(q * inertia.cwiseProduct(q.conjugate() * w)); };
  double last = energy();
  for (int n = 0; n < 500; ++n) {
    rotate_freely(1.0 / 60, inertia, q, w);
    ASSERT_LE(energy(), last * (1 + 1e-12));
    last = energy();
  }
}

TEST(RigidMotion, AHeldBodyFollowsItsTargetAlikeWhateverItsMass) {
  std::vector<Vec3> ends;
  for (double density : {1.0, 1e4}) {
    Arena arena;
    Body body = ball_at(Vec3::Zero());
    body.density = density;
    add(arena.state, body);
    grab(arena.model, arena.state, 0, Vec3::Zero(), Vec3(5, 1, 0));
    double fastest = 0;
    for (int n = 0; n < 24; ++n) {
      ASSERT_TRUE(arena.step().ok);
      fastest = std::max(fastest, arena.state.velocities[0].norm());
    }
    EXPECT_LE(fastest, arena.params.grab_speed * (1 + 1e-9));
    ends.push_back(arena.state.positions[0]);
    ASSERT_TRUE(arena.run(1));
    EXPECT_LT((arena.state.positions[0] - Vec3(5, 1, 0)).norm(), 1e-6);
  }
  EXPECT_LT((ends[0] - ends[1]).norm(), 1e-9);
}

TEST(RigidMotion, ABodyDraggedIntoTheFloorStopsThereAndLeavesQuietly) {
  Arena arena;
  const test::ShapeField floor = test::floor_field();
  arena.colliders = {&floor};
  add(arena.state, ball_at({0, 0.5, 0}));
  grab(arena.model, arena.state, 0, Vec3(0, 0.5, 0), Vec3(0, -3, 0));
  ASSERT_TRUE(arena.run(1));
  EXPECT_GT(arena.state.positions[0].y(), 0.09);
  release(arena.state);
  ASSERT_TRUE(arena.run(0.5));
  EXPECT_NEAR(arena.state.positions[0].y(), 0.1, 2e-3);
  EXPECT_LT(arena.state.velocities[0].norm(), 0.05);
}

TEST(RigidMotion, ScratchInfluencesNothing) {
  auto run = [](bool poisoned) {
    Arena arena;
    static const test::ShapeField floor = test::floor_field();
    arena.colliders = {&floor};
    add(arena.state, ball_at({0, 0.3, 0}));
    add(arena.state, box_at({0.05, 0.6, 0}, {0.1, 0.1, 0.1}));
    for (int n = 0; n < 100; ++n) {
      if (poisoned) poison(arena.work);
      EXPECT_TRUE(arena.step().ok);
    }
    Hasher hasher;
    add_to_hash(hasher, arrays_of(arena.state));
    return hasher.value();
  };
  EXPECT_EQ(run(false), run(true));
}

}  // namespace
}  // namespace selkie::rigid
