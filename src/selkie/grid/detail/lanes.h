// Vectors as wide as the machine's registers: GCC/Clang vector extensions, with intrinsics for gathers. What
// is computed in a lane never depends on the width. Included by kernels only.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace selkie::grid::detail {

#if defined(__AVX512F__)
inline constexpr int kLaneBytes = 64;
#elif defined(__AVX__)
inline constexpr int kLaneBytes = 32;
#else
inline constexpr int kLaneBytes = 16;
#endif

template <class T>
struct LaneType {
  typedef T type __attribute__((vector_size(kLaneBytes)));
};
template <class T>
using Lanes = typename LaneType<T>::type;
template <class T>
inline constexpr int kLanes = kLaneBytes / static_cast<int>(sizeof(T));

template <class T>
inline Lanes<T> load(const T* p) {
  Lanes<T> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
inline void store(T* p, const Lanes<T>& v) {
  std::memcpy(p, &v, sizeof v);
}

// Whether kLanes<T> offsets are one and the same.
template <class T>
inline bool all_equal(const std::int32_t* offset) {
  std::int32_t difference = 0;
  for (int l = 1; l < kLanes<T>; ++l) difference |= offset[l] ^ offset[0];
  return difference == 0;
}

// Lane l of low and high: p[l + offset[l]] and the element after it.
template <class T>
inline void gather_pairs(const T* p, const std::int32_t* offset, Lanes<T>& low, Lanes<T>& high) {
  for (int l = 0; l < kLanes<T>; ++l) {
    low[l] = p[l + offset[l]];
    high[l] = p[l + offset[l] + 1];
  }
}

#if defined(__AVX512F__)
// Eight pairs of floats from p, offsets relative to their own lanes. A masked broadcast from memory costs a
// load and a blend; the gather instruction takes some three times as long on machines with guarded gathers.
inline __m512d eight_pairs(const float* p, const std::int32_t* offset) {
  auto pair = [&](int l) {
    double both;
    std::memcpy(&both, p + l + offset[l], sizeof both);
    return _mm_set_sd(both);
  };
  __m512d v = _mm512_castpd128_pd512(pair(0));
  v = _mm512_mask_broadcastsd_pd(v, 0x02, pair(1));
  v = _mm512_mask_broadcastsd_pd(v, 0x04, pair(2));
  v = _mm512_mask_broadcastsd_pd(v, 0x08, pair(3));
  v = _mm512_mask_broadcastsd_pd(v, 0x10, pair(4));
  v = _mm512_mask_broadcastsd_pd(v, 0x20, pair(5));
  v = _mm512_mask_broadcastsd_pd(v, 0x40, pair(6));
  return _mm512_mask_broadcastsd_pd(v, 0x80, pair(7));
}
template <>
inline void gather_pairs(const float* p, const std::int32_t* offset, Lanes<float>& low, Lanes<float>& high) {
  const __m512 first = _mm512_castpd_ps(eight_pairs(p, offset));
  const __m512 second = _mm512_castpd_ps(eight_pairs(p + 8, offset + 8));
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  low = _mm512_permutex2var_ps(first, even, second);
  high = _mm512_permutex2var_ps(first, odd, second);
}
#endif
#if defined(__AVX512DQ__)
inline __m512d four_pairs(const double* p, const std::int32_t* offset) {
  auto pair = [&](int l) { return _mm_loadu_pd(p + l + offset[l]); };
  __m512d v = _mm512_castpd128_pd512(pair(0));
  v = _mm512_mask_broadcast_f64x2(v, 0x0c, pair(1));
  v = _mm512_mask_broadcast_f64x2(v, 0x30, pair(2));
  return _mm512_mask_broadcast_f64x2(v, 0xc0, pair(3));
}
template <>
inline void gather_pairs(const double* p, const std::int32_t* offset, Lanes<double>& low,
                         Lanes<double>& high) {
  const __m512d first = four_pairs(p, offset), second = four_pairs(p + 4, offset + 4);
  low = _mm512_permutex2var_pd(first, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), second);
  high = _mm512_permutex2var_pd(first, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), second);
}
#endif
#if defined(__AVX2__) && !defined(__AVX512F__)
template <>
inline void gather_pairs(const float* p, const std::int32_t* offset, Lanes<float>& low, Lanes<float>& high) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i index = _mm256_add_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset)), lane);
  low = _mm256_i32gather_ps(p, index, sizeof(float));
  high = _mm256_i32gather_ps(p + 1, index, sizeof(float));
}
#endif

// Kernels are written once for a V that is Lanes<T> or, for the samples left over at a row's end, T.
inline float load_as(const float* p, float) { return *p; }
inline double load_as(const double* p, double) { return *p; }
template <class T>
inline Lanes<T> load_as(const T* p, const Lanes<T>&) {
  return load(p);
}

template <class T>
inline void put(T* p, T v) {
  *p = v;
}
template <class T>
inline void put(T* p, const Lanes<T>& v) {
  store(p, v);
}

// 0, 1, 2, …
template <class T>
inline T ramp(T) {
  return 0;
}
template <class T>
inline Lanes<T> ramp(const Lanes<T>&) {
  Lanes<T> v;
  for (int l = 0; l < kLanes<T>; ++l) v[l] = T(l);
  return v;
}

// As many 32-bit integers as Lanes<T> has lanes.
template <class T>
struct CountType {
  typedef std::int32_t type __attribute__((vector_size(kLanes<T> * 4)));
};
template <class T>
using Counts = typename CountType<T>::type;
template <class T>
inline std::int32_t to_count(T v) {
  return static_cast<std::int32_t>(v);
}
template <class T>
inline Counts<T> to_count(const Lanes<T>& v) {
  return __builtin_convertvector(v, Counts<T>);
}

template <class T>
inline T floor_of(T v) {
  return std::floor(v);
}
template <class T>
inline Lanes<T> floor_of(const Lanes<T>& v) {
  Lanes<T> r;
  for (int l = 0; l < kLanes<T>; ++l) r[l] = std::floor(v[l]);
  return r;
}
// b where a is NaN. The masked forms of intrinsics below spare a false warning of GCC 12.
template <class V>
inline V larger(const V& a, const V& b) {
  return a > b ? a : b;
}
template <class V>
inline V smaller(const V& a, const V& b) {
  return a < b ? a : b;
}
#if defined(__AVX512F__)
template <>
inline Lanes<float> floor_of<float>(const Lanes<float>& v) {
  return _mm512_maskz_roundscale_ps(0xffff, v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
template <>
inline Lanes<double> floor_of<double>(const Lanes<double>& v) {
  return _mm512_maskz_roundscale_pd(0xff, v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
inline Lanes<float> larger(const Lanes<float>& a, const Lanes<float>& b) {
  return _mm512_maskz_max_ps(0xffff, a, b);
}
inline Lanes<float> smaller(const Lanes<float>& a, const Lanes<float>& b) {
  return _mm512_maskz_min_ps(0xffff, a, b);
}
inline Lanes<double> larger(const Lanes<double>& a, const Lanes<double>& b) {
  return _mm512_maskz_max_pd(0xff, a, b);
}
inline Lanes<double> smaller(const Lanes<double>& a, const Lanes<double>& b) {
  return _mm512_maskz_min_pd(0xff, a, b);
}
#endif

}  // namespace selkie::grid::detail
