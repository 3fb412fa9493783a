// What SparseCholesky needs of a factorisation. The matrix comes already permuted, as the upper triangle in
// compressed columns; backends add no ordering of their own.
#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <memory>
#include <span>

namespace selkie::linalg::detail {

class SpdFactor {
 public:
  virtual ~SpdFactor() = default;
  virtual void analyse(const Eigen::SparseMatrix<double>& upper) = 0;
  virtual bool factorize(const Eigen::SparseMatrix<double>& upper) = 0;  // false: not positive definite
  virtual void solve(std::span<double> x) = 0;                           // in place
  virtual std::size_t nonzeros() const = 0;
};

// Null in builds without CHOLMOD.
std::unique_ptr<SpdFactor> make_cholmod_factor();

}  // namespace selkie::linalg::detail
