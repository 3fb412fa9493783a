// See transport.h.
#include "selkie/fluids/surface_water/transport.h"

#include <cmath>

namespace selkie::surface_water {

Quat hinge_rotation(const Complex& complex, const Metric& m, std::span<const Vec3> positions, std::size_t f,
                    std::uint32_t c) {
  const std::uint32_t there = complex.across[c][f];
  if (there == Corner::kNone) return Quat::Identity();
  const Vec3 edge =
      (positions[complex.vertex[last_corner(c)][f]] - positions[complex.vertex[next_corner(c)][f]])
          .normalized();
  const Vec3 &here = m.normal[f], &other = m.normal[Corner::face(there)];
  const double angle = std::atan2(edge.dot(other.cross(here)), other.dot(here));
  return Quat(Eigen::AngleAxisd(angle, edge));
}

double holonomy(const Complex& complex, const Metric& m, std::span<const Vec3> positions, std::size_t v) {
  // What is carried forwards from face to face comes back by the inverse of the product.
  Quat back = Quat::Identity();
  for (std::uint32_t e = complex.fan_begin[v]; e < complex.fan_begin[v + 1]; ++e)
    back = back * hinge_rotation(complex, m, positions, Corner::face(complex.fan[e]),
                                 next_corner(Corner::corner(complex.fan[e])));
  const std::size_t f = Corner::face(complex.fan[complex.fan_begin[v]]);
  const Frame frame = frame_of(complex, m, positions, f);
  const Vec3 carried = back.conjugate() * frame.x;
  return std::atan2(carried.dot(frame.y), carried.dot(frame.x));
}

}  // namespace selkie::surface_water
