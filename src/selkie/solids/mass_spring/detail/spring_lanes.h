// The law of several springs at a time, for the passes over all springs. Included by .cpp files only.
#pragma once

#include "selkie/solids/mass_spring/detail/lanes.h"
#include "selkie/solids/mass_spring/model.h"
#include "selkie/solids/mass_spring/params.h"

namespace selkie::mass_spring::detail {

constexpr Mask kXyz = {-1, -1, -1, 0};

// values[j] − values[i] of a spring's ends, padded; reads 8 bytes beyond the last value, which Buffers allow.
inline Lanes difference(const double* values, const SpringEnds& ends) {
  return keep(kXyz, load(values + 3 * std::size_t{ends[1]}) - load(values + 3 * std::size_t{ends[0]}));
}

// Tension over k for several springs, e = l − l0 [spring_law.h].
template <class V>
inline V unit_tension(const Params& p, const V& l0, const V& l) {
  const V e = l - l0, zero = all_as<V>(0);
  const V pull = e + all_as<V>(p.tension_slope - 1) * larger(zero, e - all_as<V>(p.tension_knee) * l0);
  const V push =
      all_as<V>(p.compression_factor) *
      (e + all_as<V>(p.compression_slope - 1) * smaller(zero, e + all_as<V>(p.compression_knee) * l0));
  return choose(e >= zero, pull, push);
}

}  // namespace selkie::mass_spring::detail
