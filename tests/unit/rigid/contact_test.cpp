// Contacts: collisions with known outcome, friction, rest, stacks, and fast bodies that must not pass
// through.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rigid_scenes.h"
#include "selkie/solids/rigid/queries.h"

namespace selkie::rigid {
namespace {

using test::Arena;
using test::ball_at;
using test::box_at;
using test::floor_field;
using test::ShapeField;

TEST(RigidContact, EqualElasticBallsSwapTheirVelocities) {
  Arena arena;
  arena.gravity.setZero();
  arena.params.restitution = 1;
  arena.params.friction = 0;
  add(arena.state, ball_at({-1, 0, 0}, 0.1, {3, 0, 0}));
  add(arena.state, ball_at({1, 0, 0}, 0.1, {-1, 0, 0}));
  ASSERT_TRUE(arena.run(1));
  EXPECT_NEAR((arena.state.velocities[0] - Vec3(-1, 0, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((arena.state.velocities[1] - Vec3(3, 0, 0)).norm(), 0, 1e-12);
}

TEST(RigidContact, CollisionsKeepMomentumAndGainNoEnergy) {
  Arena arena;
  arena.gravity.setZero();
  arena.params.restitution = 0.6;
  for (int n = 0; n < 12; ++n) {
    const Vec3 x(std::cos(n), std::sin(2 * n), std::cos(3 * n));
    Body body = n % 2 ? ball_at(x, 0.15, -3 * x) : box_at(x, {0.1, 0.15, 0.2}, -3 * x);
    body.angular_velocity = 2 * Vec3(x.y(), x.z(), x.x());
    body.density = 200 + 300 * n;
    add(arena.state, body);
  }
  const Diagnostics before = diagnose(arena.state, Vec3::Zero());
  double last = before.kinetic_energy;
  int contacts = 0;
  for (int n = 0; n < 240; ++n) {
    const StepReport report = arena.step();
    ASSERT_TRUE(report.ok);
    contacts += report.contacts;
    const double now = diagnose(arena.state, Vec3::Zero()).kinetic_energy;
    ASSERT_LE(now, last * (1 + 1e-3));  // the midpoint rule's own wobble
    last = now;
  }
  EXPECT_GT(contacts, 10);
  const Diagnostics after = diagnose(arena.state, Vec3::Zero());
  EXPECT_LT((after.momentum - before.momentum).norm(), 1e-10);
}

TEST(RigidContact, ASlidingBoxStopsAfterVSquaredOverTwoMuG) {
  Arena arena;
  const ShapeField floor = floor_field(0.4);
  arena.colliders = {&floor};
  add(arena.state, box_at({0, 0.1, 0}, {0.2, 0.1, 0.2}, {2, 0, 0}));
  ASSERT_TRUE(arena.run(2));
  // The discrete sum is short of v²/2µg by v h / 2, here 1.6 %.
  EXPECT_NEAR(arena.state.positions[0].x(), 4 / (2 * 0.4 * 9.81), 0.03 * 0.51);
  EXPECT_LT(arena.state.velocities[0].norm(), 1e-6);
}

TEST(RigidContact, ABallThatStartsSlidingEndsRollingAtFiveSevenths) {
  Arena arena;
  arena.dt = 1.0 / 120;
  const ShapeField floor = floor_field(0.3);
  arena.colliders = {&floor};
  add(arena.state, ball_at({0, 0.1, 0}, 0.1, {3, 0, 0}));
  ASSERT_TRUE(arena.run(2));
  EXPECT_NEAR(arena.state.velocities[0].x(), 3 * 5.0 / 7, 1e-3);
  EXPECT_NEAR(angular_velocity(arena.state, 0).z(), -3 * 5.0 / 7 / 0.1, 1e-2);
}

TEST(RigidContact, ABoxDroppedOnItsCornerComesToRestFlat) {
  Arena arena;
  const ShapeField floor = floor_field();
  arena.colliders = {&floor};
  Body box = box_at({0, 0.6, 0}, {0.1, 0.15, 0.2});
  box.orientation = Quat(Eigen::AngleAxisd(0.7, Vec3(1, 0.4, 0.2).normalized()));
  add(arena.state, box);
  ASSERT_TRUE(arena.run(4));
  EXPECT_LT(arena.state.velocities[0].norm(), 1e-3);
  EXPECT_LT(angular_velocity(arena.state, 0).norm(), 1e-2);
  const Mat3 axes = orientation(arena.state, 0).toRotationMatrix();
  EXPECT_GT(axes.row(1).cwiseAbs().maxCoeff(), 1 - 1e-5) << "one face lies on the floor";
}

TEST(RigidContact, AStackOfThreeBoxesStandsForFiveSeconds) {
  Arena arena;
  const ShapeField floor = floor_field();
  arena.colliders = {&floor};
  for (int n = 0; n < 3; ++n) add(arena.state, box_at({0.01 * n, 0.1 + 0.2 * n, 0}, {0.1, 0.1, 0.1}));
  ASSERT_TRUE(arena.run(5));
  for (std::size_t n = 0; n < 3; ++n) {
    const Vec3 start(0.01 * static_cast<double>(n), 0.1 + 0.2 * static_cast<double>(n), 0);
    EXPECT_LT((arena.state.positions[n] - start).norm(), 5e-3) << n;
    EXPECT_LT(arena.state.velocities[n].norm(), 0.01) << n;
  }
}

TEST(RigidContact, ABallAtAnySpeedDoesNotCrossAThinWall) {
  const ShapeField wall({.box = geometry::Box{{-0.001, -5, -5}, {0.001, 5, 5}}});
  for (double speed : {5.0, 50.0, 500.0}) {
    Arena arena;
    arena.gravity.setZero();
    arena.colliders = {&wall};
    add(arena.state, ball_at({-1.02, 0.3, 0}, 0.05, {speed, 0.1 * speed, 0}));
    ASSERT_TRUE(arena.run(0.5));
    EXPECT_LT(arena.state.positions[0].x(), -0.045) << speed;
  }
}

TEST(RigidContact, AFastBallDoesNotPassThroughABallOrABox) {
  for (const bool box : {false, true}) {
    Arena arena;
    arena.gravity.setZero();
    Body target = box ? box_at(Vec3::Zero(), {0.05, 0.5, 0.5}) : ball_at(Vec3::Zero(), 0.05);
    target.density = 1e5;
    add(arena.state, target);
    add(arena.state, ball_at({-1.03, 0.01, 0}, 0.05, {100, 0, 0}));
    const double before = diagnose(arena.state, Vec3::Zero()).momentum.x();
    for (int n = 0; n < 10; ++n) ASSERT_TRUE(arena.step().ok);
    EXPECT_GT(arena.state.velocities[0].x(), 1e-3) << "it was hit";
    if (box) {
      EXPECT_LT(arena.state.positions[1].x(), arena.state.positions[0].x()) << "and not passed";
    }
    EXPECT_NEAR(diagnose(arena.state, Vec3::Zero()).momentum.x(), before, 1e-9 * before);
  }
}

TEST(RigidContact, ABoxRestsOnABallThatTouchesTheMiddleOfItsFace) {
  Arena arena;
  const ShapeField post({.ball = geometry::Ball{Vec3(0, 0, 0), 0.1}}, 0.8);
  arena.colliders = {&post};
  add(arena.state, box_at({0, 0.25, 0}, {0.3, 0.1, 0.3}));
  ASSERT_TRUE(arena.run(0.5));
  EXPECT_NEAR(arena.state.positions[0].y(), 0.2, 5e-3);
}

TEST(RigidContact, OverlappingBodiesPartWithoutGainingSpeed) {
  for (const double apart : {0.0, 0.1}) {  // wholly and half overlapped
    Arena arena;
    arena.gravity.setZero();
    add(arena.state, box_at({0, 0, 0}, {0.1, 0.1, 0.1}));
    add(arena.state, box_at({apart, 0.02, 0.01}, {0.1, 0.1, 0.1}));
    add(arena.state, ball_at({0, 0, 0}, 0.1));
    ASSERT_TRUE(arena.run(3));
    EXPECT_LT(diagnose(arena.state, Vec3::Zero()).kinetic_energy, 1e-12);
    // They may turn on their way apart; a fiftieth of the half size may stay.
    EXPECT_LT(diagnose(arena.state, Vec3::Zero()).deepest, 0.021 * 0.1);
    EXPECT_GT((arena.state.positions[0] - arena.state.positions[1]).norm(), 0.19);
  }
}

// At 1/60 s gravity alone carries what rests by 2.7 mm, three times the thickness of this card.
TEST(RigidContact, ThinCardsAreSetDownWithoutSinkingIn) {
  for (const bool collider : {false, true}) {
    Arena arena;
    arena.params.substeps = 32;
    const auto field = test::floor_field();
    if (collider) {
      arena.colliders = {&field};
    } else {
      Body plane;
      plane.shape = Shape::plane;
      plane.half_size = Vec3::Ones(), plane.role = Role::fixed;
      add(arena.state, plane);
    }
    const std::size_t first = arena.state.count();
    for (int k = 0; k < 3; ++k) add(arena.state, box_at({0, 0.0006 + 0.0011 * k, 0}, {0.045, 0.0005, 0.03}));
    for (int n = 0; n < 60; ++n) {
      ASSERT_TRUE(arena.step().ok);
      // Springs of three cards' weight give way by 2 · 3 g / ω², ω = 2π · 0.125 · 32 · 60 /s.
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_GT(arena.state.positions[first + k].y(), 0.0005 + 0.001 * static_cast<double>(k) - 1e-4) << collider << n;
    }
    EXPECT_LT(arena.state.positions[first + 2].y(), 0.0025 + 1e-5) << "they have come together";
  }
}

}  // namespace
}  // namespace selkie::rigid
