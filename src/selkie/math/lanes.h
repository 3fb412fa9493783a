// Eight doubles as one vector, and the arithmetic they share with single numbers. GCC/Clang vector
// extensions, with the few intrinsics the compilers do not derive. Included by kernels only.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace selkie::lanes {

inline constexpr std::size_t kLaneCount = 8;

typedef double Lanes __attribute__((vector_size(64)));
typedef double Half __attribute__((vector_size(32)));
typedef std::int64_t Mask __attribute__((vector_size(64)));

inline Lanes load(const double* p) {
  Lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(double* p, const Lanes& v) { std::memcpy(p, &v, sizeof v); }
inline Half load_half(const double* p) {
  Half v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store_half(double* p, const Half& v) { std::memcpy(p, &v, sizeof v); }
inline Lanes all(double value) { return Lanes{} + value; }

// a·b + c rounded once where the processor can.
inline double madd(const double& a, const double& b, const double& c) { return a * b + c; }
inline Lanes madd(const Lanes& a, const Lanes& b, const Lanes& c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#else
  return a * b + c;
#endif
}

inline Lanes larger(const Lanes& a, const Lanes& b) { return a > b ? a : b; }
inline bool any(const Mask& mask) {
  std::int64_t bits = 0;
  for (int l = 0; l < 8; ++l) bits |= mask[l];
  return bits != 0;
}
// In an order of its own, the same on every machine.
inline double sum(const Lanes& v) {
  const Half half = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  return (half[0] + half[2]) + (half[1] + half[3]);
}

inline Lanes root(const Lanes& a) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_pd(0xff, a);  // the unmasked one trips -Wuninitialized in GCC 12
#else
  Lanes v{};
  for (int l = 0; l < 8; ++l) v[l] = std::sqrt(a[l]);
  return v;
#endif
}
// 1/√a. With AVX-512 a 14-bit estimate and two Newton steps: half the time of √ and division, at most the
// last bits off.
inline Lanes inverse_root(const Lanes& a) {
#if defined(__AVX512F__)
  const __m512d half = _mm512_set1_pd(0.5), half_a = _mm512_mul_pd(half, a);
  __m512d y = _mm512_rsqrt14_pd(a);
  y = _mm512_fmadd_pd(y, _mm512_fnmadd_pd(_mm512_mul_pd(half_a, y), y, half), y);
  y = _mm512_fmadd_pd(y, _mm512_fnmadd_pd(_mm512_mul_pd(half_a, y), y, half), y);
  return y;
#else
  Lanes v{};
  for (int l = 0; l < 8; ++l) v[l] = 1 / std::sqrt(a[l]);
  return v;
#endif
}
inline double logarithm(const double& a) { return std::log(a); }
inline Lanes logarithm(const Lanes& a) {
  Lanes v{};
  for (int l = 0; l < 8; ++l) v[l] = std::log(a[l]);
  return v;
}

}  // namespace selkie::lanes
