// What no solver should be asked, and how it is answered (RT-02): crowds in one place, bullets, and everything the
// same for any number of threads.
#include <gtest/gtest.h>

#include <cmath>

#include "rigid_scenes.h"
#include "selkie/core/parallel.h"
#include "selkie/core/state_arrays.h"
#include "selkie/solids/rigid/joints.h"
#include "selkie/solids/rigid/queries.h"

namespace selkie::rigid {
namespace {

using test::Arena;
using test::ball_at;
using test::box_at;

void add_floor(Arena& arena) {
  Body plane;
  plane.shape = Shape::plane;
  plane.half_size = Vec3::Ones(), plane.role = Role::fixed;
  add(arena.state, plane);
}

TEST(RigidAbuse, ACrowdSpawnedInOnePlacePartsWithoutExploding) {
  Arena arena;
  add_floor(arena);
  for (int n = 0; n < 1000; ++n) add(arena.state, box_at({0, 0.5, 0}, Vec3::Constant(0.1)));
  // No further than the push-out speed and a free fall carry in the time.
  const double reach = arena.params.push_out_speed * 1.5 + 0.5 * 9.81 * 1.5 * 1.5;  // m
  ASSERT_TRUE(arena.run(1.5));
  for (const Vec3& x : arena.state.positions) {
    EXPECT_TRUE(x.allFinite());
    EXPECT_LT(x.norm(), reach + 1);
  }
  // They come apart: what fills 8 m³ cannot stay in one place, and what overlap is left is that of a pile.
  const double energy = diagnose(arena.state, arena.gravity).kinetic_energy;
  ASSERT_TRUE(arena.run(6));
  const Diagnostics later = diagnose(arena.state, arena.gravity);
  EXPECT_LT(later.kinetic_energy, 0.2 * energy + 1);
  EXPECT_LT(later.deepest, 0.02);
}

TEST(RigidAbuse, ABulletOfTenThousandMetresPerSecondIsStoppedByAThinWall) {
  for (const bool box : {false, true}) {
    Arena arena;
    arena.gravity.setZero();
    Body wall = box_at(Vec3::Zero(), {0.005, 1, 1});
    wall.role = Role::fixed;
    add(arena.state, wall);
    add(arena.state, box ? box_at({-30, 0.1, 0}, Vec3::Constant(0.02), {1e4, 0, 0})
                         : ball_at({-30, 0.1, 0}, 0.02, {1e4, 0, 0}));
    for (int n = 0; n < 30; ++n) ASSERT_TRUE(arena.step().ok);
    EXPECT_LT(arena.state.positions[1].x(), 0) << (box ? "box" : "ball");
  }
}

TEST(RigidAbuse, ABulletBesideTheWallFliesOn) {
  Arena arena;
  arena.gravity.setZero();
  Body wall = box_at(Vec3::Zero(), {0.005, 1, 1});
  wall.role = Role::fixed;
  add(arena.state, wall);
  add(arena.state, ball_at({-30, 1.1, 0}, 0.02, {1e4, 0, 0}));
  ASSERT_TRUE(arena.step().ok);
  EXPECT_NEAR(arena.state.velocities[1].x(), 1e4, 1e-6);
}

TEST(RigidAbuse, ThreadsAndRepetitionChangeNoBit) {
  auto run = [](int threads) {
    set_thread_count(threads);
    Arena arena;
    add_floor(arena);
    for (int n = 0; n < 60; ++n) {
      const Vec3 x(0.3 * (n % 4), 0.2 + 0.25 * (n / 4), 0.02 * (n % 7));
      add(arena.state, n % 3 ? box_at(x, {0.1, 0.12, 0.1}) : ball_at(x, 0.1));
    }
    EXPECT_TRUE(arena.run(1.5));
    set_thread_count(0);
    Hasher hasher;
    add_to_hash(hasher, arrays_of(arena.state));
    return hasher.value();
  };
  const auto once = run(1);
  EXPECT_EQ(run(2), once);
  EXPECT_EQ(run(1), once);
}

TEST(RigidSleep, AStackFallsAsleepAndWakesWhenItIsHit) {
  Arena arena;
  add_floor(arena);
  for (int n = 0; n < 4; ++n) add(arena.state, box_at({0, 0.1 + 0.2 * n, 0}, Vec3::Constant(0.1)));
  ASSERT_TRUE(arena.run(3));
  EXPECT_EQ(diagnose(arena.state, arena.gravity).asleep, 4u);
  add(arena.state, ball_at({-1, 0.7, 0}, 0.1, {8, 1, 0}));
  ASSERT_TRUE(arena.run(0.3));
  EXPECT_EQ(diagnose(arena.state, arena.gravity).asleep, 0u);
  EXPECT_GT((arena.state.positions[4] - Vec3(0, 0.7, 0)).norm(), 0.05) << "the top one was hit";
}

// Whoever writes into the state (views of Python do) says nothing of waking.
TEST(RigidSleep, ASleepingBodyThatIsGivenAVelocityIsStoppedByWhatIsInItsWay) {
  test::ShapeField floor = test::floor_field();
  floor.never_moves = true;
  for (const Vec3& velocity : {Vec3(60, 0, 0), Vec3(0, -60, 0)}) {
    Vec3 awake = Vec3::Zero();
    for (const bool asleep : {false, true}) {
      Arena arena;
      arena.colliders = {&floor};
      add(arena.state, ball_at({0, 0.1, 0}));
      Body wall = box_at({0.5, 0.5, 0}, {0.005, 0.5, 0.5});
      wall.role = Role::fixed;
      add(arena.state, wall);
      ASSERT_TRUE(arena.run(2));
      ASSERT_TRUE(arena.state.asleep[0]);
      arena.state.asleep[0] = asleep;
      arena.state.velocities[0] = velocity;  // 1 m in a step
      ASSERT_TRUE(arena.step().ok);
      EXPECT_FALSE(arena.state.asleep[0]);
      EXPECT_LT(arena.state.positions[0].x(), 0.42) << "before the wall";
      EXPECT_GT(arena.state.positions[0].y(), 0.08) << "above the floor";
      if (asleep)
        EXPECT_LT((arena.state.positions[0] - awake).norm(), 1e-12) << "as if it had been awake";
      else
        awake = arena.state.positions[0];
    }
  }
}

TEST(RigidJoints, AHingeWithAMotorTurnsAtItsSpeedAndALimitStopsIt) {
  Arena arena;
  arena.gravity.setZero();
  add(arena.state, box_at(Vec3::Zero(), {0.1, 0.1, 0.5}));
  Joint joint;
  joint.kind = JointKind::hinge;
  joint.motor = true, joint.motor_speed = 2, joint.motor_force = 1000;
  joint.limited = true, joint.low = -1, joint.high = 1.5;
  arena.model.joints.push_back(joint);
  ASSERT_TRUE(arena.run(0.5));
  EXPECT_NEAR(joint_position(joint, arena.state), 1, 0.05);
  ASSERT_TRUE(arena.run(1));
  EXPECT_NEAR(joint_position(joint, arena.state), 1.5, 0.01);
  EXPECT_LT(joint_gap(joint, arena.state), 1e-6);
}

TEST(RigidJoints, ASliderKeepsToItsAxisAndAFixedJointHoldsUntilItBreaks) {
  Arena arena;
  add(arena.state, box_at(Vec3::Zero(), Vec3::Constant(0.1)));
  add(arena.state, box_at({3, 0, 0}, Vec3::Constant(0.1)));
  Joint slider;
  slider.kind = JointKind::slider;
  slider.frame_a = slider.frame_b = Quat(Eigen::AngleAxisd(-std::acos(-1.0) / 4, Vec3::UnitZ()));
  Joint fixed;
  fixed.kind = JointKind::fixed;
  fixed.a = 1, fixed.point_b = Vec3(3, 0, 0), fixed.break_force = 2 * 9.81 * 8;
  arena.model.joints = {slider, fixed};
  ASSERT_TRUE(arena.run(1));
  // Down a slope of 45°, without friction: ½ g sin 45° t² along it.
  const Vec3 x = arena.state.positions[0];
  EXPECT_NEAR(x.x(), -x.y(), 1e-3);
  EXPECT_NEAR(x.norm(), 0.5 * 9.81 * std::sqrt(0.5), 0.05);
  EXPECT_LT((arena.state.positions[1] - Vec3(3, 0, 0)).norm(), 1e-3);
  EXPECT_FALSE(arena.state.joints_broken[1]);
  arena.gravity *= 10;
  ASSERT_TRUE(arena.run(0.2));
  EXPECT_TRUE(arena.state.joints_broken[1]);
}

TEST(RigidJoints, ADistanceJointIsARope) {
  Arena arena;
  add(arena.state, ball_at({0.3, 0, 0}, 0.05));
  Joint rope;
  rope.kind = JointKind::distance;
  rope.limited = true, rope.low = 0, rope.high = 1;
  arena.model.joints.push_back(rope);
  ASSERT_TRUE(arena.run(3));
  EXPECT_LT(arena.state.positions[0].norm(), 1.002);
}

TEST(RigidGroups, BodiesOfGroupsThatIgnoreEachOtherPass) {
  Arena arena;
  arena.gravity.setZero();
  Traits ghost;
  ghost.group = 2, ghost.meets = ~1u;
  arena.model.traits = {ghost};
  Body a = ball_at({-1, 0, 0}, 0.2, {2, 0, 0});
  a.traits = 1;
  add(arena.state, a);
  add(arena.state, ball_at({1, 0, 0}, 0.2));
  ASSERT_TRUE(arena.run(2));
  EXPECT_NEAR(arena.state.velocities[0].x(), 2, 1e-12);
}

TEST(RigidFriction, AcrossTheGrainItHoldsAndAlongItSlides) {
  for (const bool across : {false, true}) {
    Arena arena;
    arena.gravity = 9.81 * Vec3(across ? 0 : 0.4, -1, across ? 0.4 : 0);
    Traits grained;
    grained.friction = grained.sliding_friction = 0.2, grained.friction_across = 0.8;
    grained.grain = Vec3::UnitX();
    arena.model.traits = {grained, Traits{.friction = 1, .sliding_friction = 1}};
    add_floor(arena);
    arena.state.traits[0] = 2;
    Body box = box_at({0, 0.1, 0}, Vec3::Constant(0.1));
    box.traits = 1;
    add(arena.state, box);
    ASSERT_TRUE(arena.run(1));
    // Geometric means with 1: √0.2 = 0.447 along, √0.8 = 0.89 across; the pull is 0.4.
    const double moved = (arena.state.positions[1] - Vec3(0, 0.1, 0)).norm();
    EXPECT_LT(moved, 5e-3) << across;
    arena.gravity = 9.81 * Vec3(across ? 0 : 0.6, -1, across ? 0.6 : 0);
    ASSERT_TRUE(arena.run(1));
    const double slid = (arena.state.positions[1] - Vec3(0, 0.1, 0)).norm();
    if (across)
      EXPECT_LT(slid, 5e-3);
    else
      EXPECT_NEAR(slid, 0.5 * 9.81 * (0.6 - std::sqrt(0.2)), 0.1);
  }
}

}  // namespace
}  // namespace selkie::rigid
