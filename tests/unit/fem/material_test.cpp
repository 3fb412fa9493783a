// Laws at one point: derivatives against finite differences, objectivity, known curves, refusals.
#include "selkie/solids/fem/material.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/random.h"
#include "selkie/math/rotation.h"
#include "selkie/solids/fem/params.h"

namespace selkie::fem {
namespace {

constexpr Lame kSoft{.mu = 3, .lambda = 7};

template <int D>
Matrix<D> random_matrix(RandomStream& random, double size) {
  Matrix<D> m;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) m(i, j) = random.uniform(-size, size);
  return m;
}

// Rotated, stretched, sheared; some of them inverted.
template <int D>
Matrix<D> deformation(int n) {
  RandomStream random(17, static_cast<std::uint64_t>(n));
  Matrix<D> f = random_matrix<D>(random, 0.4) + Matrix<D>::Identity();
  if (n % 3 == 2) f.col(0) *= -0.8;
  if constexpr (D == 3) f = rotation_from_vector(Vec3(0.3 * n, 1 - 0.2 * n, 0.5)) * f;
  return f;
}

template <int D>
void expect_gradients() {
  for (const Law law : kAllLaws)
    for (int n = 0; n < 12; ++n) {
      const Matrix<D> f = deformation<D>(n);
      RandomStream random(5, static_cast<std::uint64_t>(n));
      const Matrix<D> d = random_matrix<D>(random, 1);
      constexpr double kStep = 1e-5;
      const double slope =
          (energy_density<D>(law, kSoft, f + kStep * d) - energy_density<D>(law, kSoft, f - kStep * d)) /
          (2 * kStep);
      const Matrix<D> p = stress<D>(law, kSoft, f);
      // Central differences: h² times third derivatives, and round-off of Ψ over h; both near 1e-10 of |P|.
      EXPECT_NEAR(slope, p.cwiseProduct(d).sum(), 1e-8 * (1 + p.norm())) << name_of(law) << " " << n;

      const Matrix<D> change =
          (stress<D>(law, kSoft, f + kStep * d) - stress<D>(law, kSoft, f - kStep * d)) / (2 * kStep);
      const Matrix<D> dp = apply<D>(tangent<D>(law, kSoft, f, TangentKind::exact), d);
      // The corotational rotation turns fast where stretches nearly cancel; its third derivative is larger.
      EXPECT_LT((change - dp).norm(), (law == Law::corotational ? 1e-6 : 1e-8) * (1 + dp.norm()))
          << name_of(law) << " " << n;
    }
}

TEST(Material, StressIsTheGradientOfTheEnergyAndTheTangentThatOfTheStress) {
  expect_gradients<2>();
  expect_gradients<3>();
}

template <int D>
Eigen::MatrixXd dense(const Tangent<D>& t) {
  Eigen::MatrixXd h(D * D, D * D);
  for (int k = 0; k < D * D; ++k) {
    Matrix<D> unit = Matrix<D>::Zero();
    unit(k % D, k / D) = 1;
    const Matrix<D> column = apply<D>(t, unit);
    for (int n = 0; n < D * D; ++n) h(n, k) = column(n % D, n / D);
  }
  return h;
}

template <int D>
void expect_clamped() {
  for (const Law law : kAllLaws)
    for (int n = 0; n < 12; ++n) {
      const Matrix<D> f = deformation<D>(n);
      const Eigen::MatrixXd exact = dense<D>(tangent<D>(law, kSoft, f, TangentKind::exact));
      const Eigen::MatrixXd positive = dense<D>(tangent<D>(law, kSoft, f, TangentKind::positive));
      EXPECT_LT((exact - exact.transpose()).norm(), 1e-12 * exact.norm()) << name_of(law);
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(exact);
      const Eigen::MatrixXd clamped = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
                                      eigen.eigenvectors().transpose();
      EXPECT_LT((positive - clamped).norm(), 1e-10 * exact.norm()) << name_of(law) << " " << n;
    }
}

TEST(Material, ThePositiveTangentIsTheExactOneWithItsNegativeEigenvaluesClamped) {
  expect_clamped<2>();
  expect_clamped<3>();
}

TEST(Material, StiffnessBlocksAreTheTangentBetweenTwoGradients) {
  for (const Law law : kAllLaws) {
    const Tangent<3> t = tangent<3>(law, kSoft, deformation<3>(4), TangentKind::exact);
    const Vec3 a(0.3, -1, 2), b(1.5, 0.2, -0.7);
    const Mat3 block = stiffness_block<3>(t, a, b);
    for (int c = 0; c < 3; ++c)
      EXPECT_LT((block.col(c) - apply<3>(t, Vec3::Unit(c) * b.transpose()) * a).norm(), 1e-12 * block.norm());
  }
}

TEST(Material, AllButTheLinearLawAreObjective) {
  const Mat3 q = rotation_from_vector(Vec3(1.2, -0.4, 2.1));
  for (const Law law : {Law::corotational, Law::green, Law::neo_hookean})
    for (int n = 0; n < 6; ++n) {
      const Mat3 f = deformation<3>(n), p = stress<3>(law, kSoft, f);
      EXPECT_LT((stress<3>(law, kSoft, q * f) - q * p).norm(), 1e-11 * (1 + p.norm())) << name_of(law);
      EXPECT_LT(stress<3>(law, kSoft, q).norm(), 1e-13) << name_of(law);
    }
  // RT-20: a turn by 90° about z is a strain of −1 to the linear law.
  Mat3 turn;
  turn << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  const Mat3 p = stress<3>(Law::linear, kSoft, turn);
  EXPECT_NEAR(p(0, 0), -2 * kSoft.mu - 2 * kSoft.lambda, 1e-14);
  EXPECT_NEAR(p(2, 2), -2 * kSoft.lambda, 1e-14);
}

TEST(Material, AllLawsAgreeWithHookesForSmallStrains) {
  RandomStream random(3, 0);
  const Mat3 d = random_matrix<3>(random, 1);
  for (const Law law : kAllLaws) {
    const Tangent<3> t = tangent<3>(law, kSoft, Mat3::Identity(), TangentKind::exact);
    const Mat3 hooke = kSoft.mu * (d + d.transpose()) + kSoft.lambda * d.trace() * Mat3::Identity();
    EXPECT_LT((apply<3>(t, d) - hooke).norm(), 1e-13) << name_of(law);
    EXPECT_LT(stress<3>(law, kSoft, Mat3::Identity()).norm(), 1e-14) << name_of(law);
    EXPECT_NEAR(energy_density<3>(law, kSoft, Mat3::Identity()), 0, 1e-14) << name_of(law);
  }
}

TEST(Material, PlaneStrainIsTheSolidWithItsThirdStretchHeld) {
  for (const Law law : kAllLaws)
    for (int n = 0; n < 2; ++n) {
      const Mat2 f = deformation<2>(n);
      Mat3 solid = Mat3::Identity();
      solid.topLeftCorner<2, 2>() = f;
      EXPECT_NEAR(energy_density<2>(law, kSoft, f), energy_density<3>(law, kSoft, solid), 1e-13);
      EXPECT_LT((stress<2>(law, kSoft, f) - stress<3>(law, kSoft, solid).topLeftCorner<2, 2>()).norm(),
                1e-13);
    }
}

TEST(Material, GreensLawWeakensWhenSqueezedBelowOneOverRootThree) {
  auto force = [](double s) {
    return stress<3>(Law::green, {.mu = 1, .lambda = 0}, Vec3(s, 1, 1).asDiagonal().toDenseMatrix())(0, 0);
  };
  EXPECT_NEAR(force(0.5), 0.125 - 0.5, 1e-15);  // s³ − s
  const double weakest = 1 / std::sqrt(3.0);
  EXPECT_LT(force(weakest), force(weakest + 0.05));
  EXPECT_LT(force(weakest), force(weakest - 0.05));
}

TEST(Material, OnlyTheNearestRotationGivesForcesWithoutTorque) {
  const Mat3 f = deformation<3>(1);
  auto torque = [&](const Mat3& p) { return Mat3(p * f.transpose() - f * p.transpose()).norm(); };
  EXPECT_LT(torque(rotated_stress<3>(kSoft, rotation_of<3>(f), f)), 1e-13);
  EXPECT_GT(torque(rotated_stress<3>(kSoft, gram_schmidt(f), f)), 0.01);
}

TEST(Material, InvertedElementsArePushedBack) {
  // Along the flipped direction the force must point outwards again; Green's law has none to offer at s = −1.
  const Mat3 f = Vec3(1, 1, -0.4).asDiagonal();
  for (const Law law : {Law::corotational, Law::neo_hookean})
    EXPECT_LT(stress<3>(law, kSoft, f)(2, 2), -0.1) << name_of(law);
  EXPECT_NEAR(stress<3>(Law::green, kSoft, Vec3(1, 1, -1).asDiagonal().toDenseMatrix()).norm(), 0, 1e-15);
}

TEST(Material, ImpossibleConstantsAreRefused) {
  EXPECT_NEAR(lame(1e6, 0.25).mu, 4e5, 1e-9);
  EXPECT_NEAR(lame(1e6, 0.25).lambda, 4e5, 1e-9);
  EXPECT_THROW(lame(0, 0.3), InputError);
  EXPECT_THROW(lame(-1e5, 0.3), InputError);
  EXPECT_THROW(lame(std::nan(""), 0.3), InputError);
  EXPECT_THROW(lame(1e5, 0.5), InputError);
  EXPECT_THROW(lame(1e5, -1), InputError);
  Params params;
  params.poisson = 0.5;
  ASSERT_EQ(validate(params).size(), 1u);
  EXPECT_EQ(validate(params)[0].member, "poisson");
}

}  // namespace
}  // namespace selkie::fem
