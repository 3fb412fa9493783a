// Multilinear interpolation and its bounds for a row of stencils. Where the stencils of a whole vector lie
// side by side (nearly everywhere in a smooth flow) corners are plain loads; elsewhere they are gathered. The
// arithmetic is the same, so both give the same bits.
//
// a + s(b − a) leaves [a, b] by an ulp when s is near 1; measured from the nearer end it does not. So a
// first- order value never leaves the range of its corners, a constant stays constant, and a ray that ends on
// a sample takes its value exactly.
#pragma once

#include <array>
#include <cstddef>

#include "selkie/grid/detail/lanes.h"
#include "selkie/grid/detail/rows.h"

namespace selkie::grid::detail {

template <class T, int Dims>
struct Ray {
  alignas(64) std::int32_t offset[kSegment];  // of the stencil's low corner from the sample's own element
  alignas(64) T share[Dims][kSegment];        // of the upper corner along each axis
};

// The corners of the stencils at samples l …, V a vector or T itself. Bit a of the corner's number: upper
// side along axis a.
template <class T, int Dims>
inline void read_corners(const T* own, const std::array<std::ptrdiff_t, 3>& step, const Ray<T, Dims>& ray,
                         int l, Lanes<T> (&corner)[1 << Dims]) {
  const std::int32_t* const offset = ray.offset + l;
  const T* const base = own + l;
  if (all_equal<T>(offset)) {
    for (int n = 0; n < (1 << Dims); ++n)
      corner[n] =
          load(base + offset[0] + (n & 1 ? step[0] : 0) + (n & 2 ? step[1] : 0) + (n & 4 ? step[2] : 0));
    return;
  }
  for (int n = 0; n < (1 << Dims); n += 2)
    gather_pairs(base + (n & 2 ? step[1] : 0) + (n & 4 ? step[2] : 0), offset, corner[n], corner[n + 1]);
}
template <class T, int Dims>
inline void read_corners(const T* own, const std::array<std::ptrdiff_t, 3>& step, const Ray<T, Dims>& ray,
                         int l, T (&corner)[1 << Dims]) {
  const T* const base = own + l + ray.offset[l];
  for (int n = 0; n < (1 << Dims); ++n)
    corner[n] = base[(n & 1 ? step[0] : 0) + (n & 2 ? step[1] : 0) + (n & 4 ? step[2] : 0)];
}

inline float load_as(const float* p, float) { return *p; }
inline double load_as(const double* p, double) { return *p; }
template <class T>
inline Lanes<T> load_as(const T* p, const Lanes<T>&) {
  return load(p);
}

// Folds the corners axis by axis, x first.
template <class T, int Dims, class V>
inline V blend(V (&corner)[1 << Dims], const Ray<T, Dims>& ray, int l) {
  for (int axis = 0; axis < Dims; ++axis) {
    const V share = load_as(ray.share[axis] + l, V{});
    const auto near_low = share < T(0.5);
    const V part = near_low ? share : share - T(1);
    for (int n = 0; n < (1 << (Dims - axis - 1)); ++n) {
      const V& low = corner[2 * n];
      const V& high = corner[2 * n + 1];
      corner[n] = (near_low ? low : high) + part * (high - low);
    }
  }
  return corner[0];
}
template <int Corners, class V>
inline void range(const V (&corner)[Corners], V& lo, V& hi) {
  lo = hi = corner[0];
  for (int n = 1; n < Corners; ++n) {
    lo = corner[n] < lo ? corner[n] : lo;
    hi = corner[n] > hi ? corner[n] : hi;
  }
}

// body(l, V{}) for vectors along the row, then for the samples left over.
template <class T, class Body>
inline void along_row(int count, Body&& body) {
  int l = 0;
  for (; l + kLanes<T> <= count; l += kLanes<T>) body(l, Lanes<T>{});
  for (; l < count; ++l) body(l, T{});
}
template <class T>
inline void put(T* p, T v) {
  *p = v;
}
template <class T>
inline void put(T* p, const Lanes<T>& v) {
  store(p, v);
}

// out = the field at the rays' ends; `own` is the field's element at the first sample of the row.
template <class T, int Dims>
void interpolate_row(const T* own, const std::array<std::ptrdiff_t, 3>& step, const Ray<T, Dims>& ray,
                     int count, T* out) {
  along_row<T>(count, [&](int l, auto kind) {
    decltype(kind) corner[1 << Dims];
    read_corners<T, Dims>(own, step, ray, l, corner);
    put<T>(out + l, blend<T, Dims>(corner, ray, l));
  });
}

// lo, hi = the range of the 2^d values around the rays' ends.
template <class T, int Dims>
void bound_row(const T* own, const std::array<std::ptrdiff_t, 3>& step, const Ray<T, Dims>& ray, int count,
               T* lo, T* hi) {
  along_row<T>(count, [&](int l, auto kind) {
    decltype(kind) corner[1 << Dims], low, high;
    read_corners<T, Dims>(own, step, ray, l, corner);
    range(corner, low, high);
    put<T>(lo + l, low);
    put<T>(hi + l, high);
  });
}

}  // namespace selkie::grid::detail
