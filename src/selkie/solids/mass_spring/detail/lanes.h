// Four doubles as one vector: GCC/Clang vector extensions, with the few intrinsics the compilers do not
// derive. Included by .cpp files only.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace selkie::mass_spring::detail {

typedef double Lanes __attribute__((vector_size(32)));
typedef std::int64_t Mask __attribute__((vector_size(32)));

inline Lanes load(const double* p) {
  Lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(double* p, const Lanes& v) { std::memcpy(p, &v, sizeof v); }
inline Lanes all(double value) { return Lanes{value, value, value, value}; }
inline Lanes keep(const Mask& mask, const Lanes& v) {
  return reinterpret_cast<Lanes>(reinterpret_cast<Mask>(v) & mask);
}
inline Lanes choose(const Mask& mask, const Lanes& yes, const Lanes& no) { return mask ? yes : no; }
inline Lanes larger(const Lanes& a, const Lanes& b) { return a > b ? a : b; }
inline Lanes smaller(const Lanes& a, const Lanes& b) { return a < b ? a : b; }

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

}  // namespace selkie::mass_spring::detail
