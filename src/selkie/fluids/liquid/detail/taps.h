// Where a particle meets a staggered lattice: the first sample along each axis and the weights of the two
// (hat) or three (quadratic) samples from there. Positions are in cells; a lattice is shifted from cell
// corners by half a cell along every axis but its own. The ghost layer around a field belongs to it here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "selkie/grid/field.h"

namespace selkie::liquid::detail {

// Particles keep this far from the sides, so that their taps stay within the ghost layer; in cells.
inline constexpr double kMargin = 1e-3;

template <class Real>
inline int floor_of(Real s) {  // for s > −2
  return static_cast<int>(s + 2) - 2;
}

// A staggered field for sampling: pointers to element (0,0,0).
template <class Real, int Dims>
struct Faces {
  std::array<const Real*, 3> at{};
  std::ptrdiff_t row = 0, plane = 0;

  Faces(const grid::Shape& shape, const std::array<const Buffer<Real>*, 3>& fields)
      : row(shape.row()), plane(shape.plane()) {
    for (std::size_t a = 0; a < Dims; ++a) at[a] = fields[a]->data() + shape.first();
  }
};

// Both positions of a point on the lattices along one axis: on samples at corners and at middles.
template <class Real>
struct AxisTaps {
  int corner, middle;          // lower sample
  Real corner_f, middle_f;  // share of the upper one

  explicit AxisTaps(Real x) {
    corner = floor_of(x), corner_f = x - static_cast<Real>(corner);
    const Real m = x - Real(0.5);
    middle = floor_of(m), middle_f = m - static_cast<Real>(middle);
  }
};

template <class Real, int Dims>
inline Real interpolate(const Real* f, std::ptrdiff_t row, std::ptrdiff_t plane, Real a, Real b, Real c) {
  auto along_x = [a](const Real* p) { return p[0] + a * (p[1] - p[0]); };
  auto along_y = [&](const Real* p) {
    const Real low = along_x(p), high = along_x(p + row);
    return low + b * (high - low);
  };
  const Real front = along_y(f);
  if constexpr (Dims == 2) return front;
  else {
    const Real back = along_y(f + plane);
    return front + c * (back - front);
  }
}

// Velocity at a point by hat weights.
template <class Real, int Dims>
inline std::array<Real, 3> sample(const Faces<Real, Dims>& faces, const std::array<Real, 3>& x) {
  const AxisTaps<Real> tx(x[0]), ty(x[1]);
  if constexpr (Dims == 2) {
    return {interpolate<Real, 2>(faces.at[0] + tx.corner + ty.middle * faces.row, faces.row, 0, tx.corner_f,
                                 ty.middle_f, Real(0)),
            interpolate<Real, 2>(faces.at[1] + tx.middle + ty.corner * faces.row, faces.row, 0, tx.middle_f,
                                 ty.corner_f, Real(0)),
            Real(0)};
  } else {
    const AxisTaps<Real> tz(x[2]);
    const std::ptrdiff_t row = faces.row, plane = faces.plane;
    return {interpolate<Real, 3>(faces.at[0] + tx.corner + ty.middle * row + tz.middle * plane, row, plane,
                                 tx.corner_f, ty.middle_f, tz.middle_f),
            interpolate<Real, 3>(faces.at[1] + tx.middle + ty.corner * row + tz.middle * plane, row, plane,
                                 tx.middle_f, ty.corner_f, tz.middle_f),
            interpolate<Real, 3>(faces.at[2] + tx.middle + ty.middle * row + tz.corner * plane, row, plane,
                                 tx.middle_f, ty.middle_f, tz.corner_f)};
  }
}

// Three samples along one axis with the weights of a quadratic B-spline; samples beyond the lattice are left
// out, their weight is zero.
template <class Real>
struct QuadraticTaps {
  std::array<int, 3> index;
  std::array<Real, 3> weight, slope;  // slope: d weight / d position, per cell
  std::array<Real, 3> way;            // from the point to the sample, cells

  QuadraticTaps(Real x, bool middle, int samples) {
    const Real s = middle ? x - Real(0.5) : x;
    const int nearest = floor_of(s + Real(0.5));
    const Real d = s - static_cast<Real>(nearest);
    weight = {Real(0.5) * (Real(0.5) - d) * (Real(0.5) - d), Real(0.75) - d * d,
              Real(0.5) * (Real(0.5) + d) * (Real(0.5) + d)};
    for (int t = 0; t < 3; ++t) {
      const auto n = static_cast<std::size_t>(t);
      index[n] = nearest + t - 1;
      way[n] = static_cast<Real>(t - 1) - d;
      if (index[n] < 0 || index[n] >= samples) index[n] = std::clamp(index[n], 0, samples - 1), weight[n] = 0;
    }
  }
};

}  // namespace selkie::liquid::detail
