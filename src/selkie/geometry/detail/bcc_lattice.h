// The body-centred cubic lattice: corners and middles of a grid of cubes. In half sides, the coordinates of a
// point are all even (corners) or all odd (middles). Long edges join points of one kind along an axis, short
// ones a corner and a middle. A tet is a long edge between two middles and one of the four corner edges of
// the face between their cubes.
#pragma once

#include <array>
#include <cstdint>

#include "selkie/math/types.h"

namespace selkie::geometry::detail {

using LatticePoint = std::array<int, 3>;  // half sides from the origin

// Half of the fourteen edges of a point; the others are their opposites. The first three are long.
inline constexpr std::array<LatticePoint, 7> kLatticeSteps = {
    {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}}};
inline constexpr std::size_t kLongSteps = 3;

struct BccLattice {
  Vec3 origin;               // m, corner (0, 0, 0)
  double half;               // m, half the side of a cube
  std::array<int, 3> cubes;  // along each axis

  std::size_t corner_count() const { return count(cubes[0] + 1, cubes[1] + 1, cubes[2] + 1); }
  std::size_t point_count() const { return corner_count() + count(cubes[0], cubes[1], cubes[2]); }

  std::size_t index(const LatticePoint& p) const {
    const int kind = p[0] & 1, nx = cubes[0] + 1 - kind, ny = cubes[1] + 1 - kind;
    const std::size_t at = (static_cast<std::size_t>(p[2] >> 1) * static_cast<std::size_t>(ny) +
                            static_cast<std::size_t>(p[1] >> 1)) *
                               static_cast<std::size_t>(nx) +
                           static_cast<std::size_t>(p[0] >> 1);
    return kind ? corner_count() + at : at;
  }
  LatticePoint point(std::size_t index) const {
    const int kind = index < corner_count() ? 0 : 1;
    if (kind) index -= corner_count();
    const auto nx = static_cast<std::size_t>(cubes[0] + 1 - kind);
    const auto ny = static_cast<std::size_t>(cubes[1] + 1 - kind);
    return {2 * static_cast<int>(index % nx) + kind, 2 * static_cast<int>(index / nx % ny) + kind,
            2 * static_cast<int>(index / nx / ny) + kind};
  }
  bool contains(const LatticePoint& p) const {
    for (std::size_t k = 0; k < 3; ++k)
      if (p[k] < 0 || p[k] > 2 * cubes[k]) return false;
    return true;
  }
  Vec3 position(const LatticePoint& p) const { return origin + half * Vec3(p[0], p[1], p[2]); }

 private:
  static std::size_t count(int x, int y, int z) {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(y) * static_cast<std::size_t>(z);
  }
};

// The point `times` steps away.
inline LatticePoint stepped(const LatticePoint& p, const LatticePoint& step, int times) {
  return {p[0] + times * step[0], p[1] + times * step[1], p[2] + times * step[2]};
}

}  // namespace selkie::geometry::detail
