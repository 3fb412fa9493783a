// Four doubles as one vector, and eight where the processor has AVX-512: GCC/Clang vector extensions, with
// the few intrinsics the compilers do not derive. Included by .cpp files only.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "selkie/math/lanes.h"

namespace selkie::mass_spring::detail {

typedef double Lanes __attribute__((vector_size(32)));
typedef std::int64_t Mask __attribute__((vector_size(32)));
#if defined(__AVX512F__)
typedef double EightLanes __attribute__((vector_size(64)));
typedef EightLanes WidestLanes;
#else
typedef Lanes WidestLanes;
#endif

template <class V>
constexpr std::size_t kLanes = sizeof(V) / sizeof(double);

template <class V>
inline V load_as(const double* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline Lanes load(const double* p) { return load_as<Lanes>(p); }
template <class V>
inline void store(double* p, const V& v) {
  std::memcpy(p, &v, sizeof v);
}
template <class V>
inline V all_as(double value) {
  if constexpr (kLanes<V> == 4)
    return V{value, value, value, value};
  else
    return V{value, value, value, value, value, value, value, value};
}
inline Lanes all(double value) { return all_as<Lanes>(value); }
template <class M, class V>
inline V keep(const M& mask, const V& v) {
  static_assert(sizeof(M) == sizeof(V));
  return reinterpret_cast<V>(reinterpret_cast<M>(v) & mask);
}
template <class M, class V>
inline V choose(const M& mask, const V& yes, const V& no) {
  return mask ? yes : no;
}
template <class V>
inline V larger(const V& a, const V& b) {
  return a > b ? a : b;
}
template <class V>
inline V smaller(const V& a, const V& b) {
  return a < b ? a : b;
}

// Sums of the components of four vectors, as the four lanes of one.
inline Lanes sums(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d) {
  const Lanes ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Lanes cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// 1/√a. With AVX-512 a 14-bit estimate and two Newton steps, which are meant to be cheaper than √ and
// division; the last bits may differ from the exact quotient.
inline Lanes inverse_sqrt(const Lanes& a) {
#if defined(__AVX512VL__) && defined(__FMA__)
  const __m256d half_a = _mm256_mul_pd(_mm256_set1_pd(0.5), a);
  const __m256d half = _mm256_set1_pd(0.5);
  __m256d y = _mm256_rsqrt14_pd(a);
  y = _mm256_fmadd_pd(y, _mm256_fnmadd_pd(_mm256_mul_pd(half_a, y), y, half), y);
  y = _mm256_fmadd_pd(y, _mm256_fnmadd_pd(_mm256_mul_pd(half_a, y), y, half), y);
  return y;
#elif defined(__AVX__)
  return all(1.0) / _mm256_sqrt_pd(a);
#else
  return Lanes{1 / std::sqrt(a[0]), 1 / std::sqrt(a[1]), 1 / std::sqrt(a[2]), 1 / std::sqrt(a[3])};
#endif
}
#if defined(__AVX512F__)
inline EightLanes inverse_sqrt(const EightLanes& a) { return lanes::inverse_root(a); }
#endif

}  // namespace selkie::mass_spring::detail
