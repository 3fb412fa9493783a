// Symmetric block matrices against dense ones.
#include "selkie/linalg/block_sparse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "unit/linalg/systems.h"

namespace selkie::linalg {
namespace {

TEST(BlockPattern, GivesRepeatedAndReversedEdgesOneSlot) {
  const std::vector<VertexPair> edges{{0, 2}, {2, 0}, {1, 2}, {0, 2}, {3, 1}};
  const BlockPattern pattern(4, edges);
  EXPECT_EQ(pattern.slot_count(), 3u);
  const auto slots = pattern.edge_slots();
  EXPECT_EQ(slots[0], slots[3]);
  EXPECT_EQ(slots[0].index(), slots[1].index());
  EXPECT_FALSE(slots[0].reversed());
  EXPECT_TRUE(slots[1].reversed());
  for (std::size_t e = 0; e < edges.size(); ++e) EXPECT_EQ(pattern.find(edges[e][0], edges[e][1]), slots[e]);
}

template <int B>
void expect_same_as_dense() {
  using Block = typename BlockSparseSymmetric<B>::Block;
  const std::size_t n = 40;
  const auto edges = random_edges(n, 150, 7);
  BlockSparseSymmetric<B> a(n, edges);
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(B * n, B * n);
  RandomStream random(7, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const Block g = random_block<B>(random), block = g + g.transpose();
    a.add_diagonal(i, block);
    expected.block<B, B>(B * i, B * i) += block;
  }
  for (const auto& [i, j] : edges) {
    const Block block = random_block<B>(random);
    a.add_edge(i, j, block);
    expected.block<B, B>(B * i, B * j) += block;
    expected.block<B, B>(B * j, B * i) += block.transpose();
  }
  EXPECT_EQ(a.dense(), expected);

  const auto x = random_values(a.size(), 8);
  std::vector<double> y(a.size());
  const double dot_product = a.apply_dot(x, y);
  // Sums of at most a hundred products of numbers of size one.
  EXPECT_LE((as_eigen(y) - expected * as_eigen(x)).norm(), 1e-12);
  EXPECT_NEAR(dot_product, as_eigen(x).dot(expected * as_eigen(x)), 1e-11);

  Eigen::SparseMatrix<double> lower;
  a.to_lower(lower);
  EXPECT_EQ(Eigen::MatrixXd(lower), Eigen::MatrixXd(expected.triangularView<Eigen::Lower>()));
  const double* values = lower.valuePtr();
  a.set_zero();
  a.add_diagonal(3, Block::Identity());
  a.to_lower(lower);
  EXPECT_EQ(lower.valuePtr(), values) << "refilled in place";
  EXPECT_EQ(lower.sum(), B);
}

TEST(BlockSparse, EqualsTheDenseMatrixForBlocksOfOneTwoAndThree) {
  expect_same_as_dense<1>();
  expect_same_as_dense<2>();
  expect_same_as_dense<3>();
}

TEST(BlockSparse, ProductHasTheSameBitsForOneAndTwoThreads) {
  const auto a = random_spd<3>(5000, 20000, 1, 3);
  const auto x = random_values(a.size(), 4);
  std::vector<double> y1(a.size()), y2(a.size()), y3(a.size());
  set_thread_count(1);
  a.apply(x, y1);
  const double dot1 = a.apply_dot(x, y3);
  EXPECT_EQ(y1, y3);
  set_thread_count(2);
  a.apply(x, y2);
  const double dot2 = a.apply_dot(x, y3);
  set_thread_count(0);
  EXPECT_EQ(y1, y2);
  EXPECT_EQ(y1, y3);
  EXPECT_EQ(dot1, dot2);
}

TEST(BlockSparse, FilterLeavesPinnedVerticesAnIdentityOfTheirOwn) {
  auto a = random_spd<3>(10, 30, 1, 5);
  Eigen::MatrixXd expected = a.dense();
  std::vector<std::uint8_t> pinned(10, 0);
  for (Eigen::Index i : {0, 4, 9}) {
    pinned[static_cast<std::size_t>(i)] = 1;
    expected.middleRows<3>(3 * i).setZero();
    expected.middleCols<3>(3 * i).setZero();
    expected.block<3, 3>(3 * i, 3 * i).setIdentity();
  }
  a.filter(pinned);
  EXPECT_EQ(a.dense(), expected);
}

TEST(BlockSparse, ANanInOneRowDoesNotLeakIntoRowsThatDoNotUseIt) {
  // The kernel reads four numbers where three are meant; the fourth must not count.
  BlockSparseSymmetric<3> a(3, std::vector<VertexPair>{{0, 1}});
  for (std::size_t i = 0; i < 2; ++i) a.add_diagonal(i, Mat3::Identity());
  a.add_diagonal(2, Mat3::Constant(std::numeric_limits<double>::quiet_NaN()));
  a.add_edge(0, 1, Mat3::Identity());
  const std::vector<double> x(9, 1.0);
  std::vector<double> y(9);
  a.apply(x, y);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(y[k], 2.0);
  EXPECT_TRUE(std::isnan(y[6]));
}

TEST(BlockSparse, AMatrixWithoutEdgesOrVerticesWorks) {
  BlockSparseSymmetric<3> empty(0, {});
  empty.apply({}, {});
  EXPECT_EQ(empty.apply_dot({}, {}), 0);
  BlockSparseSymmetric<3> lone(1, {});
  lone.add_diagonal(0, 2 * Mat3::Identity());
  std::vector<double> y(3);
  lone.apply(std::vector<double>{1, 2, 3}, y);
  EXPECT_EQ(y, (std::vector<double>{2, 4, 6}));
}

}  // namespace
}  // namespace selkie::linalg
