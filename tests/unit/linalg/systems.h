// Systems the tests of this folder solve: random block matrices and a spring sheet.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "selkie/core/random.h"
#include "selkie/linalg/block_sparse.h"

namespace selkie::linalg {

inline std::vector<VertexPair> random_edges(std::size_t vertex_count, std::size_t edge_count,
                                            std::uint64_t seed) {
  RandomStream random(seed, 1);
  std::vector<VertexPair> edges;
  while (edges.size() < edge_count) {
    const auto i = static_cast<std::uint32_t>(random.bits() % vertex_count);
    const auto j = static_cast<std::uint32_t>(random.bits() % vertex_count);
    if (i != j) edges.push_back({i, j});
  }
  return edges;
}

template <int B>
Eigen::Matrix<double, B, B> random_block(RandomStream& random) {
  return Eigen::Matrix<double, B, B>::NullaryExpr(
      [&](Eigen::Index, Eigen::Index) { return random.uniform(-1, 1); });
}

// Positive definite: every edge adds GᵀG on its pair of vertices (with off-diagonal blocks that are not
// symmetric), every vertex `mass` times the identity.
template <int B>
BlockSparseSymmetric<B> random_spd(std::size_t vertex_count, std::size_t edge_count, double mass,
                                   std::uint64_t seed) {
  const auto edges = random_edges(vertex_count, edge_count, seed);
  BlockSparseSymmetric<B> a(vertex_count, edges);
  RandomStream random(seed, 2);
  using Block = typename BlockSparseSymmetric<B>::Block;
  for (std::size_t i = 0; i < vertex_count; ++i) a.add_diagonal(i, mass * Block::Identity());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Block gi = random_block<B>(random), gj = random_block<B>(random);
    a.add_diagonal(edges[e][0], gi.transpose() * gi);
    a.add_diagonal(edges[e][1], gj.transpose() * gj);
    a.add_edge(a.pattern().edge_slots()[e], gi.transpose() * gj);
  }
  return a;
}

// The implicit matrix of a square sheet of side×side vertices: mass on the diagonal and, for every spring
// along rows, columns and diagonals, stiffness along the spring and a tenth of it across (RT-09 to RT-11).
inline BlockSparseSymmetric<3> spring_sheet(std::uint32_t side, double mass, double stiffness) {
  std::vector<VertexPair> edges;
  std::vector<Vec3> directions;
  auto join = [&](std::uint32_t x, std::uint32_t y, std::uint32_t dx, std::uint32_t dy) {
    if (x + dx >= side || y + dy >= side) return;
    edges.push_back({y * side + x, (y + dy) * side + x + dx});
    directions.push_back(Vec3(dx, dy, 0).normalized());
  };
  for (std::uint32_t y = 0; y < side; ++y)
    for (std::uint32_t x = 0; x < side; ++x) {
      join(x, y, 1, 0);
      join(x, y, 0, 1);
      join(x, y, 1, 1);
    }
  BlockSparseSymmetric<3> a(std::size_t{side} * side, edges);
  for (std::size_t i = 0; i < a.vertex_count(); ++i) a.add_diagonal(i, mass * Mat3::Identity());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Mat3 k = stiffness * (0.1 * Mat3::Identity() + 0.9 * directions[e] * directions[e].transpose());
    a.add_diagonal(edges[e][0], k);
    a.add_diagonal(edges[e][1], k);
    a.add_edge(a.pattern().edge_slots()[e], -k);
  }
  return a;
}

inline std::vector<double> random_values(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, 3);
  std::vector<double> values(count);
  for (double& value : values) value = random.uniform(-1, 1);
  return values;
}

inline Eigen::Map<const Eigen::VectorXd> as_eigen(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace selkie::linalg
