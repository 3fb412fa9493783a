// Symmetric sparse matrices of B×B blocks on a graph: one block per vertex and one per undirected edge (the
// tangent stiffness of springs and elements, RT-11). The pattern is built once; values are refilled every
// step without allocation.
//
// Only the upper half is stored. A product gathers row by row: the upper part of a row is contiguous, the
// lower part refers to the blocks of earlier rows, which a sensible vertex order still holds in cache.
// Nothing is scattered, so every row is summed in one fixed order and the bits do not depend on the number of
// threads.
#pragma once

#include <Eigen/SparseCore>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/linalg/operator.h"
#include "selkie/math/types.h"

namespace selkie::linalg {

using VertexPair = std::array<std::uint32_t, 2>;

// The place of an edge's block; it also remembers which way round the edge was named, so that a caller may
// always pass the block A_ij of the edge (i, j) as he wrote it.
class Slot {
 public:
  Slot() = default;
  Slot(std::uint32_t index, bool reversed) : bits_(index << 1 | static_cast<std::uint32_t>(reversed)) {}
  std::uint32_t index() const { return bits_ >> 1; }
  bool reversed() const { return (bits_ & 1) != 0; }
  friend bool operator==(Slot, Slot) = default;

 private:
  std::uint32_t bits_ = 0;
};

// Which blocks exist. Immutable: belongs into a Model and may be shared by many matrices.
class BlockPattern {
 public:
  // Edges may be named either way round and more than once (two springs between the same vertices share a
  // slot); an edge from a vertex to itself is a programmer's error.
  BlockPattern(std::size_t vertex_count, std::span<const VertexPair> edges);

  std::size_t vertex_count() const { return upper_begin_.size() - 1; }
  std::size_t slot_count() const { return upper_column_.size(); }

  // One slot per edge, in the order of the constructor's list.
  std::span<const Slot> edge_slots() const { return edge_slots_; }
  // The slot of (i, j), i ≠ j; the edge must exist. Binary search: for set-up, not for inner loops.
  Slot find(std::size_t i, std::size_t j) const;

  // Compressed rows. Upper: slots [upper_begin[i], upper_begin[i+1]) hold A_ij for j = upper_column[slot] >
  // i. Lower: entries [lower_begin[i], lower_begin[i+1]) name the earlier rows j < i with the slot of A_ji.
  // Both ascend in j.
  struct LowerEntry {
    std::uint32_t column, slot;
  };
  std::span<const std::uint32_t> upper_begin() const { return upper_begin_; }
  std::span<const std::uint32_t> upper_column() const { return upper_column_; }
  std::span<const std::uint32_t> lower_begin() const { return lower_begin_; }
  std::span<const LowerEntry> lower() const { return lower_; }

 private:
  std::vector<std::uint32_t> upper_begin_, upper_column_, lower_begin_;
  std::vector<LowerEntry> lower_;
  std::vector<Slot> edge_slots_;
};

template <int B = 3>
class BlockSparseSymmetric final : public Operator {
 public:
  using Block = Eigen::Matrix<double, B, B>;

  explicit BlockSparseSymmetric(std::shared_ptr<const BlockPattern> pattern);  // all zero
  BlockSparseSymmetric(std::size_t vertex_count, std::span<const VertexPair> edges)
      : BlockSparseSymmetric(std::make_shared<const BlockPattern>(vertex_count, edges)) {}

  const BlockPattern& pattern() const { return *pattern_; }
  const std::shared_ptr<const BlockPattern>& shared_pattern() const { return pattern_; }
  std::size_t vertex_count() const { return pattern_->vertex_count(); }
  std::size_t size() const override { return B * vertex_count(); }

  // Filling. Adding to different vertices and slots may run in parallel; two edges that share a slot may not.
  void set_zero();
  void add_diagonal(std::size_t i, const Block& block) { diagonal_[i] += block; }
  void add_edge(Slot slot, const Block& a_ij) {
    if (slot.reversed())
      upper_[slot.index()] += a_ij.transpose();
    else
      upper_[slot.index()] += a_ij;
  }
  void add_edge(std::size_t i, std::size_t j, const Block& a_ij) { add_edge(pattern_->find(i, j), a_ij); }

  Block& diagonal(std::size_t i) { return diagonal_[i]; }
  const Block& diagonal(std::size_t i) const { return diagonal_[i]; }
  std::span<Block> diagonals() { return diagonal_; }
  std::span<const Block> diagonals() const { return diagonal_; }
  std::span<Block> upper_blocks() { return upper_; }  // by slot index: A_ij with i < j
  std::span<const Block> upper_blocks() const { return upper_; }

  // Restricts vertices to a plane or line: with S the projector of a vertex (constraint_of[i] ≥ 0 picks it
  // from `projectors`, otherwise S = I) blocks become S_i A_ij S_j, and the removed directions get the
  // diagonal's mean, so that the matrix stays positive definite.
  void project(std::span<const std::int32_t> constraint_of, std::span<const Block> projectors);

  // Takes pinned vertices (mask ≠ 0) out of the system: their rows and columns become zero and their diagonal
  // the identity. The right side of a pinned vertex is then its solution (RT-09 "Pinned"); what its column
  // contributed to free rows must have been moved to the right side before, or be zero.
  void filter(std::span<const std::uint8_t> pinned);

  void apply(std::span<const double> x, std::span<double> y) const override;
  double apply_dot(std::span<const double> x, std::span<double> y) const override;

  // The lower triangle in compressed columns. A matrix from an earlier call on the same pattern only has its
  // values refilled; every B×B block stays in place even where it is zero.
  void to_lower(Eigen::SparseMatrix<double>& lower) const;
  Eigen::MatrixXd dense() const;  // for tests and very small systems

 private:
  void multiply_rows(std::size_t begin, std::size_t end, const double* x, double* y) const;

  std::shared_ptr<const BlockPattern> pattern_;
  Buffer<Block> diagonal_;
  Buffer<Block> upper_;
};

extern template class BlockSparseSymmetric<1>;
extern template class BlockSparseSymmetric<2>;
extern template class BlockSparseSymmetric<3>;

}  // namespace selkie::linalg
