// Scratch of the implicit methods: matrix, factorisation, right side.
#pragma once

#include <Eigen/SparseCore>
#include <memory>

#include "selkie/linalg/block_sparse.h"
#include "selkie/linalg/cholesky.h"
#include "selkie/linalg/pcg.h"

namespace selkie::surface_water {

struct ImplicitWork {
  std::unique_ptr<linalg::BlockSparseSymmetric<1>> matrix;
  std::vector<std::array<linalg::Slot, 3>> slots;  // per face: of the edges opposite to its corners
  linalg::SparseCholesky cholesky;
  linalg::PcgWork pcg;
  Buffer<double> right, solution, weight, curvature;
};
void poison(ImplicitWork& work);

}  // namespace selkie::surface_water
