// Multilinear interpolation, and the range of what it reads, at the ends of the rays of a row. Displacements
// are relative to the sample's own cell, so that float loses nothing far from the origin.
//
// Where the stencils of a whole vector lie side by side corners are plain loads; elsewhere they are gathered.
// The arithmetic is the same, so both give the same bits.
//
// a + s(b − a) leaves [a, b] by an ulp when s is near 1; measured from the nearer end it does not. So a
// first- order value never leaves the range of its corners, a constant stays constant, and a ray that ends on
// a sample takes its value exactly.
#pragma once

#include "selkie/grid/detail/lanes.h"
#include "selkie/grid/detail/rows.h"

namespace selkie::grid::detail {

// Where rays go, in cells: sign · along.
template <class T, int Dims>
struct Displacement {
  T sign = 1;
  alignas(64) T along[Dims][kSegment];
};

// A lattice as the samples of one row see it, along one axis. Indices are kept in T, where they are exact.
template <class T>
struct RowAxis {
  T own = 0;                          // index of the row's first sample
  T growth = 0;                       // of the own index from sample to sample: 1 along x
  T shift = 0;                        // of the sample from the lattice point of its own index
  T count = 1, inverse = 1, top = 0;  // samples; the highest base of a stencil
  bool periodic = false;
  std::int32_t stride = 1;
};
template <class T, int Dims>
struct RowLattice {
  RowAxis<T> axis[Dims];
  std::array<std::ptrdiff_t, 3> step{};

  // Rays start at samples of `place` and end on the samples of `value`, described by `on`.
  RowLattice(const Samples& on, Place value, Place place, const Segment& s) : step(on.step) {
    for (int a = 0; a < Dims; ++a) {
      const auto n = static_cast<std::size_t>(a);
      const int count = on.count[n];
      axis[a] = {T(s.index(a)),  T(a == 0 ? 1 : 0), T(0.5) * T(int(is_low(value, a)) - int(is_low(place, a))),
                 T(count),       T(1) / T(count),   T(on.periodic[n] ? count - 1 : count > 1 ? count - 2 : 0),
                 on.periodic[n], on.stride[n]};
    }
  }
};

// The stencils of the samples l …; V is a vector or T itself.
template <class T, int Dims, class V>
struct RayEnd {
  V share[Dims];                                           // of the upper corner along each axis
  alignas(64) std::int32_t offset[sizeof(V) / sizeof(T)];  // of the low corner from the sample's own element
};
template <class T, int Dims, class V>
inline void locate(const RowLattice<T, Dims>& lattice, const Displacement<T, Dims>& ray, int l,
                   RayEnd<T, Dims, V>& stencil) {
  auto offset = to_count<T>(V{});
  const V zero{}, one = zero + T(1);
  for (int a = 0; a < Dims; ++a) {
    const RowAxis<T>& axis = lattice.axis[a];
    const V moved = ray.sign * load_as(ray.along[a] + l, V{}) + axis.shift;
    const V whole = floor_of<T>(moved), own = axis.own + axis.growth * (T(l) + ramp<T>(V{}));
    V base = own + whole, part;
    if (axis.periodic) {
      part = moved - whole;
      base = base - axis.count * floor_of<T>(base * axis.inverse);
      base = base < T(0) ? base + axis.count : base;  // the quotient may have been rounded
      base = base >= axis.count ? base - axis.count : base;
      base = smaller(larger(base, zero), V(zero + axis.top));  // NaN, and rays of 10⁷ cells
    } else {
      base = smaller(larger(base, zero), V(zero + axis.top));
      part = smaller(larger(V(moved - (base - own)), zero), one);
    }
    stencil.share[a] = part + (moved - moved);  // adds nothing, or NaN where the velocity is not finite
    offset = offset + to_count<T>(V(base - own)) * axis.stride;
  }
  std::memcpy(stencil.offset, &offset, sizeof offset);
}

// The corners of the stencils. Bit a of a corner's number: upper side along axis a.
template <class T, int Dims>
inline void read_corners(const T* own, const std::array<std::ptrdiff_t, 3>& step,
                         const RayEnd<T, Dims, Lanes<T>>& stencil, Lanes<T> (&corner)[1 << Dims]) {
  const std::int32_t* const offset = stencil.offset;
  if (all_equal<T>(offset)) {
    const T* const base = own + offset[0];
    for (int n = 0; n < (1 << Dims); ++n)
      corner[n] = load(base + (n & 1 ? step[0] : 0) + (n & 2 ? step[1] : 0) + (n & 4 ? step[2] : 0));
    return;
  }
  for (int n = 0; n < (1 << Dims); n += 2)
    gather_pairs(own + (n & 2 ? step[1] : 0) + (n & 4 ? step[2] : 0), offset, corner[n], corner[n + 1]);
}
template <class T, int Dims>
inline void read_corners(const T* own, const std::array<std::ptrdiff_t, 3>& step,
                         const RayEnd<T, Dims, T>& stencil, T (&corner)[1 << Dims]) {
  const T* const base = own + stencil.offset[0];
  for (int n = 0; n < (1 << Dims); ++n)
    corner[n] = base[(n & 1 ? step[0] : 0) + (n & 2 ? step[1] : 0) + (n & 4 ? step[2] : 0)];
}

// Folds the corners axis by axis, x first.
template <class T, int Dims, class V>
inline V blend(V (&corner)[1 << Dims], const V (&shares)[Dims]) {
  for (int a = 0; a < Dims; ++a) {
    const V& share = shares[a];
    const auto near_low = share < T(0.5);
    const V part = near_low ? share : share - T(1);
    for (int n = 0; n < (1 << (Dims - a - 1)); ++n) {
      const V low = corner[2 * n], high = corner[2 * n + 1];
      corner[n] = (near_low ? low : high) + part * (high - low);
    }
  }
  return corner[0];
}

// body(l, stencil) along the row. Stencils are found a few vectors ahead of their use: their offsets pass
// through memory, and the processor would wait for them.
template <class T, int Dims, class Body>
inline void each_stencil(const RowLattice<T, Dims>& lattice, const Displacement<T, Dims>& ray, int count,
                         Body&& body) {
  constexpr int kAhead = 4, kWidth = kLanes<T>;
  RayEnd<T, Dims, Lanes<T>> stencils[kAhead];
  int l = 0;
  for (; l + kAhead * kWidth <= count; l += kAhead * kWidth) {
    for (int n = 0; n < kAhead; ++n) locate<T, Dims>(lattice, ray, l + n * kWidth, stencils[n]);
    for (int n = 0; n < kAhead; ++n) body(l + n * kWidth, stencils[n]);
  }
  for (; l + kWidth <= count; l += kWidth) {
    locate<T, Dims>(lattice, ray, l, stencils[0]);
    body(l, stencils[0]);
  }
  for (; l < count; ++l) {
    RayEnd<T, Dims, T> one;
    locate<T, Dims>(lattice, ray, l, one);
    body(l, one);
  }
}

// out = the field at the rays' ends; `own` is the field's element at the first sample of the row.
template <class T, int Dims>
void interpolate_row(const T* own, const RowLattice<T, Dims>& lattice, const Displacement<T, Dims>& ray,
                     int count, T* out) {
  each_stencil<T, Dims>(lattice, ray, count, [&]<class V>(int l, const RayEnd<T, Dims, V>& stencil) {
    V corner[1 << Dims];
    read_corners<T, Dims>(own + l, lattice.step, stencil, corner);
    put<T>(out + l, blend<T, Dims>(corner, stencil.share));
  });
}

// The range of the corners.
template <int Corners, class V>
inline void range_of(const V (&corner)[Corners], V& low, V& high) {
  low = high = corner[0];
  for (int n = 1; n < Corners; ++n) {
    low = smaller(corner[n], low);
    high = larger(corner[n], high);
  }
}

// lo, hi = the range of the 2^d values around the rays' ends.
template <class T, int Dims>
void bound_row(const T* own, const RowLattice<T, Dims>& lattice, const Displacement<T, Dims>& ray, int count,
               T* lo, T* hi) {
  each_stencil<T, Dims>(lattice, ray, count, [&]<class V>(int l, const RayEnd<T, Dims, V>& stencil) {
    V corner[1 << Dims], low, high;
    read_corners<T, Dims>(own + l, lattice.step, stencil, corner);
    range_of(corner, low, high);
    put<T>(lo + l, low);
    put<T>(hi + l, high);
  });
}

// Both at once.
template <class T, int Dims>
void interpolate_and_bound_row(const T* own, const RowLattice<T, Dims>& lattice,
                               const Displacement<T, Dims>& ray, int count, T* out, T* lo, T* hi) {
  each_stencil<T, Dims>(lattice, ray, count, [&]<class V>(int l, const RayEnd<T, Dims, V>& stencil) {
    V corner[1 << Dims], low, high;
    read_corners<T, Dims>(own + l, lattice.step, stencil, corner);
    range_of(corner, low, high);
    put<T>(lo + l, low);
    put<T>(hi + l, high);
    put<T>(out + l, blend<T, Dims>(corner, stencil.share));
  });
}

}  // namespace selkie::grid::detail
