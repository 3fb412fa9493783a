// When a moving point meets a moving triangle: the roots in [0, 1] of the cubic that says that four points
// are coplanar, all moving in straight lines, and whether the point is in the triangle then. [Provot97;
// RT-38]
#pragma once

#include <array>

#include "selkie/math/types.h"

namespace selkie::pbd {

// Where a point stands over the plane of a triangle.
struct Foot {
  Vec3 weights;  // barycentric coordinates of the foot point
  Vec3 normal;
  double height = 0;  // m
  bool inside = false;
};
Foot foot_on(const Vec3& q, const Vec3& p1, const Vec3& p2, const Vec3& p3);

// Sign changes of c₀ + c₁t + c₂t² + c₃t³ in [0, 1], ascending; returns how many.
int cubic_roots(const std::array<double, 4>& c, std::array<double, 3>& roots);

struct Crossing {
  int count = 0;  // of passages through the triangle; odd: the point ends on the other side
  Foot foot;      // at the first one, with height 0
};
// Corners are (q, p₁, p₂, p₃) at the start and at the end.
Crossing find_crossing(const std::array<Vec3, 4>& start, const std::array<Vec3, 4>& end);

}  // namespace selkie::pbd
