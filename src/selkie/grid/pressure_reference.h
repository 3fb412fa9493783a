// The pressure system assembled as a sparse matrix and solved by linalg's conjugate gradients, plain or with
// incomplete Cholesky: the reference that the multigrid solver is compared with. Shares no code with it.
#pragma once

#include "selkie/grid/pressure.h"
#include "selkie/linalg/block_sparse.h"

namespace selkie::grid {

struct AssembledPressure {
  linalg::BlockSparseSymmetric<1> matrix;
  std::vector<Index> cells;         // of each unknown
  std::vector<std::size_t> region;  // of each unknown
  std::vector<char> closed;         // of each region
};
// Fluid cells with an open face become unknowns in the order of the grid.
AssembledPressure assemble(const PressureDomain<double>& domain);

enum class ReferenceMethod { conjugate_gradients, incomplete_cholesky };
// p with mean zero in closed regions and zero outside fluid cells.
linalg::SolveReport reference_solve(const PressureDomain<double>& domain, View<const double> b,
                                    View<double> p, ReferenceMethod method, double tolerance,
                                    int max_iterations);

}  // namespace selkie::grid
