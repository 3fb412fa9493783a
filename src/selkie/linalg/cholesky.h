// Direct solution of sparse symmetric positive definite systems: Cholesky factorisation under a
// nested-dissection ordering [Karypis98], with iterative refinement in the original matrix [Higham02 §12].
// The pattern is analysed once; new values only refactorise. The same bits for any number of threads.
#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <memory>
#include <span>

#include "selkie/linalg/block_sparse.h"
#include "selkie/linalg/solve_report.h"

namespace selkie::linalg {

enum class CholeskyBackend {
  supernodal,  // dense panels, parallel over the elimination tree: the default
  simplicial,  // Eigen's, column by column; the reference
  cholmod,     // supernodal, faster on large systems; only in builds with SELKIE_CHOLMOD
};
bool is_available(CholeskyBackend backend);

struct CholeskyOptions {
  double tolerance =
      1e-10;  // relative residual below which refinement stops and the solve counts as converged
  int max_refinements = 2;
};

class SparseCholesky {
 public:
  explicit SparseCholesky(CholeskyBackend backend = CholeskyBackend::supernodal);
  ~SparseCholesky();
  SparseCholesky(SparseCholesky&&) noexcept;
  SparseCholesky& operator=(SparseCholesky&&) noexcept;

  // Factorises A, given by its lower triangle in compressed columns. The first call analyses the pattern, and
  // so does any later one whose pattern differs. Returns false if A is not positive definite or not finite; a
  // solve then reports factorization_failed.
  [[nodiscard]] bool factorize(const Eigen::SparseMatrix<double>& lower);
  // The same for a block matrix; the ordering is found on the vertices, which is faster and no worse.
  template <int B>
  [[nodiscard]] bool factorize(const BlockSparseSymmetric<B>& a);

  // Solves A x = b; x need not be set on entry. `iterations` counts refinements and `residual` is the true
  // one, ‖b − Ax‖ / ‖b‖. Converged also if the tolerance is missed but x is as good as doubles allow, that is
  // if it solves a system whose matrix and right side differ from the given ones by round-off; otherwise
  // stagnated.
  SolveReport solve(std::span<const double> b, std::span<double> x, const CholeskyOptions& options = {});

  std::size_t size() const;
  std::size_t factor_nonzeros() const;  // of the triangular factor
  int analysis_count() const;           // how often a pattern was analysed

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace selkie::linalg
