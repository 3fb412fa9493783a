// Stitches: pairs of surface points of two bodies held together by impulses. A weak coupling over
// SurfaceSamples: what one body receives the other gives, to round-off. Velocity-level projection in
// Gauss-Seidel order with a share of the gap fed back per step (as RT-45/46 do for contacts).
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

struct StitchSettings {
  double gap_share = 0.2;  // of the gap closed per step
  int sweeps = 20;
};

// Adds impulses to both sides' slots so that stitched points move together. Returns the largest remaining
// gap, m.
double exchange_stitches(std::span<const StitchPair> pairs, const StitchSettings& settings, double dt,
                         const ports::SurfaceSamples& a, const ports::SurfaceSamples& b);

}  // namespace selkie::coupling
