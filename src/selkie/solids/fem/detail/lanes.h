// Eight doubles as one vector, one per element of a group, and the arithmetic they share with single numbers.
// GCC/Clang vector extensions, with the few intrinsics the compilers do not derive. Included by .cpp files
// only.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace selkie::fem::detail {

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

inline double madd(const double& a, const double& b, const double& c) { return a * b + c; }
inline Lanes madd(const Lanes& a, const Lanes& b, const Lanes& c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#else
  return a * b + c;
#endif
}
inline double logarithm(const double& a) { return std::log(a); }
inline Lanes logarithm(const Lanes& a) {
  Lanes v{};
  for (int l = 0; l < 8; ++l) v[l] = std::log(a[l]);
  return v;
}
inline Lanes larger(const Lanes& a, const Lanes& b) { return a > b ? a : b; }
inline bool any(const Mask& mask) {
  std::int64_t bits = 0;
  for (int l = 0; l < 8; ++l) bits |= mask[l];
  return bits != 0;
}

}  // namespace selkie::fem::detail
