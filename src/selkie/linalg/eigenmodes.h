// Lowest modes of K φ = λ M φ for a sparse symmetric K ≥ 0 and a diagonal M > 0: what vibrates slowest.
// Implicitly restarted Lanczos [Lehoucq98] (by Spectra) on the inverse of K + sM, factorised once; small
// systems, or those asked for a large share of their modes, by a dense decomposition.
#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <span>
#include <string>

namespace selkie::linalg {

struct EigenmodeOptions {
  std::size_t count = 10;    // modes wanted; at most unknowns less excluded ones
  double shift = 0;          // s, added to every λ inside: positive where K alone is singular
  double tolerance = 1e-10;  // relative, of 1/(λ + s)
};

struct [[nodiscard]] Eigenmodes {
  bool ok = true;
  std::string trouble = {};  // when not ok
  Eigen::VectorXd values = {};  // λ, ascending
  // Columns with φᵀ M φ = 1 and φᵢᵀ M φⱼ = 0; the first of the largest entries is positive.
  Eigen::MatrixXd vectors = {};
  int solves = 0;  // with the factors
};

// `lower` is the lower triangle of K, `masses` the diagonal of M. The modes are those in the M-orthogonal
// complement of the columns of `excluded` (motions without force, say), of which there may be none. The same
// bits for any number of threads.
Eigenmodes lowest_eigenmodes(const Eigen::SparseMatrix<double>& lower, std::span<const double> masses,
                             const Eigen::MatrixXd& excluded, const EigenmodeOptions& options);

}  // namespace selkie::linalg
