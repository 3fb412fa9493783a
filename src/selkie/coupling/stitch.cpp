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

double exchange_stitches(std::span<const StitchPair> pairs, double share, double dt,
                         const ports::SurfaceSamples& a, const ports::SurfaceSamples& b) {
  double largest = 0;
  for (const StitchPair& pair : pairs) {
    const double w = a.inverse_masses[pair.a] + b.inverse_masses[pair.b];
    const Vec3 gap = b.positions[pair.b] - a.positions[pair.a];
    largest = std::max(largest, gap.norm());
    if (w <= 0) continue;  // both held fast
    const Vec3 impulse = (share / (dt * w)) * gap;
    a.impulses[pair.a] += impulse;
    b.impulses[pair.b] -= impulse;
  }
  return largest;
}

}  // namespace selkie::coupling
