// Finds triangles of a surface that cut or touch each other where they are not joined. Exact: all decisions
// are signs of predicates.h. Pairs of triangles come from a tree of boxes.
#pragma once

#include <array>
#include <optional>

#include "selkie/geometry/mesh.h"

namespace selkie::geometry {

// Whether two triangles have a point in common beyond the vertices and edges that their corner numbers share.
bool triangles_intersect(const TriangleMesh& mesh, std::uint32_t first, std::uint32_t second);

struct SelfIntersections {
  std::size_t pairs = 0;
  std::array<std::uint32_t, 2> first{};  // the lowest pair of triangles, low < high
};
SelfIntersections find_self_intersections(const TriangleMesh& mesh);

}  // namespace selkie::geometry
