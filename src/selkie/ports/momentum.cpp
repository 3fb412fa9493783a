// See momentum.h.
#include "selkie/ports/momentum.h"

#include "selkie/core/parallel.h"

namespace selkie::ports {

void restore_momentum(std::span<const Vec3> impulses, std::span<const double> masses, double factor,
                      std::span<Vec3> changes) {
  const double mass = factor * deterministic_sum(masses.size(), [&](std::size_t i) { return masses[i]; });
  if (!(mass > 0)) return;
  Vec3 missing;
  for (int c = 0; c < 3; ++c)
    missing[c] = deterministic_sum(
        masses.size(), [&](std::size_t i) { return impulses[i][c] - factor * masses[i] * changes[i][c]; });
  const Vec3 shift = missing / mass;
  for (Vec3& change : changes) change += shift;
}

}  // namespace selkie::ports
