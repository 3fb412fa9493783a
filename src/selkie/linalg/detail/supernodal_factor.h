// Numeric half of the supernodal Cholesky: left-looking over dense panels, so that nearly all work is matrix
// products. Supernodes of one level of the tree run in parallel; each writes its own panel only and sums its
// updates in a fixed order, so the bits do not depend on the thread count. [Ng93]
#pragma once

#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/linalg/detail/spd_factor.h"
#include "selkie/linalg/detail/supernodes.h"

namespace selkie::linalg::detail {

class SupernodalFactor final : public SpdFactor {
 public:
  void analyse(const Eigen::SparseMatrix<double>& upper) override;
  bool factorize(const Eigen::SparseMatrix<double>& upper) override;
  void solve(std::span<double> x) override;
  std::size_t nonzeros() const override { return analysis_.factor_nonzeros; }

 private:
  bool factorize_node(int s, const double* matrix_values);
  void assemble(const Supernode& node, const double* matrix_values);
  void subtract_updates(int s);

  SupernodalAnalysis analysis_;
  // Where each entry of the matrix goes, by target column: value number and place in the value array.
  std::vector<std::size_t> column_begin_;
  struct Entry {
    int source;
    std::size_t target;
  };
  std::vector<Entry> entries_;
  Buffer<double> values_;
  std::vector<double> permuted_, gathered_;
};

}  // namespace selkie::linalg::detail
