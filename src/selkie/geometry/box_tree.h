// A binary tree of boxes over items that have boxes (triangles, tetrahedra): each node is cut in the middle
// of its items along the longest side of their centres. Ties go by item number, so the tree depends on the
// boxes alone. Queries allocate nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "selkie/geometry/mesh.h"

namespace selkie::geometry {

class BoxTree {
 public:
  BoxTree() = default;
  explicit BoxTree(std::span<const BoundingBox> boxes);

  // visit(item) for every item in a leaf whose box, like those of all nodes above it, satisfies enter(box).
  template <class Enter, class Visit>
  void descend(Enter&& enter, Visit&& visit) const {
    std::array<std::uint32_t, kDepth> stack;
    std::size_t size = 0;
    if (!nodes_.empty()) stack[size++] = 0;
    while (size > 0) {
      const std::uint32_t index = stack[--size];
      const Node& node = nodes_[index];
      if (!enter(node.box)) continue;
      if (node.count > 0) {
        for (std::uint32_t k = 0; k < node.count; ++k) visit(items_[node.first + k]);
      } else {
        stack[size++] = node.first;
        stack[size++] = index + 1;
      }
    }
  }

  // Lowers `best` (a squared distance): visit(item) is called for items whose node lies nearer to the point
  // than `best`, nearer nodes first, and may lower `best` itself.
  template <class Visit>
  void nearest(const Vec3& point, double& best, Visit&& visit) const {
    if (nodes_.empty()) return;
    std::array<std::pair<double, std::uint32_t>, kDepth> stack;
    std::size_t size = 0;
    stack[size++] = {nodes_[0].box.squaredExteriorDistance(point), 0};
    while (size > 0) {
      const auto [distance, index] = stack[--size];
      if (distance >= best) continue;
      const Node& node = nodes_[index];
      if (node.count > 0) {
        for (std::uint32_t k = 0; k < node.count; ++k) visit(items_[node.first + k]);
        continue;
      }
      std::pair<double, std::uint32_t> near{nodes_[index + 1].box.squaredExteriorDistance(point), index + 1};
      std::pair<double, std::uint32_t> far{nodes_[node.first].box.squaredExteriorDistance(point), node.first};
      if (far.first < near.first) std::swap(near, far);
      stack[size++] = far;
      stack[size++] = near;
    }
  }

 private:
  // Leaves hold few items, and halving 2³² of them takes at most 32 levels; the stack holds one node a level
  // and one more.
  static constexpr std::size_t kDepth = 64;
  struct Node {
    BoundingBox box;
    std::uint32_t first = 0;  // leaf: into items_; otherwise the second child (the first follows its parent)
    std::uint32_t count = 0;  // items of a leaf; 0: inner node
  };
  void build(std::uint32_t begin, std::uint32_t end, std::span<const BoundingBox> boxes);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> items_;
};

}  // namespace selkie::geometry
