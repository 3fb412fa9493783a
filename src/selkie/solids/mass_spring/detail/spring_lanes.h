// The law of four springs at a time, for the passes over all springs. Included by .cpp files only.
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

// Tension over k for four springs, e = l − l0 [spring_law.h].
inline Lanes unit_tension(const Params& p, const Lanes& l0, const Lanes& l) {
  const Lanes e = l - l0, zero = all(0);
  const Lanes pull = e + all(p.tension_slope - 1) * larger(zero, e - all(p.tension_knee) * l0);
  const Lanes push = all(p.compression_factor) *
                     (e + all(p.compression_slope - 1) * smaller(zero, e + all(p.compression_knee) * l0));
  return choose(e >= zero, pull, push);
}

}  // namespace selkie::mass_spring::detail
