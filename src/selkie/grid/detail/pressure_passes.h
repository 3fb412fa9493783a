// Passes of conjugate gradients over the vectors of a pressure problem, each fused so that a vector is
// touched once. Slabs of planes are independent; sums are taken over fixed slabs.
#pragma once

#include "selkie/grid/detail/stencil.h"

namespace selkie::grid::detail {

template <class Real>
struct Passes {
  const Stencil<Real>* stencil = nullptr;
  int slab = 1;        // planes
  Buffer<Real> edges;  // first and last plane of each slab, see turn()
  Buffer<Real> rows;   // one per slab
  Buffer<Real> zero_plane;

  void prepare(const Stencil<Real>& matrix);

  // p = z + β p (p = z for β = 0); returns pᵀ A p.
  double turn(double beta, const float* z, Real* p);
  // x += α p, r −= α A p; `single` receives r as float if it is another vector. Returns rᵀr.
  double advance(double alpha, const Real* p, View<Real> x, Real* r, float* single);
  // r = b − A x on active cells (x with zero elsewhere); returns rᵀr. Without data in x: r = b.
  double residual(View<const Real> b, View<const Real> x, Real* r, float* single);
  // y = A x.
  void multiply(View<const Real> x, View<Real> y);
  // Zero outside active cells.
  void clear_inactive(View<Real> x);

 private:
  Real* row_of(std::size_t first_plane) {
    return rows.data() + static_cast<std::ptrdiff_t>(first_plane) / slab * stencil->shape.row();
  }
};

}  // namespace selkie::grid::detail
