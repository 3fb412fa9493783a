// Eight doubles as one vector, one per constraint of a group, and how eight points are read and written.
// GCC/Clang vector extensions, with the few intrinsics the compilers do not derive. Included by .cpp files
// only.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "selkie/math/types.h"
#include "selkie/solids/pbd/detail/vector3.h"

namespace selkie::pbd {
namespace detail {

typedef double Lanes __attribute__((vector_size(64)));
typedef double Point __attribute__((vector_size(32)));
typedef std::int64_t Mask __attribute__((vector_size(64)));

inline Lanes load(const double* p) {
  Lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(double* p, const Lanes& v) { std::memcpy(p, &v, sizeof v); }
inline Point load_point(const double* p) {
  Point v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store_point(double* p, const Point& v) { std::memcpy(p, &v, sizeof v); }
inline Lanes all(double value) { return Lanes{} + value; }

// a·b + c rounded once where the processor can.
inline Lanes madd(const Lanes& a, const Lanes& b, const Lanes& c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#else
  return a * b + c;
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

// Eight points (x, y, z, inverse mass), one component per register.
struct Points {
  Vector3<Lanes> at;
  Lanes w;
};

inline Points gather(const Vec4* points, const std::uint32_t* vertices) {
  const double* base = points->data();
  auto pair = [&](int low) {
    const Point a = load_point(base + 4 * std::size_t{vertices[low]});
    const Point b = load_point(base + 4 * std::size_t{vertices[low + 4]});
    return Lanes(__builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7));
  };
  const Lanes a = pair(0), b = pair(1), c = pair(2), d = pair(3);
  const Lanes ab_xz = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
  const Lanes ab_yw = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  const Lanes cd_xz = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
  const Lanes cd_yw = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
  return {{__builtin_shufflevector(ab_xz, cd_xz, 0, 1, 8, 9, 4, 5, 12, 13),
           __builtin_shufflevector(ab_yw, cd_yw, 0, 1, 8, 9, 4, 5, 12, 13),
           __builtin_shufflevector(ab_xz, cd_xz, 2, 3, 10, 11, 6, 7, 14, 15)},
          __builtin_shufflevector(ab_yw, cd_yw, 2, 3, 10, 11, 6, 7, 14, 15)};
}

inline void scatter(Vec4* points, const std::uint32_t* vertices, const Points& p) {
  double* base = points->data();
  const Lanes xy_even = __builtin_shufflevector(p.at.x, p.at.y, 0, 8, 2, 10, 4, 12, 6, 14);
  const Lanes xy_odd = __builtin_shufflevector(p.at.x, p.at.y, 1, 9, 3, 11, 5, 13, 7, 15);
  const Lanes zw_even = __builtin_shufflevector(p.at.z, p.w, 0, 8, 2, 10, 4, 12, 6, 14);
  const Lanes zw_odd = __builtin_shufflevector(p.at.z, p.w, 1, 9, 3, 11, 5, 13, 7, 15);
  auto put = [&](int low, const Lanes& v) {
    store_point(base + 4 * std::size_t{vertices[low]}, __builtin_shufflevector(v, v, 0, 1, 2, 3));
    store_point(base + 4 * std::size_t{vertices[low + 4]}, __builtin_shufflevector(v, v, 4, 5, 6, 7));
  };
  put(0, __builtin_shufflevector(xy_even, zw_even, 0, 1, 8, 9, 4, 5, 12, 13));
  put(1, __builtin_shufflevector(xy_odd, zw_odd, 0, 1, 8, 9, 4, 5, 12, 13));
  put(2, __builtin_shufflevector(xy_even, zw_even, 2, 3, 10, 11, 6, 7, 14, 15));
  put(3, __builtin_shufflevector(xy_odd, zw_odd, 2, 3, 10, 11, 6, 7, 14, 15));
}

}  // namespace detail

template <>
struct Scalar<detail::Lanes> {
  using Lanes = detail::Lanes;
  static Lanes root(const Lanes& a) {
#if defined(__AVX512F__)
    return _mm512_maskz_sqrt_pd(0xff, a);  // the unmasked one trips -Wuninitialized in GCC 12
#else
    Lanes v{};
    for (int l = 0; l < 8; ++l) v[l] = std::sqrt(a[l]);
    return v;
#endif
  }
  static Lanes angle(const Lanes& sine, const Lanes& cosine) {
    Lanes v{};
    for (int l = 0; l < 8; ++l) v[l] = std::atan2(sine[l], cosine[l]);
    return v;
  }
  static Lanes larger(const Lanes& a, const Lanes& b) { return a > b ? a : b; }
};

}  // namespace selkie::pbd
