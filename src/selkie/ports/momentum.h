// Momentum that a solve to a tolerance has lost is given back to the body as a whole.
#pragma once

#include <span>

#include "selkie/math/types.h"

namespace selkie::ports {

// Shifts all `changes` (m/s) by one vector so that factor·Σ m Δv = Σ p, to round-off.
void restore_momentum(std::span<const Vec3> impulses, std::span<const double> masses, double factor,
                      std::span<Vec3> changes);

}  // namespace selkie::ports
