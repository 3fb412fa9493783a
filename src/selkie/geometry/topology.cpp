// Edges, boundary and neighbours by sorting keys: deterministic, and without the memory of hash tables.
#include <algorithm>

#include "selkie/geometry/mesh.h"

namespace selkie::geometry {
namespace {

std::uint64_t edge_key(std::uint32_t a, std::uint32_t b) {
  return (static_cast<std::uint64_t>(std::min(a, b)) << 32) | std::max(a, b);
}

Segment edge_of(std::uint64_t key) {
  return {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)};
}

template <class Element>
std::vector<Segment> edges_of_elements(std::span<const Element> elements) {
  constexpr std::size_t corners = std::tuple_size_v<Element>;
  std::vector<std::uint64_t> keys;
  keys.reserve(elements.size() * corners * (corners - 1) / 2);
  for (const Element& element : elements)
    for (std::size_t a = 0; a < corners; ++a)
      for (std::size_t b = a + 1; b < corners; ++b) keys.push_back(edge_key(element[a], element[b]));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<Segment> edges(keys.size());
  std::transform(keys.begin(), keys.end(), edges.begin(), edge_of);
  return edges;
}

struct FaceRecord {
  Triangle sorted;
  std::uint64_t face;  // 4 · tet + face of tet
};

}  // namespace

std::vector<Segment> unique_edges(std::span<const Triangle> triangles) {
  return edges_of_elements(triangles);
}
std::vector<Segment> unique_edges(std::span<const Tet> tets) { return edges_of_elements(tets); }
std::vector<Segment> unique_edges(std::span<const Segment> segments) { return edges_of_elements(segments); }

std::vector<Triangle> boundary_triangles(std::span<const Tet> tets) {
  auto triangle_of = [&](std::uint64_t face) { return faces_of(tets[face / 4])[face % 4]; };
  std::vector<FaceRecord> records(tets.size() * 4);
  for (std::uint64_t face = 0; face < records.size(); ++face) {
    Triangle sorted = triangle_of(face);
    std::sort(sorted.begin(), sorted.end());
    records[face] = {sorted, face};
  }
  std::sort(records.begin(), records.end(),
            [](const FaceRecord& a, const FaceRecord& b) { return a.sorted < b.sorted; });

  // Keep faces that occur once, then return to the order of the tets.
  std::vector<std::uint64_t> single;
  for (std::size_t i = 0; i < records.size();) {
    std::size_t end = i + 1;
    while (end < records.size() && records[end].sorted == records[i].sorted) ++end;
    if (end == i + 1) single.push_back(records[i].face);
    i = end;
  }
  std::sort(single.begin(), single.end());
  std::vector<Triangle> triangles(single.size());
  std::transform(single.begin(), single.end(), triangles.begin(), triangle_of);
  return triangles;
}

BoundarySurface boundary_surface(const TetMesh& mesh) {
  constexpr std::uint32_t kUnused = 0xffffffff;
  BoundarySurface surface;
  surface.mesh.triangles = boundary_triangles(mesh.tets);
  std::vector<std::uint32_t> surface_vertex(mesh.positions.size(), kUnused);
  for (const Triangle& triangle : surface.mesh.triangles)
    for (const std::uint32_t vertex : triangle) surface_vertex[vertex] = 0;
  for (std::uint32_t vertex = 0; vertex < mesh.positions.size(); ++vertex) {
    if (surface_vertex[vertex] == kUnused) continue;
    surface_vertex[vertex] = static_cast<std::uint32_t>(surface.volume_vertex.size());
    surface.volume_vertex.push_back(vertex);
    surface.mesh.positions.push_back(mesh.positions[vertex]);
  }
  for (Triangle& triangle : surface.mesh.triangles)
    for (std::uint32_t& vertex : triangle) vertex = surface_vertex[vertex];
  return surface;
}

std::vector<EdgePair> edge_pairs(std::span<const Triangle> triangles) {
  struct Side {
    std::uint64_t edge;
    std::uint32_t triangle;
    std::uint32_t opposite;
  };
  std::vector<Side> sides;
  sides.reserve(triangles.size() * 3);
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    const Triangle& t = triangles[i];
    for (std::size_t k = 0; k < 3; ++k) sides.push_back({edge_key(t[k], t[(k + 1) % 3]), i, t[(k + 2) % 3]});
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.triangle < b.triangle;
  });
  std::vector<EdgePair> pairs;
  pairs.reserve(sides.size() / 2);
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t end = i + 1;
    while (end < sides.size() && sides[end].edge == sides[i].edge) ++end;
    if (end == i + 2 && sides[i].triangle != sides[i + 1].triangle)
      pairs.push_back({edge_of(sides[i].edge),
                       {sides[i].triangle, sides[i + 1].triangle},
                       {sides[i].opposite, sides[i + 1].opposite}});
    i = end;
  }
  return pairs;
}

VertexAdjacency vertex_adjacency(std::size_t vertex_count, std::span<const Segment> edges) {
  VertexAdjacency adjacency;
  adjacency.offsets.assign(vertex_count + 1, 0);
  for (const Segment& edge : edges) {
    ++adjacency.offsets[edge[0] + 1];
    ++adjacency.offsets[edge[1] + 1];
  }
  for (std::size_t i = 0; i < vertex_count; ++i) adjacency.offsets[i + 1] += adjacency.offsets[i];
  adjacency.neighbours.resize(edges.size() * 2);
  std::vector<std::uint32_t> next(adjacency.offsets.begin(), adjacency.offsets.end() - 1);
  for (const Segment& edge : edges) {
    adjacency.neighbours[next[edge[0]]++] = edge[1];
    adjacency.neighbours[next[edge[1]]++] = edge[0];
  }
  for (std::size_t i = 0; i < vertex_count; ++i)
    std::sort(adjacency.neighbours.begin() + adjacency.offsets[i],
              adjacency.neighbours.begin() + adjacency.offsets[i + 1]);
  return adjacency;
}

}  // namespace selkie::geometry
