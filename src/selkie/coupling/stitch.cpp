// See stitch.h.
#include "selkie/coupling/stitch.h"

#include <algorithm>
#include <limits>

namespace selkie::coupling {

std::vector<StitchPair> find_stitches(std::span<const Vec3> a, std::span<const Vec3> b, double distance) {
  std::vector<StitchPair> pairs;
  std::vector<bool> taken(b.size(), false);
  for (std::size_t i = 0; i < a.size(); ++i) {
    double nearest = distance;
    std::size_t partner = b.size();
    for (std::size_t j = 0; j < b.size(); ++j) {
      const double gap = (a[i] - b[j]).norm();
      if (!taken[j] && gap <= nearest && (gap < nearest || partner == b.size())) {
        nearest = gap;
        partner = j;
      }
    }
    if (partner == b.size()) continue;
    taken[partner] = true;
    pairs.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(partner)});
  }
  return pairs;
}

double exchange_stitches(std::span<const StitchPair> pairs, const StitchSettings& settings, double dt,
                         const ports::SurfaceSamples& a, const ports::SurfaceSamples& b) {
  // Velocities as they are with the impulses collected so far.
  auto velocity = [](const ports::SurfaceSamples& side, std::uint32_t i) -> Vec3 {
    return side.velocities[i] + side.inverse_masses[i] * side.impulses[i];
  };
  for (int sweep = 0; sweep < settings.sweeps; ++sweep)
    for (const StitchPair& pair : pairs) {
      const double w = a.inverse_masses[pair.a] + b.inverse_masses[pair.b];
      if (w <= 0) continue;  // both held fast
      const Vec3 gap = b.positions[pair.b] - a.positions[pair.a];
      const Vec3 approach = velocity(b, pair.b) - velocity(a, pair.a) + (settings.gap_share / dt) * gap;
      const Vec3 impulse = approach / w;
      a.impulses[pair.a] += impulse;
      b.impulses[pair.b] -= impulse;
    }
  double largest = 0;
  for (const StitchPair& pair : pairs)
    largest = std::max(largest, (b.positions[pair.b] - a.positions[pair.a]).norm());
  return largest;
}

}  // namespace selkie::coupling
