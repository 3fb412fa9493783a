// As many consecutive 3-vectors as a vector has lanes, in the three vectors that they fill: x0 y0 z0 x1 | y1
// … Included by .cpp files only.
#pragma once

#include "selkie/solids/mass_spring/detail/lanes.h"

namespace selkie::mass_spring::detail {

template <class V>
struct Triples {
  V a, b, c;
};

template <class V>
inline Triples<V> load_triples(const double* p) {
  return {load_as<V>(p), load_as<V>(p + kLanes<V>), load_as<V>(p + 2 * kLanes<V>)};
}
template <class V>
inline Triples<V> operator+(const Triples<V>& s, const Triples<V>& t) {
  return {s.a + t.a, s.b + t.b, s.c + t.c};
}
template <class V>
inline Triples<V> operator-(const Triples<V>& s, const Triples<V>& t) {
  return {s.a - t.a, s.b - t.b, s.c - t.c};
}

// Lane i: the product of 3-vector i of one with 3-vector i of the other. Unused places of a shuffle are −1.
inline Lanes dots(const Triples<Lanes>& s, const Triples<Lanes>& t) {
  const Lanes a = s.a * t.a, b = s.b * t.b, c = s.c * t.c;
  const Lanes x = __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 3, 6, -1), c, 0, 1, 2, 5);
  const Lanes y = __builtin_shufflevector(__builtin_shufflevector(a, b, 1, 4, 7, -1), c, 0, 1, 2, 6);
  const Lanes z = __builtin_shufflevector(__builtin_shufflevector(a, b, 2, 5, -1, -1), c, 0, 1, 4, 7);
  return x + y + z;
}

// 3-vector i times lane i.
inline Triples<Lanes> scaled(const Lanes& share, const Triples<Lanes>& t) {
  return {__builtin_shufflevector(share, share, 0, 0, 0, 1) * t.a,
          __builtin_shufflevector(share, share, 1, 1, 2, 2) * t.b,
          __builtin_shufflevector(share, share, 2, 3, 3, 3) * t.c};
}

// The same 3-vectors, each padded to four numbers with a zero.
template <class V>
struct Padded {
  V part[4];
};
inline Padded<Lanes> padded(const Triples<Lanes>& t) {
  constexpr Mask kFilled = {-1, -1, -1, 0};
  return {{keep(kFilled, t.a), keep(kFilled, __builtin_shufflevector(t.a, t.b, 3, 4, 5, -1)),
           keep(kFilled, __builtin_shufflevector(t.b, t.c, 2, 3, 4, -1)),
           keep(kFilled, __builtin_shufflevector(t.c, t.c, 1, 2, 3, -1))}};
}

#if defined(__AVX512F__)
inline EightLanes dots(const Triples<EightLanes>& s, const Triples<EightLanes>& t) {
  const EightLanes a = s.a * t.a, b = s.b * t.b, c = s.c * t.c;
  const EightLanes x =
      __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, -1, -1), c,  //
                              0, 1, 2, 3, 4, 5, 10, 13);
  const EightLanes y = __builtin_shufflevector(__builtin_shufflevector(a, b, 1, 4, 7, 10, 13, -1, -1, -1), c,
                                               0, 1, 2, 3, 4, 8, 11, 14);
  const EightLanes z = __builtin_shufflevector(__builtin_shufflevector(a, b, 2, 5, 8, 11, 14, -1, -1, -1), c,
                                               0, 1, 2, 3, 4, 9, 12, 15);
  return x + y + z;
}
inline Triples<EightLanes> scaled(const EightLanes& share, const Triples<EightLanes>& t) {
  return {__builtin_shufflevector(share, share, 0, 0, 0, 1, 1, 1, 2, 2) * t.a,
          __builtin_shufflevector(share, share, 2, 3, 3, 3, 4, 4, 4, 5) * t.b,
          __builtin_shufflevector(share, share, 5, 5, 6, 6, 6, 7, 7, 7) * t.c};
}
inline Padded<EightLanes> padded(const Triples<EightLanes>& t) {
  typedef std::int64_t EightMask __attribute__((vector_size(64)));
  constexpr EightMask kFilled = {-1, -1, -1, 0, -1, -1, -1, 0};
  return {{keep(kFilled, __builtin_shufflevector(t.a, t.a, 0, 1, 2, -1, 3, 4, 5, -1)),
           keep(kFilled, __builtin_shufflevector(t.a, t.b, 6, 7, 8, -1, 9, 10, 11, -1)),
           keep(kFilled, __builtin_shufflevector(t.b, t.c, 4, 5, 6, -1, 7, 8, 9, -1)),
           keep(kFilled, __builtin_shufflevector(t.c, t.c, 2, 3, 4, -1, 5, 6, 7, -1))}};
}
#endif

template <class V>
inline void add_to(Padded<V>& sum, const Padded<V>& p) {
  for (std::size_t k = 0; k < 4; ++k) sum.part[k] += p.part[k];
}
template <class V>
inline void add_to(double* place, const Padded<V>& p) {
  for (std::size_t k = 0; k < 4; ++k)
    store(place + k * kLanes<V>, load_as<V>(place + k * kLanes<V>) + p.part[k]);
}
template <class V>
inline void subtract_from(double* place, const Padded<V>& p) {
  for (std::size_t k = 0; k < 4; ++k)
    store(place + k * kLanes<V>, load_as<V>(place + k * kLanes<V>) - p.part[k]);
}

}  // namespace selkie::mass_spring::detail
