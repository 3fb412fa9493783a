// Stitches: pairs of surface points of two bodies held together by impulses. A weak coupling over
// SurfaceSamples: what one body receives the other gives, to round-off. After both have stepped, each pair's
// gap is closed by the impulse that, acting from the start of the step, would have kept it closed (as RT-28
// projects a constraint).
#pragma once

#include <cstdint>
#include <vector>

#include "selkie/ports/surface.h"

namespace selkie::coupling {

struct StitchPair {
  std::uint32_t a = 0, b = 0;  // sample numbers on either side
};

// Pairs each sample of `a` with the nearest one of `b` within `distance`; each sample of b is used at most
// once.
std::vector<StitchPair> find_stitches(std::span<const Vec3> a, std::span<const Vec3> b, double distance);

// Adds impulses to both sides' slots that close `share` (0 … 1) of every gap over a step of `dt`. Returns the
// largest gap before, m.
double exchange_stitches(std::span<const StitchPair> pairs, double share, double dt,
                         const ports::SurfaceSamples& a, const ports::SurfaceSamples& b);

}  // namespace selkie::coupling
