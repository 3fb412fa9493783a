// Sixteen float or eight double particles at once, one to a lane of 64 bytes. What happens in a lane never
// depends on the others nor on the width of the machine's registers; sums over lanes have one fixed order.
// Included by kernels only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "selkie/fluids/liquid/detail/taps.h"

namespace selkie::liquid::detail {

template <class Real>
inline constexpr int kLanes = 64 / static_cast<int>(sizeof(Real));

template <class Real>
struct LaneTypes {
  typedef Real Values __attribute__((vector_size(64)));
  typedef std::int32_t Counts __attribute__((vector_size(4 * kLanes<Real>)));
  typedef Real Halves __attribute__((vector_size(32)));
  typedef Real Quarters __attribute__((vector_size(16)));
};
template <class Real>
using Lanes = typename LaneTypes<Real>::Values;
template <class Real>
using LaneCounts = typename LaneTypes<Real>::Counts;

// The first `count` lanes from memory, the others like the last of them.
template <class Real>
inline Lanes<Real> load_lanes(const Real* p, int count) {
  Lanes<Real> v;
  if (count >= kLanes<Real>) {
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  for (int l = 0; l < kLanes<Real>; ++l) v[l] = p[l < count ? l : count - 1];
  return v;
}
template <class Real>
inline void store_lanes(Real* p, const Lanes<Real>& v, int count) {
  std::memcpy(p, &v, static_cast<std::size_t>(count < kLanes<Real> ? count : kLanes<Real>) * sizeof(Real));
}
// Whatever lies at p, of which `count` lanes count: the others become `otherwise`, which may not even have
// been a number. Buffers end with 64 bytes of room.
template <class Real>
inline Lanes<Real> load_first(const Real* p, const Lanes<Real>& number, Real count, Real otherwise) {
  Lanes<Real> v;
  std::memcpy(&v, p, sizeof v);
  return number < count ? v : otherwise - Lanes<Real>{};
}
// 0, 1, 2, …
template <class Real>
inline Lanes<Real> lane_numbers() {
  Lanes<Real> v{};
  for (int l = 0; l < kLanes<Real>; ++l) v[l] = static_cast<Real>(l);
  return v;
}

// Sum over lanes: halves onto each other.
template <class Real>
inline Real sum_lanes(const Lanes<Real>& v) {
  typename LaneTypes<Real>::Halves half[2];
  std::memcpy(half, &v, sizeof v);
  half[0] += half[1];
  typename LaneTypes<Real>::Quarters quarter[2];
  std::memcpy(quarter, half, sizeof quarter);
  quarter[0] += quarter[1];
  if constexpr (sizeof(Real) == 8)
    return quarter[0][0] + quarter[0][1];
  else
    return (quarter[0][0] + quarter[0][2]) + (quarter[0][1] + quarter[0][3]);
}

// Lane l of low and high: p[index[l]] and the element after it.
template <class Real>
inline void gather_pairs(const Real* p, const std::int32_t* index, Lanes<Real>& low, Lanes<Real>& high) {
  for (int l = 0; l < kLanes<Real>; ++l) low[l] = p[index[l]], high[l] = p[index[l] + 1];
}
#if defined(__AVX512F__)
// A masked broadcast from memory costs a load and a blend; gather instructions take several times as long.
inline __m512 eight_pairs(const float* p, const std::int32_t* index) {
  auto pair = [&](int l) {
    double both;
    std::memcpy(&both, p + index[l], sizeof both);
    return _mm_set_sd(both);
  };
  __m512d v = _mm512_castpd128_pd512(pair(0));
  v = _mm512_mask_broadcastsd_pd(v, 0x02, pair(1));
  v = _mm512_mask_broadcastsd_pd(v, 0x04, pair(2));
  v = _mm512_mask_broadcastsd_pd(v, 0x08, pair(3));
  v = _mm512_mask_broadcastsd_pd(v, 0x10, pair(4));
  v = _mm512_mask_broadcastsd_pd(v, 0x20, pair(5));
  v = _mm512_mask_broadcastsd_pd(v, 0x40, pair(6));
  return _mm512_castpd_ps(_mm512_mask_broadcastsd_pd(v, 0x80, pair(7)));
}
template <>
inline void gather_pairs(const float* p, const std::int32_t* index, Lanes<float>& low, Lanes<float>& high) {
  const __m512 first = eight_pairs(p, index), second = eight_pairs(p, index + 8);
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  low = _mm512_permutex2var_ps(first, even, second);
  high = _mm512_permutex2var_ps(first, odd, second);
}
#endif

// AxisTaps of many points.
template <class Real>
struct LaneTaps {
  LaneCounts<Real> corner, middle;
  Lanes<Real> corner_f, middle_f;

  explicit LaneTaps(const Lanes<Real>& x) {
    corner = floor_lanes(x), corner_f = x - __builtin_convertvector(corner, Lanes<Real>);
    const Lanes<Real> m = x - Real(0.5);
    middle = floor_lanes(m), middle_f = m - __builtin_convertvector(middle, Lanes<Real>);
  }
  static LaneCounts<Real> floor_lanes(const Lanes<Real>& s) {  // for s > −2
    return __builtin_convertvector(s + Real(2), LaneCounts<Real>) - 2;
  }
};

template <class Real, int Dims>
inline Lanes<Real> interpolate_lanes(const Real* f, std::ptrdiff_t row, std::ptrdiff_t plane,
                                     const LaneCounts<Real>& at, const Lanes<Real>& a, const Lanes<Real>& b,
                                     const Lanes<Real>& c) {
  std::int32_t index[kLanes<Real>];
  std::memcpy(index, &at, sizeof index);
  auto along_x = [&](const Real* p) {
    Lanes<Real> low, high;
    gather_pairs<Real>(p, index, low, high);
    return low + a * (high - low);
  };
  auto along_y = [&](const Real* p) {
    const Lanes<Real> low = along_x(p), high = along_x(p + row);
    return low + b * (high - low);
  };
  const Lanes<Real> front = along_y(f);
  if constexpr (Dims == 2) return front;
  const Lanes<Real> back = along_y(f + plane);
  return front + c * (back - front);
}

// Velocity at many points by hat weights: `sample` of taps.h in every lane.
template <class Real, int Dims>
inline void sample_lanes(const Faces<Real, Dims>& faces, const std::array<Lanes<Real>, 3>& x,
                         std::array<Lanes<Real>, 3>& u) {
  const std::array<LaneTaps<Real>, 3> taps{LaneTaps<Real>(x[0]), LaneTaps<Real>(x[1]), LaneTaps<Real>(x[2])};
  const auto row = static_cast<std::int32_t>(faces.row), plane = static_cast<std::int32_t>(faces.plane);
  for (std::size_t axis = 0; axis < Dims; ++axis) {
    auto at = [&](std::size_t b) { return axis == b ? taps[b].corner : taps[b].middle; };
    auto part = [&](std::size_t b) { return axis == b ? taps[b].corner_f : taps[b].middle_f; };
    LaneCounts<Real> index = at(0) + at(1) * row;
    if constexpr (Dims == 3) index += at(2) * plane;
    u[axis] = interpolate_lanes<Real, Dims>(faces.at[axis], faces.row, faces.plane, index, part(0), part(1), part(2));
  }
}

}  // namespace selkie::liquid::detail
