// Parts of constraints.h that need no registers.
#include "selkie/solids/pbd/constraints.h"

#include <algorithm>
#include <cmath>

namespace selkie::pbd {

std::array<double, 4> isometric_factors(const std::array<Vec3, 4>& rest) {
  const Vec3 edge = rest[1] - rest[0];
  auto cotangent = [](const Vec3& a, const Vec3& b) { return a.dot(b) / std::max(a.cross(b).norm(), kTiny); };
  // Angles between the edge and the other sides, at its two ends, in both triangles.
  const double c01 = cotangent(edge, rest[2] - rest[0]), c02 = cotangent(edge, rest[3] - rest[0]);
  const double c03 = cotangent(-edge, rest[2] - rest[1]), c04 = cotangent(-edge, rest[3] - rest[1]);
  const double area = 0.5 * (edge.cross(rest[2] - rest[0]).norm() + edge.cross(rest[3] - rest[0]).norm());
  const double scale = std::sqrt(3 / std::max(area, kTiny));
  return {scale * (c03 + c04), scale * (c01 + c02), -scale * (c01 + c03), -scale * (c02 + c04)};
}

double triangle_constraint(const std::array<Vec3, 4>& corners, double side, double thickness,
                           std::array<Vec3, 4>& g) {
  const Vec3 q = corners[0] - corners[1], p2 = corners[2] - corners[1], p3 = corners[3] - corners[1];
  const Vec3 m = p2.cross(p3);
  const double size = std::max(m.norm(), kTiny);
  const Vec3 n = m / size;
  const double height = q.dot(n);
  const Vec3 along = q - height * n;
  g[0] = side * n;
  g[2] = side * p3.cross(along) / size;
  g[3] = side * along.cross(p2) / size;
  g[1] = -g[0] - g[2] - g[3];
  return side * height - thickness;
}

}  // namespace selkie::pbd
