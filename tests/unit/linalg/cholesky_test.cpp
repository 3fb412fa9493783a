// Sparse Cholesky against dense solves, with reuse of the pattern, stiff systems and failures.
#include "selkie/linalg/cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <limits>

#include "unit/linalg/systems.h"

namespace selkie::linalg {
namespace {

class Backends : public testing::TestWithParam<CholeskyBackend> {
 protected:
  void SetUp() override {
    if (!is_available(GetParam())) GTEST_SKIP() << "this build has no CHOLMOD";
  }
};
INSTANTIATE_TEST_SUITE_P(SparseCholesky, Backends,
                         testing::Values(CholeskyBackend::supernodal, CholeskyBackend::simplicial,
                                         CholeskyBackend::cholmod),
                         [](const auto& instance) -> std::string {
                           switch (instance.param) {
                             case CholeskyBackend::supernodal:
                               return "Supernodal";
                             case CholeskyBackend::simplicial:
                               return "Simplicial";
                             case CholeskyBackend::cholmod:
                               return "Cholmod";
                           }
                           return "";
                         });

template <int B>
void expect_direct_solution(CholeskyBackend backend) {
  const auto a = random_spd<B>(80, 200, 0.5, 1);
  const auto b = random_values(a.size(), 2);
  const Eigen::VectorXd expected = a.dense().llt().solve(as_eigen(b));
  std::vector<double> x(a.size(), std::numeric_limits<double>::quiet_NaN());
  SparseCholesky by_blocks(backend), by_entries(backend);
  ASSERT_TRUE(by_blocks.factorize(a));
  const SolveReport report = by_blocks.solve(b, x);
  EXPECT_TRUE(report.converged()) << report.text();
  // Two backward-stable solutions of a system with condition below 1e3.
  EXPECT_LE((as_eigen(x) - expected).norm(), 1e-12 * expected.norm());

  Eigen::SparseMatrix<double> lower;
  a.to_lower(lower);
  ASSERT_TRUE(by_entries.factorize(lower));
  EXPECT_TRUE(by_entries.solve(b, x).converged());
  EXPECT_LE((as_eigen(x) - expected).norm(), 1e-12 * expected.norm());
}

TEST_P(Backends, EqualTheDenseSolutionForEveryBlockSize) {
  expect_direct_solution<1>(GetParam());
  expect_direct_solution<2>(GetParam());
  expect_direct_solution<3>(GetParam());
}

TEST_P(Backends, NewValuesOnAnOldPatternGiveTheSameBitsAsAFreshFactorisation) {
  const auto first = spring_sheet(20, 1, 10), second = spring_sheet(20, 1, 1000);
  const auto b = random_values(first.size(), 3);
  std::vector<double> reused_x(b.size()), fresh_x(b.size());
  SparseCholesky reused(GetParam()), fresh(GetParam());
  ASSERT_TRUE(reused.factorize(first));
  ASSERT_TRUE(reused.factorize(second));
  EXPECT_EQ(reused.analysis_count(), 1);
  ASSERT_TRUE(fresh.factorize(second));
  EXPECT_TRUE(reused.solve(b, reused_x).converged());
  EXPECT_TRUE(fresh.solve(b, fresh_x).converged());
  EXPECT_EQ(reused_x, fresh_x);

  const auto other = spring_sheet(10, 1, 10);
  ASSERT_TRUE(reused.factorize(other));
  EXPECT_EQ(reused.analysis_count(), 2);
  EXPECT_EQ(reused.size(), other.size());
}

// A free-floating sheet with almost no mass: condition about 12 · stiffness / mass > 1e13.
TEST_P(Backends, StiffSystemsReachATinyTrueResidual) {
  const auto a = spring_sheet(30, 1e-6, 1e6);
  const auto solution = random_values(a.size(), 4);
  std::vector<double> b(a.size()), x(a.size()), ax(a.size());
  a.apply(solution, b);
  SparseCholesky cholesky(GetParam());
  ASSERT_TRUE(cholesky.factorize(a));
  const SolveReport report = cholesky.solve(b, x, {.tolerance = 1e-13});
  EXPECT_TRUE(report.converged()) << report.text();
  EXPECT_LE(report.residual, 1e-13);
  a.apply(x, ax);
  EXPECT_LE((as_eigen(b) - as_eigen(ax)).norm(), 1e-12 * as_eigen(b).norm());
}

TEST_P(Backends, ASolutionAsGoodAsDoublesAllowCountsAsConvergedAndShowsItsResidual) {
  // A random force throws the almost massless sheet far away: ‖A‖‖x‖ ≈ 1e13 ‖b‖, so that rounding x alone
  // leaves a residual of 1e-3 ‖b‖ at worst.
  const auto a = spring_sheet(30, 1e-6, 1e6);
  const auto b = random_values(a.size(), 4);
  std::vector<double> x(a.size());
  SparseCholesky cholesky(GetParam());
  ASSERT_TRUE(cholesky.factorize(a));
  const SolveReport report = cholesky.solve(b, x, {.tolerance = 1e-8});
  EXPECT_TRUE(report.converged()) << report.text();
  EXPECT_GT(report.residual, 1e-8);
  EXPECT_LT(report.residual, 1e-3);
}

TEST_P(Backends, FailureIsReportedAndTheObjectRecovers) {
  auto a = spring_sheet(10, 1, 10);
  const auto good = a;
  const auto b = random_values(a.size(), 5);
  std::vector<double> x(a.size());
  SparseCholesky cholesky(GetParam());
  EXPECT_EQ(cholesky.solve(b, x).reason, StopReason::factorization_failed) << "nothing factorised yet";
  a.add_diagonal(50, -1000 * Mat3::Identity());
  EXPECT_FALSE(cholesky.factorize(a));
  EXPECT_EQ(cholesky.solve(b, x).reason, StopReason::factorization_failed);
  a.diagonal(50)(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(cholesky.factorize(a));
  ASSERT_TRUE(cholesky.factorize(good));
  EXPECT_TRUE(cholesky.solve(b, x).converged());
}

TEST_P(Backends, ZeroAndNanRightSidesAreHandled) {
  const auto a = spring_sheet(6, 1, 10);
  std::vector<double> b(a.size(), 0.0), x(a.size(), 1.0);
  SparseCholesky cholesky(GetParam());
  ASSERT_TRUE(cholesky.factorize(a));
  EXPECT_TRUE(cholesky.solve(b, x).converged());
  EXPECT_EQ(x, b);
  b[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cholesky.solve(b, x).reason, StopReason::not_finite);
}

TEST_P(Backends, AMatrixWithoutEdgesNeedsNoOrdering) {
  BlockSparseSymmetric<3> a(2, {});
  a.add_diagonal(0, 4 * Mat3::Identity());  // powers of four: exact roots
  a.add_diagonal(1, 16 * Mat3::Identity());
  std::vector<double> x(6);
  SparseCholesky cholesky(GetParam());
  ASSERT_TRUE(cholesky.factorize(a));
  EXPECT_TRUE(cholesky.solve(std::vector<double>{4, 8, 12, 16, 32, 48}, x).converged());
  EXPECT_EQ(x, (std::vector<double>{1, 2, 3, 1, 2, 3}));
}

TEST(SparseCholesky, NestedDissectionKeepsTheFactorOfASheetSmall) {
  // A sheet of n vertices needs about 31/4 · n log₂ n blocks in nested dissection [George73]; in row order
  // it would be n^1.5 = 216 000 blocks.
  const auto a = spring_sheet(60, 1, 10);
  SparseCholesky reference(CholeskyBackend::simplicial), supernodal;
  ASSERT_TRUE(reference.factorize(a));
  EXPECT_LT(reference.factor_nonzeros(), 9u * 100000u);
  // Merged supernodes hold explicit zeros; the relaxation must not double the factor.
  ASSERT_TRUE(supernodal.factorize(a));
  EXPECT_GE(supernodal.factor_nonzeros(), reference.factor_nonzeros());
  EXPECT_LT(supernodal.factor_nonzeros(), 2 * reference.factor_nonzeros());
}

TEST(SparseCholesky, SupernodalGivesTheSameBitsForAnyNumberOfThreads) {
  const auto a = spring_sheet(40, 1, 1000);
  std::vector<double> b(a.size()), one(a.size()), three(a.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = random_uniform(3, 0, i, -1, 1);
  for (auto* x : {&one, &three}) {
    set_thread_count(x == &one ? 1 : 3);
    SparseCholesky cholesky;
    ASSERT_TRUE(cholesky.factorize(a));
    ASSERT_TRUE(cholesky.solve(b, *x).converged());
  }
  set_thread_count(0);
  EXPECT_EQ(one, three);
}

}  // namespace
}  // namespace selkie::linalg
