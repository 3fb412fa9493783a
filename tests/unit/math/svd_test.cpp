// Signed SVD and polar decomposition (RT-26) on regular, degenerate, inverted and badly scaled matrices.
#include "selkie/math/svd.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>
#include <limits>

#include "selkie/core/random.h"
#include "selkie/math/random_vector.h"
#include "selkie/math/rotation.h"

namespace selkie {
namespace {

// Errors of about thirty Jacobi rotations, relative to the largest singular value.
constexpr double kRoundOff = 2e-14;

Mat3 random_matrix(RandomStream& random) {
  return Mat3::NullaryExpr([&](Eigen::Index, Eigen::Index) { return random.uniform(-1, 1); });
}
Mat3 random_rotation(RandomStream& random) { return rotation_from_vector(3 * random_vector(random, -1, 1)); }

// A mixture of every kind of trouble.
Mat3 difficult_matrix(int kind, RandomStream& random) {
  const Mat3 u = random_rotation(random), v = random_rotation(random);
  const double tiny = std::pow(10, random.uniform(-17, -1));
  switch (kind % 10) {
    case 0:
      return u * Vec3(1, 1, 1 + tiny).asDiagonal() * v;
    case 1:
      return u * Vec3(1, tiny, -tiny * tiny).asDiagonal() * v;
    case 2:
      return u * Vec3(1, 0.5, 0).asDiagonal() * v;
    case 3:
      return u.col(0) * v.row(0);
    case 4:
      return u * Vec3(1, 1, -1).asDiagonal() * v;
    case 5:
      return 1e100 * random_matrix(random);
    case 6:
      return 1e-100 * random_matrix(random);
    case 7:
      return 1e300 * (u * Vec3(1, tiny, 1e-5).asDiagonal() * v);
    case 8:
      return u;
    default:
      return random_matrix(random);
  }
}

void expect_rotation(const Mat3& r) {
  ASSERT_LE((r.transpose() * r - Mat3::Identity()).norm(), kRoundOff);
  ASSERT_NEAR(r.determinant(), 1, kRoundOff);
}

TEST(Svd3, ReconstructsAHundredThousandMatricesOfEveryKind) {
  RandomStream random(1, 0);
  for (int k = 0; k < 100000; ++k) {
    const Mat3 f = difficult_matrix(k, random);
    const Svd3 d = svd3(f);
    expect_rotation(d.u);
    expect_rotation(d.v);
    ASSERT_GE(d.sigma[0], d.sigma[1]);
    ASSERT_GE(d.sigma[1], std::abs(d.sigma[2]) * (1 - kRoundOff));
    // Divided by the scale first: the norm of an entry near 1e300 would overflow.
    const double scale = f.cwiseAbs().maxCoeff();
    const Mat3 error = d.u * (d.sigma / scale).asDiagonal() * d.v.transpose() - f / scale;
    ASSERT_LE(error.norm(), kRoundOff) << "kind " << k % 10;
  }
}

TEST(Svd3, AgreesWithAGeneralDecompositionAndCarriesTheSignOfTheDeterminant) {
  RandomStream random(2, 0);
  for (int k = 0; k < 20000; ++k) {
    const Mat3 f = random_matrix(random);
    Vec3 expected = Eigen::JacobiSVD<Mat3>(f).singularValues();
    if (f.determinant() < 0) expected[2] = -expected[2];
    ASSERT_LE((svd3(f).sigma - expected).norm(), kRoundOff);
  }
}

TEST(Svd3, KeepsTinySingularValuesAccurateWhenColumnsAreGraded) {
  // One-sided Jacobi is accurate relative to each column: F = Q diag has the diagonal as exact singular
  // values. The eigenvalues of FᵀF would lose everything below 1e-8.
  const Mat3 q = rotation_from_vector({0.4, 1, -0.7});
  const Vec3 sigma = svd3(q * Vec3(1, 1e-12, 1e-25).asDiagonal()).sigma;
  EXPECT_NEAR(sigma[1] / 1e-12, 1, kRoundOff);
  EXPECT_NEAR(sigma[2] / 1e-25, 1, kRoundOff);
}

TEST(Svd3, OfZeroIsZeroAndOfNanSaysNan) {
  const Svd3 zero = svd3(Mat3::Zero());
  EXPECT_EQ(zero.sigma, Vec3::Zero());
  expect_rotation(zero.u);
  expect_rotation(zero.v);
  Mat3 bad = Mat3::Identity();
  bad(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(svd3(bad).sigma.hasNaN());
  bad(1, 2) = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(svd3(bad).sigma.hasNaN());
}

TEST(Svd3, SurvivesSubnormalAndHugeNumbers) {
  const double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
  EXPECT_EQ(svd3(least * Mat3::Identity()).sigma, Vec3::Constant(least));
  EXPECT_LE((svd3(0.5 * most * Mat3::Identity()).sigma / most - Vec3::Constant(0.5)).norm(), kRoundOff);
}

TEST(Polar3, ReturnsTheRotationOfARotatedStretch) {
  for (double theta = -3; theta <= 3; theta += 0.25) {
    const Mat3 r = rotation_from_axis_angle({1, 2, -1}, theta);
    const Polar3 p = polar3(r * Vec3(1, 2, 3).asDiagonal());
    EXPECT_LE((p.rotation - r).norm(), kRoundOff);
    EXPECT_LE((p.stretch - Mat3(Vec3(1, 2, 3).asDiagonal())).norm(), 3 * kRoundOff);
  }
}

TEST(Polar3, TheFastPathAgreesWithTheSvdOnBothSidesOfItsLimit) {
  RandomStream random(6, 0);
  for (int k = 0; k < 20000; ++k) {
    // Smallest stretch from 1 down to 1e-6: the Newton steps hand over to the SVD on the way.
    const Vec3 stretch(1, random.uniform(0.5, 1), std::pow(10, random.uniform(-6, 0)));
    const Mat3 f = random_rotation(random) * stretch.asDiagonal() * random_rotation(random);
    const Svd3 d = svd3(f);
    // The rotation of a matrix is known to round-off over its two smaller stretches.
    ASSERT_LE((polar3(f).rotation - d.u * d.v.transpose()).norm(), kRoundOff / (stretch[1] + stretch[2]));
  }
}

TEST(Polar3, FactorsAHundredThousandMatricesOfEveryKind) {
  RandomStream random(3, 0);
  for (int k = 0; k < 100000; ++k) {
    const Mat3 f = difficult_matrix(k, random);
    const Polar3 p = polar3(f, random_rotation(random));
    expect_rotation(p.rotation);
    ASSERT_EQ(p.stretch, p.stretch.transpose());
    const double scale = f.cwiseAbs().maxCoeff();
    ASSERT_LE((p.rotation * (p.stretch / scale) - f / scale).norm(), kRoundOff) << "kind " << k % 10;
  }
}

TEST(Polar3, GivesTheNearestRotationEvenOfAnInvertedMatrix) {
  RandomStream random(4, 0);
  for (int k = 0; k < 2000; ++k) {
    const Mat3 f = random_matrix(random);
    const Mat3 r = polar3(f).rotation;
    const double distance = (f - r).norm();
    for (int trial = 0; trial < 20; ++trial) {
      const double size = std::pow(10, random.uniform(-6, 0.5));
      const Vec3 turn = size * random_vector(random, -1, 1);
      ASSERT_LE(distance, (f - rotation_from_vector(turn) * r).norm() + kRoundOff);
    }
  }
}

TEST(Polar3, KeepsThePreviousRotationWhereTheMatrixSaysNothing) {
  const Mat3 previous = rotation_from_vector({0.5, -1, 2});
  EXPECT_EQ(polar3(Mat3::Zero(), previous).rotation, previous);
  const Mat3 bad = Mat3::Constant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(polar3(bad, previous).rotation, previous);

  // Rank one: the stretched axis is obeyed, the twist about it stays. A rotation that already fits is not
  // changed.
  const Vec3 axis = Vec3(1, 1, 0).normalized();
  const Mat3 line = 2 * previous * axis * axis.transpose();
  EXPECT_LE((polar3(line, previous).rotation - previous).norm(), kRoundOff);
}

TEST(Polar2, AndSvd2ReconstructMatricesOfEveryKind) {
  RandomStream random(5, 0);
  for (int k = 0; k < 100000; ++k) {
    Mat2 f;
    f << random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1);
    if (k % 4 == 1) f.col(1) = 0.3 * f.col(0);
    if (k % 4 == 2) f *= k % 8 < 4 ? 1e300 : 1e-300;
    if (k % 4 == 3) f << f(0, 0), f(1, 0), f(1, 0), -f(0, 0);  // a pure reflection
    const double scale = f.cwiseAbs().maxCoeff();
    const Svd2 d = svd2(f);
    const Polar2 p = polar2(f);
    for (const Mat2& r : {d.u, d.v, p.rotation}) {
      ASSERT_LE((r.transpose() * r - Mat2::Identity()).norm(), kRoundOff);
      ASSERT_NEAR(r.determinant(), 1, kRoundOff);
    }
    ASSERT_GE(d.sigma[0] * (1 + kRoundOff), std::abs(d.sigma[1]));
    ASSERT_LE((d.u * (d.sigma / scale).asDiagonal() * d.v.transpose() - f / scale).norm(), kRoundOff)
        << k % 4;
    ASSERT_LE((p.rotation * (p.stretch / scale) - f / scale).norm(), kRoundOff) << k % 4;
  }
  EXPECT_EQ(svd2(Mat2::Zero()).sigma, Vec2::Zero());
  EXPECT_EQ(polar2(Mat2::Zero()).rotation, Mat2::Identity());
}

}  // namespace
}  // namespace selkie
