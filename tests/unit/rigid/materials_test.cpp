// Materials: rolling resistance, friction that differs at rest and in motion or by direction, and that a body just
// woken has all of them.
#include <gtest/gtest.h>

#include <cmath>

#include "rigid_scenes.h"
#include "selkie/solids/rigid/queries.h"

namespace selkie::rigid {
namespace {

using test::Arena;
using test::ball_at;
using test::box_at;

// A plane and a body, both of the first trait.
Arena on_plane(Body body, const Traits& traits) {
  Arena arena;
  arena.model.traits = {traits};
  Body plane;
  plane.shape = Shape::plane;
  plane.half_size = Vec3::Ones(), plane.role = Role::fixed, plane.traits = 1;
  add(arena.state, plane);
  body.traits = 1;
  add(arena.state, body);
  return arena;
}

Body rolling_ball(double speed) {
  Body ball = ball_at({0, 0.1, 0}, 0.1, {speed, 0, 0});
  ball.angular_velocity = Vec3(0, 0, -speed / 0.1);
  return ball;
}

TEST(RigidRolling, ABallSlowsDownByTheTorqueOfItsLoadAndStops) {
  constexpr double kArm = 0.004;  // m
  Arena arena = on_plane(rolling_ball(1), Traits{.restitution = 0, .rolling = kArm});
  ASSERT_TRUE(arena.run(0.5));
  const double before = arena.state.velocities[1].x();
  ASSERT_TRUE(arena.run(1));
  // m a = F and I α = F r − c m g with v = ω r: a = c g / (r + I / m r) = c g / 1.4 r. Each part of a step solves
  // friction before the load is known, so the first one misses some.
  EXPECT_NEAR(before - arena.state.velocities[1].x(), kArm * 9.81 / 0.14, 0.01 * kArm * 9.81 / 0.14);
  ASSERT_TRUE(arena.run(3));
  EXPECT_LT(arena.state.velocities[1].norm(), 1e-6) << "and does not roll back";
}

TEST(RigidRolling, WithoutResistanceItRollsOn) {
  Arena arena = on_plane(rolling_ball(1), Traits{.restitution = 0});
  ASSERT_TRUE(arena.run(2));
  EXPECT_NEAR(arena.state.velocities[1].x(), 1, 1e-3);
}

TEST(RigidFriction, ABoxStaysWhereStickingHoldsItAndOnceMovingSlidesOn) {
  const Traits traits{.friction = 0.6, .sliding_friction = 0.3, .restitution = 0, .friction_across = 0.6};
  for (const bool pushed : {false, true}) {
    Arena arena = on_plane(box_at({0, 0.1, 0}, {0.2, 0.1, 0.2}), traits);
    ASSERT_TRUE(arena.run(0.5));
    arena.gravity = 9.81 * Vec3(0.5, -1, 0);  // between the two coefficients
    ASSERT_TRUE(arena.run(0.5));
    EXPECT_LT(arena.state.velocities[1].norm(), 1e-5);  // what is left of settling; measured 2e-6
    if (!pushed) continue;
    arena.state.velocities[1] = Vec3(0.5, 0, 0);
    ASSERT_TRUE(arena.run(1));
    // It gains g (0.5 − 0.3) for a second.
    EXPECT_NEAR(arena.state.velocities[1].x(), 0.5 + 9.81 * 0.2, 0.01 * 9.81 * 0.2);
  }
}

// Runners: nothing holds them along, everything across.
TEST(RigidFriction, NoneAlongTheGrainLeavesThatAcross) {
  Traits runner{.friction = 0, .sliding_friction = 0, .restitution = 0};
  runner.grain = Vec3::UnitX(), runner.friction_across = 0.8;
  for (const bool across : {false, true}) {
    Arena arena = on_plane(box_at({0, 0.1, 0}, {0.2, 0.1, 0.15}), runner);
    arena.model.traits.push_back(Traits{.friction = 0.8, .sliding_friction = 0.8, .restitution = 0});
    arena.state.traits[0] = 2;
    arena.gravity = 9.81 * Vec3(across ? 0 : 0.5, -1, across ? 0.5 : 0);
    ASSERT_TRUE(arena.run(1));
    const Vec3 moved = arena.state.positions[1] - Vec3(0, 0.1, 0);
    if (across)
      EXPECT_LT(moved.norm(), 5e-3);
    else
      EXPECT_NEAR(moved.x(), 0.5 * 9.81 * 0.5, 0.02 * 0.5 * 9.81 * 0.5);  // a step's worth of √ 1/60 s
    EXPECT_LT(std::abs(moved.z()), 5e-3) << "the slide along does not turn into one across";
  }
}

// In the step in which one body wakes another, that one's contact with a collider is still the one it slept
// with. The floor must say that it never moves: contacts with others are found anew.
TEST(RigidSleep, ABodyThatIsWokenHasTheMaterialItFellAsleepWith) {
  auto spin_after = [](double rolling, bool asleep) {
    test::ShapeField floor = test::floor_field(0.5, 0);
    floor.never_moves = true;
    Arena arena;
    arena.colliders = {&floor};
    arena.model.traits = {Traits{.restitution = 0, .rolling = rolling}};
    Body ball = ball_at({0, 0.1, 0});
    ball.traits = 1;
    add(arena.state, ball);
    EXPECT_TRUE(arena.run(2));
    EXPECT_TRUE(arena.state.asleep[0]);
    arena.state.asleep[0] = asleep;
    add(arena.state, ball_at({-0.2, 0.1, 0}, 0.1, {4, 0, 0}));
    EXPECT_TRUE(arena.step().ok);
    EXPECT_GT(arena.state.velocities[0].x(), 1.5) << "it was hit";
    return angular_velocity(arena.state, 0).norm();
  };
  // Friction turns the ball it slides with by µ g h r m / I = 2 rad/s in the step; a resistance with the arm
  // µ r, twice as much as its load can bring up, lets none of that happen.
  EXPECT_GT(spin_after(0, true), 1);
  EXPECT_LT(spin_after(0.1, false), 0.5);
  EXPECT_LT(spin_after(0.1, true), 0.5);
}

}  // namespace
}  // namespace selkie::rigid
