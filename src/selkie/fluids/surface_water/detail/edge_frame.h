// An edge of a face, seen in the frame of that face: what finite volumes on triangles ask for.
#pragma once

#include "selkie/fluids/surface_water/complex.h"
#include "selkie/fluids/surface_water/metric.h"

namespace selkie::surface_water {

// Outward unit normal, unit tangent (counter-clockwise) and length of the edge opposite to a corner.
struct EdgeFrame {
  Vec2 normal, tangent;
  double length;
};

inline EdgeFrame edge_frame(const Metric& m, std::size_t f, std::uint32_t c) {
  const Corners2 x = corners_of(m, f);
  const Vec2 along = x.at[last_corner(c)] - x.at[next_corner(c)];
  const double length = along.norm();
  return {Vec2(along[1], -along[0]) / length, along / length, length};
}

}  // namespace selkie::surface_water
