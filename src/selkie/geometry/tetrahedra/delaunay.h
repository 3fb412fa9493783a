// Delaunay tetrahedra of points in space [RT-14], by inserting one point after another and re-meshing the
// hole of all tets whose circumsphere contains it [Bowyer81; Watson81]. Exact predicates (predicates.h) make
// every hole star-shaped and every tet positive, whatever the points: cospherical and coplanar ones included.
// The outside is tiled by tets with a vertex at infinity instead of a large super-tetrahedron, so the result
// always fills the convex hull. Points go in by rounds of doubling size, each along a Hilbert curve
// [Amenta03], and are found by walking from the tet made last: about n log n altogether. Serial.
#pragma once

#include <span>
#include <vector>

#include "selkie/geometry/mesh.h"

namespace selkie::geometry {

struct Delaunay {
  std::vector<Tet> tets;                // positive; corners are numbers of the given points
  std::vector<std::uint32_t> left_out;  // points that equal another one, ascending
};

// InputError when the points are not finite, fewer than four, or all in one plane.
Delaunay delaunay(std::span<const Vec3> points);

// Those between the vertices of a closed surface whose middles it encloses: contacts look into them, and they
// follow the surface as it deforms.
std::vector<Tet> tets_inside(const TriangleMesh& surface);

// An order in which neighbours in space are neighbours in the list: along a Hilbert curve through the
// bounding box, cut into 2²¹ cells a side [Skilling04]. order[rank] = point.
std::vector<std::uint32_t> hilbert_order(std::span<const Vec3> points);

}  // namespace selkie::geometry
