// Conjugate gradients (RT-12) with every preconditioner against dense direct solves.
#include "selkie/linalg/pcg.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/linalg/preconditioners.h"
#include "unit/linalg/systems.h"

namespace selkie::linalg {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const IdentityPreconditioner kIdentity;

template <int B>
void expect_direct_solution() {
  const auto a = random_spd<B>(60, 200, 0.5, 11);
  const auto b = random_values(a.size(), 12);
  const Eigen::VectorXd expected = a.dense().llt().solve(as_eigen(b));

  JacobiPreconditioner jacobi;
  EXPECT_EQ(jacobi.refresh(a), 0);
  BlockJacobiPreconditioner<B> block_jacobi;
  EXPECT_EQ(block_jacobi.refresh(a), 0);
  IncompleteCholesky<B> whole, chunked(16);
  EXPECT_TRUE(whole.refresh(a).ok);
  EXPECT_TRUE(chunked.refresh(a).ok);

  PcgWork work;
  for (const Preconditioner* m :
       std::initializer_list<const Preconditioner*>{&kIdentity, &jacobi, &block_jacobi, &whole, &chunked}) {
    std::vector<double> x(a.size(), 0.0);
    const SolveReport report = pcg(a, *m, b, x, {.tolerance = 1e-13, .max_iterations = 1000}, work);
    EXPECT_TRUE(report.converged()) << report.text();
    // Residual 1e-13 times a condition number below 1e3.
    EXPECT_LE((as_eigen(x) - expected).norm(), 1e-10 * expected.norm());
    EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
    EXPECT_EQ(report.history.front(), report.initial_residual);
    EXPECT_LE(report.history.back(), 1e-13);
  }
}

TEST(Pcg, EqualsTheDenseSolutionWithEveryPreconditionerAndBlockSize) {
  expect_direct_solution<1>();
  expect_direct_solution<2>();
  expect_direct_solution<3>();
}

TEST(Pcg, NeedsNoMoreIterationsThanThereAreDifferentEigenvalues) {
  BlockSparseSymmetric<1> a(50, {});
  for (std::size_t i = 0; i < 50; ++i) a.diagonal(i)(0, 0) = 1 + static_cast<double>(i % 5);
  const auto b = random_values(50, 1);
  std::vector<double> x(50, 0.0);
  PcgWork work;
  const SolveReport report = pcg(a, kIdentity, b, x, {.tolerance = 1e-12}, work);
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(report.iterations, 5);

  // A small dense-like system ends within its size.
  const auto full = random_spd<3>(4, 20, 1, 2);
  std::vector<double> y(12, 0.0);
  const SolveReport small = pcg(full, kIdentity, random_values(12, 3), y, {.tolerance = 1e-8}, work);
  EXPECT_TRUE(small.converged());
  EXPECT_LE(small.iterations, 12);
}

TEST(Pcg, ReportsNonpositiveCurvatureOfAnIndefiniteMatrix) {
  auto a = random_spd<3>(20, 60, 0.5, 21);
  a.add_diagonal(7, -100 * Mat3::Identity());
  const auto b = random_values(a.size(), 22);
  std::vector<double> x(a.size(), 0.0);
  PcgWork work;
  const SolveReport report = pcg(a, kIdentity, b, x, {.tolerance = 1e-12}, work);
  EXPECT_EQ(report.reason, StopReason::nonpositive_curvature);
  EXPECT_NE(report.text().find("not positive definite"), std::string::npos);
  for (double value : x) EXPECT_TRUE(std::isfinite(value));
}

TEST(Pcg, ReportsNumbersThatAreNotFinite) {
  auto a = random_spd<3>(20, 60, 0.5, 31);
  auto b = random_values(a.size(), 32);
  std::vector<double> x(a.size(), 0.0);
  PcgWork work;
  b[5] = kNaN;
  EXPECT_EQ(pcg(a, kIdentity, b, x, {}, work).reason, StopReason::not_finite);
  for (double value : x) EXPECT_EQ(value, 0.0);
  b[5] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(pcg(a, kIdentity, b, x, {}, work).reason, StopReason::not_finite);
  b[5] = 1;
  a.diagonal(3)(1, 1) = kNaN;
  EXPECT_EQ(pcg(a, kIdentity, b, x, {}, work).reason, StopReason::not_finite);
  for (double value : x) EXPECT_EQ(value, 0.0);
  x[2] = kNaN;
  EXPECT_EQ(pcg(a, kIdentity, b, x, {}, work).reason, StopReason::not_finite);
}

TEST(Pcg, GivesZeroForAZeroRightSideWithoutAnIteration) {
  const auto a = random_spd<3>(20, 60, 0.5, 41);
  auto x = random_values(a.size(), 42);
  PcgWork work;
  const SolveReport report = pcg(a, kIdentity, std::vector<double>(a.size(), 0.0), x, {}, work);
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(x, std::vector<double>(a.size(), 0.0));
}

TEST(Pcg, StartsFromTheGuessItIsGiven) {
  const auto a = random_spd<3>(20, 60, 0.5, 51);
  const auto solution = random_values(a.size(), 52);
  std::vector<double> b(a.size()), x = solution;
  a.apply(solution, b);
  PcgWork work;
  const SolveReport report = pcg(a, kIdentity, b, x, {.tolerance = 1e-12}, work);
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(x, solution);
}

TEST(Pcg, StopsAtTheCapAndAtTheAbsoluteTolerance) {
  const auto a = spring_sheet(20, 1, 1000);
  const auto b = random_values(a.size(), 61);
  std::vector<double> x(a.size(), 0.0);
  PcgWork work;
  const SolveReport capped = pcg(a, kIdentity, b, x, {.tolerance = 1e-12, .max_iterations = 5}, work);
  EXPECT_EQ(capped.reason, StopReason::iteration_limit);
  EXPECT_EQ(capped.iterations, 5);
  std::fill(x.begin(), x.end(), 0.0);
  const double enough = as_eigen(b).norm() * 0.1;
  const SolveReport rough =
      pcg(a, kIdentity, b, x, {.tolerance = 0, .absolute_tolerance = enough, .keep_history = false}, work);
  EXPECT_TRUE(rough.converged());
  EXPECT_LE(rough.residual, 0.1);
  EXPECT_TRUE(rough.history.empty());
}

TEST(Pcg, ReportsStagnationWhenTheToleranceLiesBelowRoundOff) {
  const auto a = spring_sheet(12, 1e-6, 1e6);
  const auto b = random_values(a.size(), 71);
  std::vector<double> x(a.size(), 0.0);
  PcgWork work;
  BlockJacobiPreconditioner<3> m;
  EXPECT_EQ(m.refresh(a), 0);
  const SolveReport report = pcg(a, m, b, x, {.tolerance = 1e-15, .max_iterations = 100000}, work);
  EXPECT_EQ(report.reason, StopReason::stagnated) << report.text();
  std::vector<double> ax(a.size());
  a.apply(x, ax);
  // What it says of itself is true, to the round-off of forming b − Ax.
  EXPECT_NEAR(report.residual, (as_eigen(b) - as_eigen(ax)).norm() / as_eigen(b).norm(),
              1e-3 * report.residual);
}

TEST(Pcg, HasTheSameBitsForOneAndTwoThreadsAndForPoisonedWork) {
  const auto a = spring_sheet(64, 1, 500);
  const auto b = random_values(a.size(), 81);
  IncompleteCholesky<3> ic(512);
  EXPECT_TRUE(ic.refresh(a).ok);
  BlockJacobiPreconditioner<3> block_jacobi;
  EXPECT_EQ(block_jacobi.refresh(a), 0);
  for (const Preconditioner* m : std::initializer_list<const Preconditioner*>{&ic, &block_jacobi}) {
    PcgWork work;
    std::vector<double> x1(a.size(), 0.0), x2 = x1;
    set_thread_count(1);
    const SolveReport one = pcg(a, *m, b, x1, {.max_iterations = 1000}, work);
    for (Buffer<double>* v : {&work.residual, &work.preconditioned, &work.direction, &work.product})
      v->assign(v->size(), kNaN);
    set_thread_count(2);
    const SolveReport two = pcg(a, *m, b, x2, {.max_iterations = 1000}, work);
    set_thread_count(0);
    EXPECT_TRUE(one.converged());
    EXPECT_EQ(x1, x2);
    EXPECT_EQ(one.history, two.history);
  }
}

TEST(Pcg, SolvesMatrixFreeOperatorsGivenAsLambdas) {
  // The second difference with fixed ends, and its diagonal as preconditioner.
  const std::size_t n = 50;
  const auto a = make_operator(n, [=](std::span<const double> x, std::span<double> y) {
    for (std::size_t i = 0; i < n; ++i) y[i] = 2 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < n ? x[i + 1] : 0);
  });
  const auto m = make_preconditioner([](std::span<const double> r, std::span<double> z) {
    for (std::size_t i = 0; i < r.size(); ++i) z[i] = r[i] / 2;
  });
  std::vector<double> x(n, 0.0);
  PcgWork work;
  EXPECT_TRUE(pcg(a, m, std::vector<double>(n, 1.0), x, {.tolerance = 1e-12}, work).converged());
  // Exact: x_i = (i + 1)(n − i)/2.
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], 0.5 * static_cast<double>((i + 1) * (n - i)), 1e-8);
}

}  // namespace
}  // namespace selkie::linalg
