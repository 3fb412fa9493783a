// Weights of a particle on the samples of one axis, with the walls as mirrors.
//
// Beyond a free-slip wall lies the image of the flow: samples between walls ("centred": at ½, 3/2, … cells)
// continue evenly, samples that include the walls ("nodal": at 0, 1, …) oddly. This holds along every axis
// for every component of velocity on faces and of vorticity on edges. So an index beyond a wall is folded
// back with the sign of the image, and what sits on the wall itself cancels with its image.
#pragma once

#include <array>
#include <cmath>

#include "selkie/math/types.h"

namespace selkie::vortex_method {

// Index inside the box, and the sign that its weight takes.
struct Folded {
  int index;
  int sign;  // 0: on the wall
};
constexpr Folded fold_centred(int i, int cells) {
  return i < 0 ? Folded{-1 - i, 1} : i >= cells ? Folded{2 * cells - 1 - i, 1} : Folded{i, 1};
}
constexpr Folded fold_nodal(int i, int cells) {
  if (i == 0) return {1, 0};  // inside and near: others may be writing far away at the same time
  if (i == cells) return {cells - 1, 0};
  return i < 0 ? Folded{-i, -1} : i > cells ? Folded{2 * cells - i, -1} : Folded{i, 1};
}

// Quadratic B-spline: smooth, positive, sums to one, reproduces linear functions.
struct Taps {
  std::array<int, 3> index;
  std::array<double, 3> weight;
  std::array<double, 3> slope;  // derivative of the weight, per cell
};
// x in cells from the low wall, 0 … cells.
inline Taps spline_taps(double x, int cells, bool nodal) {
  const double s = nodal ? x : x - 0.5;
  const double nearest = std::floor(s + 0.5), d = s - nearest;
  Taps taps{{},
            {0.5 * (0.5 - d) * (0.5 - d), 0.75 - d * d, 0.5 * (0.5 + d) * (0.5 + d)},
            {d - 0.5, -2 * d, d + 0.5}};
  for (int t = 0; t < 3; ++t) {
    const int i = static_cast<int>(nearest) - 1 + t;
    const Folded folded = nodal ? fold_nodal(i, cells) : fold_centred(i, cells);
    const auto at = static_cast<std::size_t>(t);
    taps.index[at] = folded.index;
    taps.weight[at] *= folded.sign;
    taps.slope[at] *= folded.sign;
  }
  return taps;
}

// Both kinds along all three axes: what every staggered field is read and written with.
struct ParticleTaps {
  std::array<Taps, 3> centred, nodal;
};
inline ParticleTaps particle_taps(const Vec3& in_cells, const std::array<int, 3>& cells) {
  ParticleTaps taps;
  for (std::size_t d = 0; d < 3; ++d) {
    taps.centred[d] = spline_taps(in_cells[static_cast<int>(d)], cells[d], false);
    taps.nodal[d] = spline_taps(in_cells[static_cast<int>(d)], cells[d], true);
  }
  return taps;
}

// M4' of [Monaghan85]: interpolates, and keeps moments up to the second, so that redistribution changes
// neither the sum of strengths nor their impulse. Onto cell centres.
struct RemeshTaps {
  std::array<int, 4> index;
  std::array<double, 4> weight;
  std::array<bool, 4> mirrored;  // beyond a wall: components along the wall change sign
};
inline RemeshTaps remesh_taps(double x, int cells) {
  const double s = x - 0.5, low = std::floor(s), d = s - low;
  auto near = [](double r) { return 1 - 2.5 * r * r + 1.5 * r * r * r; };
  auto far = [](double r) { return 0.5 * (2 - r) * (2 - r) * (1 - r); };
  RemeshTaps taps{{}, {far(1 + d), near(d), near(1 - d), far(2 - d)}, {}};
  for (int t = 0; t < 4; ++t) {
    const int i = static_cast<int>(low) - 1 + t;
    taps.index[static_cast<std::size_t>(t)] = fold_centred(i, cells).index;
    taps.mirrored[static_cast<std::size_t>(t)] = i < 0 || i >= cells;
  }
  return taps;
}

}  // namespace selkie::vortex_method
