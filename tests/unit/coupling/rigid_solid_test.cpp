// A rigid body as other solvers meet it: paths that enter it, what pushes do to its own path.
#include "selkie/coupling/rigid_solid.h"

#include <gtest/gtest.h>

#include <numbers>

namespace selkie::coupling {
namespace {

RigidMotion flying(bool ball, const Vec3& from, const Vec3& velocity) {
  RigidMotion motion;
  motion.shape = {ball ? contact::Kind::ball : contact::Kind::box, Vec3::Constant(0.1), nullptr};
  motion.mass = 2;
  motion.inertia = Vec3(0.1, 0.2, 0.3);
  motion.t0 = 5, motion.t1 = 5.5;
  motion.start.translation() = from;
  motion.end.translation() = from + 0.5 * velocity;
  motion.velocity = velocity;
  return motion;
}

TEST(RigidSolid, APointThatItRunsOverEnteredItOnItsFront) {
  for (const bool ball : {true, false}) {
    const RigidSolid solid(flying(ball, {-1, 0, 0}, {4, 0, 0}), 0.5);
    const Vec3 point(0, 0, 0);  // stands still; the solid ends at x = 1, far beyond it
    const ports::SweptSample met = solid.sweep(point, 5, point, 5.5, 0);
    EXPECT_TRUE(met.entered);
    EXPECT_NEAR((met.normal - Vec3::UnitX()).norm(), 0, 1e-12);
    EXPECT_NEAR(met.distance, 0 - 1.1, 1e-12) << "what keeps it in front of the solid";
    EXPECT_NEAR(met.start_distance, 0.9, 1e-12);
    EXPECT_NEAR((met.velocity - Vec3(4, 0, 0)).norm(), 0, 1e-12);
  }
}

TEST(RigidSolid, APointBesideItsPathIsNotMet) {
  const RigidSolid solid(flying(true, {-1, 0, 0}, {4, 0, 0}), 0.5);
  const ports::SweptSample met = solid.sweep({0, 0.101, 0}, 5, {0, 0.101, 0}, 5.5, 0);
  EXPECT_FALSE(met.entered);
  EXPECT_GT(met.distance, 0);
  EXPECT_TRUE(solid.sweep({0, 0.101, 0}, 5, {0, 0.101, 0}, 5.5, 0.01).entered) << "unless it is thicker";
}

TEST(RigidSolid, APointThatMovesAlongIsNotMetHoweverFastBothAre) {
  const RigidSolid solid(flying(false, {-1, 0, 0}, {40, 0, 0}), 0.5);
  EXPECT_FALSE(solid.sweep({-0.89, 0, 0}, 5, {19.11, 0, 0}, 5.5, 0).entered);
}

TEST(RigidSolid, APushChangesVelocityByItsImpulseAndThePathFromItsTimeOn) {
  RigidSolid solid(flying(true, {0, 0, 0}, {4, 0, 0}), 0.5);
  solid.push({1, 0.1, 0}, {0, -6, 0}, 5.25);
  EXPECT_EQ(solid.velocity(), Vec3(4, -3, 0));
  EXPECT_EQ(solid.received(), Vec3(0, -6, 0));
  EXPECT_NEAR((solid.pose(5.25).translation() - Vec3(1, 0, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((solid.pose(5.5).translation() - Vec3(2, -0.75, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR(solid.angular_velocity().norm(), 0, 1e-12) << "through the centre";
}

TEST(RigidSolid, InverseMassIsWhatAPushDoesAtItsPoint) {
  RigidMotion motion = flying(false, {0, 0, 0}, {0, 0, 0});
  motion.start.linear() = motion.end.linear() =
      Eigen::AngleAxisd(0.6, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  RigidSolid solid(motion, 0.5);
  const Vec3 point(0.1, 0.05, -0.07), direction = Vec3(1, -1, 0.5).normalized();
  const double expected = solid.inverse_mass(point, direction, 5.5);
  solid.push(point, direction, 5.5);
  const Vec3 there = solid.velocity() + solid.angular_velocity().cross(point);
  EXPECT_NEAR(there.dot(direction), expected, 1e-12);
}

}  // namespace
}  // namespace selkie::coupling
