// Reverse Cuthill-McKee numbering [CuthillMcKee69; George71]: breadth-first from an end of each connected
// part, neighbours by degree, then reversed. Ends are found by repeated breadth-first searches.
#include <algorithm>

#include "selkie/core/check.h"
#include "selkie/geometry/mesh.h"

namespace selkie::geometry {
namespace {

class CuthillMcKee {
 public:
  CuthillMcKee(std::size_t vertex_count, std::span<const Segment> edges)
      : graph_(vertex_adjacency(vertex_count, edges)), visit_(vertex_count, 0) {}

  std::vector<std::uint32_t> reversed_order() {
    const auto vertex_count = static_cast<std::uint32_t>(visit_.size());
    std::vector<bool> numbered(vertex_count, false);
    std::vector<std::uint32_t> order, loose;
    order.reserve(vertex_count);
    for (std::uint32_t seed = 0; seed < vertex_count; ++seed) {
      if (numbered[seed]) continue;
      if (degree(seed) == 0) {
        loose.push_back(seed);
        continue;
      }
      search(far_end(seed));
      for (const std::uint32_t vertex : queue_) numbered[vertex] = true;
      order.insert(order.end(), queue_.rbegin(), queue_.rend());
    }
    order.insert(order.end(), loose.begin(), loose.end());
    return order;
  }

 private:
  std::uint32_t degree(std::uint32_t v) const { return graph_.offsets[v + 1] - graph_.offsets[v]; }

  // Fills queue_ with the part of `start` in Cuthill-McKee order; returns its number of levels.
  int search(std::uint32_t start) {
    ++stamp_;
    queue_.assign(1, start);
    visit_[start] = stamp_;
    int levels = 0;
    for (std::size_t begin = 0; begin < queue_.size(); ++levels) {
      last_level_ = begin;
      const std::size_t end = queue_.size();
      for (; begin < end; ++begin) append_neighbours(queue_[begin]);
    }
    return levels;
  }

  void append_neighbours(std::uint32_t vertex) {
    const auto first = static_cast<std::ptrdiff_t>(queue_.size());
    for (std::uint32_t k = graph_.offsets[vertex]; k < graph_.offsets[vertex + 1]; ++k) {
      const std::uint32_t neighbour = graph_.neighbours[k];
      if (visit_[neighbour] == stamp_) continue;
      visit_[neighbour] = stamp_;
      queue_.push_back(neighbour);
    }
    std::sort(queue_.begin() + first, queue_.end(), [this](std::uint32_t a, std::uint32_t b) {
      return degree(a) != degree(b) ? degree(a) < degree(b) : a < b;
    });
  }

  // A vertex of nearly greatest eccentricity: hop to a low-degree vertex of the last level while levels grow.
  std::uint32_t far_end(std::uint32_t start) {
    int levels = search(start);
    while (true) {
      std::uint32_t candidate = queue_[last_level_];
      for (std::size_t i = last_level_; i < queue_.size(); ++i)
        if (degree(queue_[i]) < degree(candidate)) candidate = queue_[i];
      const int candidate_levels = search(candidate);
      if (candidate_levels <= levels) return candidate;
      levels = candidate_levels;
    }
  }

  VertexAdjacency graph_;
  std::vector<std::uint32_t> visit_;  // stamp of the last search that reached the vertex
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> queue_;
  std::size_t last_level_ = 0;
};

template <class Element>
void renumber_elements(std::vector<Vec3>& positions, std::vector<Element>& elements,
                       std::span<const std::uint32_t> order) {
  SELKIE_CHECK(order.size() == positions.size(), "the order must name every vertex once");
  constexpr std::uint32_t kUnset = 0xffffffff;
  std::vector<std::uint32_t> new_from_old(order.size(), kUnset);
  std::vector<Vec3> moved(positions.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    SELKIE_CHECK(order[i] < order.size() && new_from_old[order[i]] == kUnset,
                 "the order must name every vertex once");
    new_from_old[order[i]] = i;
    moved[i] = positions[order[i]];
  }
  positions = std::move(moved);
  for (Element& element : elements)
    for (std::uint32_t& vertex : element) vertex = new_from_old[vertex];
  std::stable_sort(elements.begin(), elements.end(), [](const Element& a, const Element& b) {
    return *std::min_element(a.begin(), a.end()) < *std::min_element(b.begin(), b.end());
  });
}

}  // namespace

std::vector<std::uint32_t> locality_order(std::size_t vertex_count, std::span<const Segment> edges) {
  return CuthillMcKee(vertex_count, edges).reversed_order();
}

void renumber(TriangleMesh& mesh, std::span<const std::uint32_t> order) {
  renumber_elements(mesh.positions, mesh.triangles, order);
}
void renumber(TetMesh& mesh, std::span<const std::uint32_t> order) {
  renumber_elements(mesh.positions, mesh.tets, order);
}
void renumber(SegmentMesh& mesh, std::span<const std::uint32_t> order) {
  renumber_elements(mesh.positions, mesh.segments, order);
}

std::size_t bandwidth(std::span<const Segment> edges) {
  std::size_t widest = 0;
  for (const Segment& edge : edges)
    widest = std::max<std::size_t>(widest, edge[0] > edge[1] ? edge[0] - edge[1] : edge[1] - edge[0]);
  return widest;
}

}  // namespace selkie::geometry
