// The symmetric 7-point (5-point) matrix of a pressure problem, stored where it is not trivial. A row of
// cells is cut into runs: `regular` ones, where every face is open and nothing touches air, need no
// coefficients at all; the others keep theirs in a block. Vectors hold zero in inactive cells and in the
// ghost layer.
//
// Internally every grid is three-dimensional: (x, y) of a 2-D grid become (x, z) with one row per plane, so
// that planes are what parallel work is cut into.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "selkie/core/function_ref.h"
#include "selkie/grid/field.h"
#include "selkie/grid/shape.h"

namespace selkie::grid::detail {

enum class RunKind : std::uint8_t {
  empty,    // no active cell
  regular,  // every face open to an active cell, no air
  unit,     // faces open or towards inactive cells (whose values are zero): only the diagonal is its own
  general,
};
struct Run {
  std::int32_t begin, end;
  RunKind kind;
  std::uint32_t block;  // of its coefficients: kCoefficients arrays of end − begin values
};

enum Coefficient {
  kXLow,
  kXHigh,
  kYLow,
  kYHigh,
  kZLow,
  kZHigh,  // of the six faces; zero towards inactive cells
  kAir,    // Σ w/θ over faces towards air
  kDiagonal,
  kInverse,   // of the diagonal; 0 in inactive cells
  kActive,    // 1 or 0
  kTransfer,  // factor of the coarse correction: falls off towards air, 0 in inactive cells
  kCoefficients
};

template <class Real>
struct StencilPlane {
  std::vector<Run> runs;
  std::vector<std::uint32_t> row_begin;  // of each row's runs, and the end
  std::vector<Real> blocks;
};

template <class Real>
struct Stencil {
  Shape shape;                        // three-dimensional
  std::array<Real, 3> open{1, 1, 1};  // coefficient of a fully open face along each axis
  std::vector<StencilPlane<Real>> planes;
  Buffer<std::uint8_t> active;  // per cell; ghosts 0

  Real diagonal() const { return 2 * (open[0] + open[1] + open[2]); }  // of a regular cell
  std::ptrdiff_t y_stride() const { return shape.cells()[1] == 1 ? 0 : shape.row(); }
};

template <RunKind kind>
using RunTag = std::integral_constant<RunKind, kind>;

// body(RunTag, begin, end, block) for the runs of a row.
template <class Real, class Body>
void for_each_run(const Stencil<Real>& stencil, int j, int k, Body&& body) {
  const StencilPlane<Real>& plane = stencil.planes[static_cast<std::size_t>(k)];
  const auto row = static_cast<std::size_t>(j);
  for (std::uint32_t n = plane.row_begin[row]; n < plane.row_begin[row + 1]; ++n) {
    const Run& run = plane.runs[n];
    const Real* block = plane.blocks.data() + run.block;
    switch (run.kind) {
      case RunKind::empty:
        body(RunTag<RunKind::empty>{}, run.begin, run.end, block);
        break;
      case RunKind::regular:
        body(RunTag<RunKind::regular>{}, run.begin, run.end, block);
        break;
      case RunKind::unit:
        body(RunTag<RunKind::unit>{}, run.begin, run.end, block);
        break;
      case RunKind::general:
        body(RunTag<RunKind::general>{}, run.begin, run.end, block);
        break;
    }
  }
}

// One row with all its coefficients, as a builder fills it.
template <class Real>
struct DenseRow {
  std::array<std::vector<Real>, 6> face;  // kXLow … kZHigh
  std::vector<Real> air;                  // Σ w/θ over faces towards air
  void resize(std::size_t cells) {
    for (auto& values : face) values.assign(cells, 0);
    air.assign(cells, 0);
  }
};

// Fills stencil.planes; `row(j, k, dense)` gives a row whose faces towards inactive cells are zero. shape,
// open and active must be set.
template <class Real>
void build_rows(Stencil<Real>& stencil, FunctionRef<void(int, int, DenseRow<Real>&)> row);
// The inverse of it.
template <class Real>
void expand_row(const Stencil<Real>& stencil, int j, int k, DenseRow<Real>& dense);

// The 3-D shape of the vectors that belong to a grid.
inline Shape internal_shape(const Shape& outer) {
  const Index n = outer.cells();
  return outer.dims() == 3 ? outer : Shape(3, {n[0], 1, n[1]}, outer.cell_size());
}
// A caller's field seen with internal indices.
template <class T>
View<T> internal_view(const Shape& outer, View<T> field) {
  if (outer.dims() == 2) field.plane = field.row, field.row = 0;
  return field;
}

// Slabs of planes that parallel work is cut into; depends on the grid alone. Fifteen-odd planes keep what
// neighbouring slabs compute twice small.
inline int slab_planes(const Shape& shape) {
  const Index n = shape.cells();
  const long plane_cells = static_cast<long>(n[0]) * n[1];
  if (plane_cells * n[2] <= 4096) return n[2];
  const long by_size = 262144 / plane_cells, by_count = (n[2] + 3) / 4;
  const long planes = by_size < by_count ? by_size : by_count;
  return static_cast<int>(planes < 8 ? 8 : planes);
}

}  // namespace selkie::grid::detail
