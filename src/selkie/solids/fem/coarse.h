// A coarse space for the preconditioner of large bodies: a lattice over the rest shape whose nodes move the
// vertices by (tri)linear interpolation. Block Jacobi alone needs as many iterations as elements that a
// pressure wave crosses in a step; with the lattice's answer added [two-level Schwarz, Smith96 §1] it needs
// as many as fit into a lattice cell. The lattice's stiffness is integrated over eighths of its cells from
// the elements' rotations with Hooke's constants, for every law: a preconditioner need not be exact.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/linalg/block_sparse.h"
#include "selkie/linalg/cholesky.h"
#include "selkie/math/types.h"

namespace selkie::fem {

struct Model;
struct Work;
struct SystemWeights;

inline constexpr std::size_t kCellCorners = 8;  // 4 used in the plane

// Belongs to the Model; empty for small bodies.
struct CoarseSpace {
  struct Entry {
    std::uint32_t vertex = 0;
    double weight = 0;
  };
  std::vector<std::array<std::uint32_t, kCellCorners>> nodes;  // per vertex
  std::vector<std::array<double, kCellCorners>> weights;
  std::vector<std::uint32_t>
      entry_begin;  // node p interpolates entries[entry_begin[p]] … [entry_begin[p + 1]]
  std::vector<Entry> entries;

  // Parts of cells with the elements whose centroids they hold, and the gradients of the cell's nodes there.
  struct Part {
    std::array<std::uint32_t, kCellCorners> nodes{};
    std::array<Vec3, kCellCorners> gradients{};
  };
  std::vector<Part> parts;
  std::vector<std::uint32_t> part_begin, part_elements;
  std::shared_ptr<const linalg::BlockPattern> pattern;

  std::size_t node_count() const { return pattern ? pattern->vertex_count() : 0; }
};

// Scratch of the preconditioner.
struct CoarseSystem {
  explicit CoarseSystem(std::shared_ptr<const linalg::BlockPattern> pattern) : matrix(std::move(pattern)) {}
  linalg::BlockSparseSymmetric<3> matrix;
  linalg::SparseCholesky cholesky;
  Buffer<double> rhs, solution;
};

// For a body of at least kLeastForCoarse vertices; empty below.
inline constexpr std::size_t kLeastForCoarse = 1000;
CoarseSpace make_coarse_space(const Model& model);

// Fills and factorises the lattice's matrix for the tangents, constraints and diagonal in `work`. False if it
// could not be factorised: then do without.
bool refresh_coarse(const Model& model, const SystemWeights& weights, Work& work);

// z += S P A_c⁻¹ Pᵀ r.
void add_coarse_correction(const Model& model, std::span<const double> r, std::span<double> z, Work& work);

}  // namespace selkie::fem
