// Vectors as wide as the machine's registers: GCC/Clang vector extensions, with intrinsics for gathers. What
// is computed in a lane never depends on the width. Included by kernels only.
#pragma once

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
// Pairs of floats are fetched as doubles: half as many loads as two gathers.
template <>
inline void gather_pairs(const float* p, const std::int32_t* offset, Lanes<float>& low, Lanes<float>& high) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i index = _mm512_add_epi32(_mm512_loadu_si512(offset), lane);
  const __m512d zero = _mm512_setzero_pd();
  const __m512d first = _mm512_mask_i32gather_pd(zero, 0xff, _mm512_castsi512_si256(index), p, sizeof(float));
  const __m512d second =
      _mm512_mask_i32gather_pd(zero, 0xff, _mm512_extracti64x4_epi64(index, 1), p, sizeof(float));
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  low = _mm512_permutex2var_ps(_mm512_castpd_ps(first), even, _mm512_castpd_ps(second));
  high = _mm512_permutex2var_ps(_mm512_castpd_ps(first), odd, _mm512_castpd_ps(second));
}
template <>
inline void gather_pairs(const double* p, const std::int32_t* offset, Lanes<double>& low,
                         Lanes<double>& high) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i index = _mm256_add_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset)), lane);
  const __m512d zero = _mm512_setzero_pd();
  low = _mm512_mask_i32gather_pd(zero, 0xff, index, p, sizeof(double));
  high = _mm512_mask_i32gather_pd(zero, 0xff, index, p + 1, sizeof(double));
}
#elif defined(__AVX2__)
template <>
inline void gather_pairs(const float* p, const std::int32_t* offset, Lanes<float>& low, Lanes<float>& high) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i index = _mm256_add_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset)), lane);
  low = _mm256_i32gather_ps(p, index, sizeof(float));
  high = _mm256_i32gather_ps(p + 1, index, sizeof(float));
}
#endif

}  // namespace selkie::grid::detail
