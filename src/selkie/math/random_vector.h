// Random vectors that are the same with every compiler: the arguments of a constructor may be evaluated in
// any order, so that Vec3(random.uniform(), random.uniform(), random.uniform()) may be one vector here and
// its reverse there.
#pragma once

#include "selkie/core/random.h"
#include "selkie/math/types.h"

namespace selkie {

// Each component uniform in [lo, hi); z is drawn first, x last.
inline Vec3 random_vector(RandomStream& random, double lo, double hi) {
  const double z = random.uniform(lo, hi), y = random.uniform(lo, hi);
  return {random.uniform(lo, hi), y, z};
}

}  // namespace selkie
