// Preconditioners for block matrices: none, Jacobi, block Jacobi and incomplete Cholesky without fill. Build
// one per pattern and refresh() it whenever the values change; neither refresh() nor apply() allocates after
// the first time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/linalg/block_sparse.h"
#include "selkie/linalg/operator.h"

namespace selkie::linalg {

class IdentityPreconditioner final : public Preconditioner {
 public:
  void apply(std::span<const double> r, std::span<double> z) const override;
};

// z_k = r_k / A_kk. Entries that are not positive are replaced by 1 and counted.
class JacobiPreconditioner final : public Preconditioner {
 public:
  template <int B>
  int refresh(const BlockSparseSymmetric<B>& a);  // returns how many entries were replaced
  int refresh(std::span<const double> diagonal);  // for matrix-free operators

  void apply(std::span<const double> r, std::span<double> z) const override;
  double apply_dot(std::span<const double> r, std::span<double> z) const override;

 private:
  Buffer<double> inverse_;
};

// z_i = A_ii⁻¹ r_i with B×B blocks. Blocks that are not positive definite fall back to Jacobi and are
// counted.
template <int B = 3>
class BlockJacobiPreconditioner final : public Preconditioner {
 public:
  int refresh(const BlockSparseSymmetric<B>& a);  // returns how many blocks fell back

  void apply(std::span<const double> r, std::span<double> z) const override;
  double apply_dot(std::span<const double> r, std::span<double> z) const override;

 private:
  Buffer<Eigen::Matrix<double, B, B>> inverse_;
};

struct [[nodiscard]] IncompleteCholeskyReport {
  bool ok = true;    // false: even the largest shift broke down (or a value is not finite); do not use it
  int retries = 0;   // how often the diagonal was raised
  double shift = 0;  // the factorisation is that of A + shift·diag(A)
};

// A ≈ L Lᵀ with the block pattern of A's lower triangle (IC(0), [Saad03 §10.3]). When a pivot breaks down the
// diagonal is raised and the factorisation repeated [Manteuffel80].
//
// Vertices are cut into chunks of fixed size whose mutual coupling is ignored, so that chunks factorise and
// solve in parallel; the cut depends on the vertex count alone, not on threads. One chunk converges in fewest
// iterations.
template <int B = 3>
class IncompleteCholesky final : public Preconditioner {
 public:
  static constexpr std::size_t kOneChunk = 0;
  explicit IncompleteCholesky(std::size_t chunk_vertices = kOneChunk) : chunk_(chunk_vertices) {}

  IncompleteCholeskyReport refresh(const BlockSparseSymmetric<B>& a);
  void apply(std::span<const double> r, std::span<double> z) const override;

 private:
  using Block = Eigen::Matrix<double, B, B>;
  bool factorize(const BlockSparseSymmetric<B>& a, double shift);
  bool factorize_rows(const BlockSparseSymmetric<B>& a, double shift, std::size_t begin, std::size_t end);
  void solve_rows(std::size_t begin, std::size_t end, const double* r, double* z) const;
  std::size_t chunk_size() const;

  std::size_t chunk_;
  std::shared_ptr<const BlockPattern> pattern_;
  Buffer<Block> inverse_diagonal_;  // L_ii⁻¹
  Buffer<Block> upper_;             // L_jiᵀ, i < j, by slot
};

extern template class BlockJacobiPreconditioner<1>;
extern template class BlockJacobiPreconditioner<2>;
extern template class BlockJacobiPreconditioner<3>;
extern template class IncompleteCholesky<1>;
extern template class IncompleteCholesky<2>;
extern template class IncompleteCholesky<3>;

}  // namespace selkie::linalg
