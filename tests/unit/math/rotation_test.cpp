// Rotations: exponential, logarithm, Gram-Schmidt frame (RT-26, E18).
#include "selkie/math/rotation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "selkie/core/random.h"
#include "selkie/math/svd.h"

namespace selkie {
namespace {

Vec3 random_vector(RandomStream& random) {
  return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
}

void expect_rotation(const Mat3& r, double tolerance = 1e-14) {
  EXPECT_LE((r.transpose() * r - Mat3::Identity()).norm(), tolerance);
  EXPECT_NEAR(r.determinant(), 1, tolerance);
}

// A few dozen operations on numbers of size one.
constexpr double kRoundOff = 1e-14;

TEST(Rotation, AQuarterTurnAboutZCarriesXToY) {
  const Mat3 r = rotation_from_axis_angle({0, 0, 5}, std::numbers::pi / 2);
  EXPECT_LE((r * Vec3::UnitX() - Vec3::UnitY()).norm(), kRoundOff);
  EXPECT_LE((r - rotation_from_vector({0, 0, std::numbers::pi / 2})).norm(), kRoundOff);
}

TEST(Rotation, AZeroAxisGivesTheIdentity) {
  EXPECT_EQ(rotation_from_axis_angle(Vec3::Zero(), 1), Mat3::Identity());
  EXPECT_EQ(rotation_from_vector(Vec3::Zero()), Mat3::Identity());
}

TEST(Rotation, LogarithmInvertsExponentialFromTinyAnglesToAlmostPi) {
  RandomStream random(1, 0);
  for (double angle :
       {1e-300, 1e-12, 1e-9, 1e-5, 9.9e-5, 1.01e-4, 0.1, 1.0, 3.0, 3.14159, std::numbers::pi - 1e-9}) {
    for (int k = 0; k < 100; ++k) {
      const Vec3 omega = angle * random_vector(random).normalized();
      expect_rotation(rotation_from_vector(omega));
      // The quaternion keeps all digits; a matrix near the identity holds the angle to absolute round-off
      // only.
      EXPECT_LE((rotation_vector(quaternion_from_vector(omega)) - omega).norm(), 1e-14 * angle + 1e-315);
      EXPECT_LE((rotation_vector(rotation_from_vector(omega)) - omega).norm(), kRoundOff);
    }
  }
}

TEST(Rotation, AHalfTurnHasAnAngleOfPiAboutItsAxis) {
  RandomStream random(2, 0);
  for (int k = 0; k < 1000; ++k) {
    const Vec3 axis = random_vector(random).normalized();
    const Vec3 omega = rotation_vector(rotation_from_axis_angle(axis, std::numbers::pi));
    EXPECT_NEAR(omega.norm(), std::numbers::pi, kRoundOff);
    EXPECT_NEAR(std::abs(omega.normalized().dot(axis)), 1, kRoundOff);
  }
}

TEST(Rotation, TheSmallestRotationBetweenTwoVectorsWorksEvenForOppositeOnes) {
  RandomStream random(3, 0);
  for (int k = 0; k < 2000; ++k) {
    const Vec3 a = random_vector(random).normalized();
    // From independent directions to almost, and exactly, opposite ones.
    const double spread = k % 4 == 3 ? 0 : std::pow(10, -2 * (k % 8));
    const Vec3 b =
        k % 2 == 0 ? random_vector(random).normalized() : (spread * random_vector(random) - a).normalized();
    const Mat3 r = rotation_between(3 * a, 1e-200 * b);
    expect_rotation(r);
    EXPECT_LE((r * a - b).norm(), kRoundOff);
    // Smallest: the trace 1 + 2 cos(angle) shows no more than the angle between the two.
    EXPECT_NEAR(r.trace(), 1 + 2 * a.dot(b), 10 * kRoundOff);
  }
}

TEST(Rotation, IntegratingAFullTurnReturns) {
  Quat q = Quat::Identity();
  for (int k = 0; k < 100; ++k) q = integrate(q, {0, 0.02 * std::numbers::pi, 0}, 1.0);
  EXPECT_LE(rotation_vector(q).norm(), 1e-13);  // 100 steps of round-off
}

TEST(GramSchmidt, ReturnsTheRotationOfAStretchedFrame) {
  const Mat3 r = rotation_from_vector({0.3, -1.2, 2});
  const Mat3 f = r * Vec3(1, 2, 3).asDiagonal();
  EXPECT_LE((gram_schmidt(f) - r).norm(), kRoundOff);
}

TEST(GramSchmidt, DiffersFromThePolarRotationUnderShear) {
  Mat3 f = Mat3::Identity();
  f(0, 1) = 0.5;
  // Gram-Schmidt keeps the first column and so sees no rotation; the nearest rotation turns by atan(1/4).
  EXPECT_LE((gram_schmidt(f) - Mat3::Identity()).norm(), kRoundOff);
  const Vec3 polar = rotation_vector(polar3(f).rotation);
  EXPECT_LE((polar - Vec3(0, 0, -std::atan(0.25))).norm(), kRoundOff);
}

TEST(GramSchmidt, IsARotationForInvertedAndNearlyParallelColumns) {
  RandomStream random(4, 0);
  for (int k = 0; k < 10000; ++k) {
    Mat3 f;
    f << random_vector(random), random_vector(random), random_vector(random);
    if (k % 3 == 0) f.col(1) = f.col(0) + 1e-12 * f.col(1);
    if (k % 5 == 0) f *= 1e200;
    expect_rotation(gram_schmidt(f));
  }
}

TEST(GramSchmidt, KeepsThePreviousFrameWhereColumnsAreZeroOrParallel) {
  const Mat3 previous = rotation_from_vector({1, 2, 3});
  Mat3 parallel = Mat3::Identity();
  parallel.col(1) = 2 * parallel.col(0);
  EXPECT_EQ(gram_schmidt(Mat3::Zero(), previous), previous);
  EXPECT_EQ(gram_schmidt(parallel, previous), previous);
}

}  // namespace
}  // namespace selkie
