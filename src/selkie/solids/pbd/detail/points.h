// How groups of eight points are read and written, one register per component, and the arithmetic that
// constraints need of registers. Included by .cpp files only.
#pragma once

#include <cmath>
#include <cstdint>

#include "selkie/math/lanes.h"
#include "selkie/math/types.h"
#include "selkie/solids/pbd/detail/vector3.h"

namespace selkie::pbd {
namespace detail {

using namespace lanes;

// Eight points (x, y, z, inverse mass), one component per register.
struct Points {
  Vector3<Lanes> at;
  Lanes w;
};

inline Points gather(const Vec4* points, const std::uint32_t* vertices) {
  const double* base = points->data();
  auto pair = [&](int low) {
    const Half a = load_half(base + 4 * std::size_t{vertices[low]});
    const Half b = load_half(base + 4 * std::size_t{vertices[low + 4]});
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
    store_half(base + 4 * std::size_t{vertices[low]}, __builtin_shufflevector(v, v, 0, 1, 2, 3));
    store_half(base + 4 * std::size_t{vertices[low + 4]}, __builtin_shufflevector(v, v, 4, 5, 6, 7));
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
  static Lanes root(const Lanes& a) { return lanes::root(a); }
  static Lanes angle(const Lanes& sine, const Lanes& cosine) {
    Lanes v{};
    for (int l = 0; l < 8; ++l) v[l] = std::atan2(sine[l], cosine[l]);
    return v;
  }
  static Lanes larger(const Lanes& a, const Lanes& b) { return lanes::larger(a, b); }
};

}  // namespace selkie::pbd
