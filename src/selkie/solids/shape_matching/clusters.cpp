// See clusters.h.
#include "selkie/solids/shape_matching/clusters.h"

#include <algorithm>
#include <numeric>

namespace selkie::shape_matching {
namespace {

using Vertices = std::vector<std::uint32_t>;

void halve(std::span<const Vec3> positions, std::span<std::uint32_t> part, std::size_t most,
           std::vector<Vertices>& parts) {
  if (part.size() <= most) {
    parts.emplace_back(part.begin(), part.end());
    return;
  }
  geometry::BoundingBox box;
  for (const std::uint32_t v : part) box.extend(positions[v]);
  int axis = 0;
  box.sizes().maxCoeff(&axis);
  std::sort(part.begin(), part.end(), [&](std::uint32_t a, std::uint32_t b) {
    return positions[a][axis] != positions[b][axis] ? positions[a][axis] < positions[b][axis] : a < b;
  });
  halve(positions, part.first(part.size() / 2), most, parts);
  halve(positions, part.subspan(part.size() / 2), most, parts);
}

}  // namespace

std::vector<Vertices> make_clusters(std::span<const Vec3> positions, std::span<const geometry::Segment> edges,
                                    int most_vertices, int overlap) {
  Vertices all(positions.size());
  std::iota(all.begin(), all.end(), 0u);
  if (most_vertices <= 0 || all.size() <= static_cast<std::size_t>(most_vertices)) return {all};
  std::vector<Vertices> parts;
  halve(positions, all, static_cast<std::size_t>(most_vertices), parts);

  const geometry::VertexAdjacency adjacency = geometry::vertex_adjacency(positions.size(), edges);
  std::vector<std::uint32_t> seen(positions.size(), UINT32_MAX);
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    Vertices& part = parts[p];
    for (const std::uint32_t v : part) seen[v] = p;
    std::size_t ring_begin = 0;
    for (int ring = 0; ring < overlap; ++ring) {
      const std::size_t ring_end = part.size();
      for (std::size_t k = ring_begin; k < ring_end; ++k)
        for (std::uint32_t n = adjacency.offsets[part[k]]; n < adjacency.offsets[part[k] + 1]; ++n)
          if (const std::uint32_t v = adjacency.neighbours[n]; seen[v] != p) seen[v] = p, part.push_back(v);
      ring_begin = ring_end;
    }
    std::sort(part.begin(), part.end());
  }
  return parts;
}

}  // namespace selkie::shape_matching
