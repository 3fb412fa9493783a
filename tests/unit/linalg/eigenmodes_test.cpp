// Lowest modes of sparse matrices with lumped masses.
#include "selkie/linalg/eigenmodes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "selkie/core/parallel.h"

namespace selkie::linalg {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// A chain of n masses m between springs of stiffness 1; its ends tied to walls or free.
Eigen::SparseMatrix<double> chain(Index n, bool tied) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) {
    const bool end = i == 0 || i == n - 1;
    entries.emplace_back(i, i, end && !tied ? 1.0 : 2.0);
    if (i > 0) entries.emplace_back(i, i - 1, -1.0);
  }
  Eigen::SparseMatrix<double> lower(n, n);
  lower.setFromTriplets(entries.begin(), entries.end());
  return lower;
}

class Sizes : public testing::TestWithParam<Index> {};  // below and above the dense limit

TEST_P(Sizes, ATiedChainHasItsKnownFrequencies) {
  const Index n = GetParam();
  const std::vector<double> masses(static_cast<std::size_t>(n), 2.0);
  const Eigenmodes modes = lowest_eigenmodes(chain(n, true), masses, MatrixXd(n, 0), {.count = 8});
  ASSERT_TRUE(modes.ok) << modes.trouble;
  for (Index k = 0; k < 8; ++k) {
    const double s = std::sin(M_PI * double(k + 1) / (2 * double(n + 1)));
    // Round-off of K, whose largest eigenvalue is 4, on values down to 1e-5 for the long chain.
    EXPECT_NEAR(modes.values[k], 2 * s * s, 1e-14 + 1e-9 * s * s);
  }
  const MatrixXd gram = 2 * modes.vectors.transpose() * modes.vectors;
  EXPECT_LT((gram - MatrixXd::Identity(8, 8)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST_P(Sizes, ExcludedMotionsDoNotAppearAndTheirComplementIsExact) {
  const Index n = GetParam();
  std::vector<double> masses(static_cast<std::size_t>(n), 1.0);
  const MatrixXd ones = MatrixXd::Ones(n, 1);
  const Eigenmodes modes = lowest_eigenmodes(chain(n, false), masses, ones, {.count = 5, .shift = 1e-5});
  ASSERT_TRUE(modes.ok) << modes.trouble;
  for (Index k = 0; k < 5; ++k) {
    const double s = std::sin(M_PI * double(k + 1) / (2 * double(n)));
    EXPECT_NEAR(modes.values[k], 4 * s * s, 1e-14 + 1e-9 * s * s);
    EXPECT_NEAR(modes.vectors.col(k).sum(), 0, 1e-11 * std::sqrt(double(n)));
    Index largest = 0;
    modes.vectors.col(k).cwiseAbs().maxCoeff(&largest);
  }
}

TEST_P(Sizes, TheFirstOfTheLargestEntriesIsPositive) {
  const Index n = GetParam();
  const std::vector<double> masses(static_cast<std::size_t>(n), 1.0);
  const Eigenmodes modes = lowest_eigenmodes(chain(n, true), masses, MatrixXd(n, 0), {.count = 6});
  for (Index k = 0; k < 6; ++k) {
    const double most = modes.vectors.col(k).cwiseAbs().maxCoeff();
    Index first = 0;
    while (std::abs(modes.vectors(first, k)) < (1 - 1e-6) * most) ++first;
    EXPECT_GT(modes.vectors(first, k), 0);
  }
}

TEST_P(Sizes, TheBitsDoNotDependOnThreads) {
  const Index n = GetParam();
  const std::vector<double> masses(static_cast<std::size_t>(n), 1.0);
  set_thread_count(1);
  const Eigenmodes one = lowest_eigenmodes(chain(n, true), masses, MatrixXd(n, 0), {.count = 4});
  set_thread_count(2);
  const Eigenmodes two = lowest_eigenmodes(chain(n, true), masses, MatrixXd(n, 0), {.count = 4});
  set_thread_count(0);
  EXPECT_EQ(one.values, two.values);
  EXPECT_EQ(one.vectors, two.vectors);
}

INSTANTIATE_TEST_SUITE_P(Chain, Sizes, testing::Values(40, 900));

TEST(Eigenmodes, ASingularMatrixWithoutAShiftIsReported) {
  const Index n = 900;
  const std::vector<double> masses(static_cast<std::size_t>(n), 1.0);
  Eigen::SparseMatrix<double> lower = chain(n, true);
  lower.coeffRef(0, 0) = -1;
  const Eigenmodes modes = lowest_eigenmodes(lower, masses, MatrixXd(n, 0), {.count = 4});
  EXPECT_FALSE(modes.ok);
  EXPECT_NE(modes.trouble.find("positive definite"), std::string::npos);
}

}  // namespace
}  // namespace selkie::linalg
