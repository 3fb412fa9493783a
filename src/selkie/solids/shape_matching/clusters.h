// Which vertices of a body form a cluster: the body is halved across its longest extent until the parts are
// small enough, then each part is grown by rings of neighbours, so that clusters overlap. A pure function of
// positions and edges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "selkie/geometry/mesh.h"

namespace selkie::shape_matching {

// Every vertex is in at least one cluster; vertices of a cluster ascend.
std::vector<std::vector<std::uint32_t>> make_clusters(std::span<const Vec3> positions,
                                                      std::span<const geometry::Segment> edges,
                                                      int most_vertices, int overlap);

}  // namespace selkie::shape_matching
