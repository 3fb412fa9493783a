// What happens in one row of cells, per kind of run. `row` pointers point at cell 0; x neighbours are at ±1,
// the others in rows of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "selkie/grid/detail/stencil.h"

// Before a loop whose iterations touch different memory. Without it compilers compare all pointers before
// every loop, which costs as much as a short run itself.
#if defined(__clang__)
#define SELKIE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define SELKIE_INDEPENDENT _Pragma("GCC ivdep")
#else
#define SELKIE_INDEPENDENT
#endif

namespace selkie::grid::detail {

template <class Real>
struct Rows {
  const Real *centre, *y_low, *y_high, *z_low, *z_high;
};

// Σ w·neighbour of cell i; `block` is advanced by the caller to hold cell `begin` at index 0.
template <RunKind kind, class Real>
struct NeighbourSum {
  Rows<Real> rows;
  std::array<Real, 3> open;
  const Real* block;
  int begin, length;

  Real operator()(int i) const {
    if constexpr (kind == RunKind::general) {
      const Real* w = block + (i - begin);
      return w[kXLow * length] * rows.centre[i - 1] + w[kXHigh * length] * rows.centre[i + 1] +
             (w[kYLow * length] * rows.y_low[i] + w[kYHigh * length] * rows.y_high[i]) +
             (w[kZLow * length] * rows.z_low[i] + w[kZHigh * length] * rows.z_high[i]);
    } else {
      return open[0] * (rows.centre[i - 1] + rows.centre[i + 1]) +
             open[1] * (rows.y_low[i] + rows.y_high[i]) + open[2] * (rows.z_low[i] + rows.z_high[i]);
    }
  }
};

// product = A · centre in a row.
template <class Real>
void multiply_row(const Stencil<Real>& stencil, int j, int k, const Rows<Real>& rows,
                  Real* __restrict product) {
  const Real diagonal = stencil.diagonal();
  for_each_run(stencil, j, k, [&](auto kind, int begin, int end, const Real* block) {
    const int length = end - begin;
    if constexpr (kind() == RunKind::empty) {
      std::fill(product + begin, product + end, Real(0));
    } else {
      const NeighbourSum<kind(), Real> sum{rows, stencil.open, block, begin, length};
      const Real* __restrict x = rows.centre;
      if constexpr (kind() == RunKind::regular) {
        SELKIE_INDEPENDENT
        for (int i = begin; i < end; ++i) product[i] = diagonal * x[i] - sum(i);
      } else {
        const Real* own = block + kDiagonal * length - begin;
        const Real* active = block + kActive * length - begin;
        SELKIE_INDEPENDENT
        for (int i = begin; i < end; ++i) product[i] = own[i] * x[i] - active[i] * sum(i);
      }
    }
  });
}

// Dot product of two rows with sixteen fixed lanes, in double.
template <class Real>
double dot_row(const Real* __restrict a, const Real* __restrict b, int count) {
  constexpr int kLanes = 16;
  double lane[kLanes] = {};
  int i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int l = 0; l < kLanes; ++l) lane[l] += static_cast<double>(a[i + l]) * static_cast<double>(b[i + l]);
  double sum = 0;
  for (; i < count; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) lane[l] += lane[l + half];
  return sum + lane[0];
}

}  // namespace selkie::grid::detail
