// The broad phase: a binary tree of boxes over the bodies in the order of a space-filling curve. From step to step
// only its boxes are refitted; it is sorted anew when they have grown or bodies were added. What is found depends
// on the boxes given, never on the history of the tree.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "selkie/contact/shape.h"

namespace selkie::contact {

class BodyTree {
 public:
  void update(std::span<const Bounds> boxes);

  // visit(item) for all items whose box meets `box`, in no particular order.
  template <class Visit>
  void each_meeting(const Bounds& box, Visit&& visit) const {
    if (nodes_.empty()) return;
    std::uint32_t stack[128];  // codes have 63 bits, halves of equal ones 32
    int size = 0;
    stack[size++] = 0;
    while (size > 0) {
      const Node& node = nodes_[stack[--size]];
      if (!node.box.meets(box)) continue;
      if (node.count > 0) {
        for (std::uint32_t k = node.first; k < node.first + node.count; ++k)
          if (leaf_boxes_[k].meets(box)) visit(order_[k]);
      } else {
        stack[size++] = node.second;
        stack[size++] = node.first;
      }
    }
  }

  // reach = visit(item, reach) for items whose box a ray meets within `reach` (m along the unit direction), roughly
  // from near to far. [Ericson04 §5.3.3]
  template <class Visit>
  void each_along(const Vec3& origin, const Vec3& direction, double reach, Visit&& visit) const {
    if (nodes_.empty()) return;
    const Vec3 inverse = direction.cwiseInverse();
    std::uint32_t stack[128];
    int size = 0;
    stack[size++] = 0;
    while (size > 0) {
      const Node& node = nodes_[stack[--size]];
      if (!(entry(node.box, origin, inverse) <= reach)) continue;
      if (node.count > 0) {
        for (std::uint32_t k = node.first; k < node.first + node.count; ++k)
          if (entry(leaf_boxes_[k], origin, inverse) <= reach) reach = visit(order_[k], reach);
        continue;
      }
      const bool swapped = entry(nodes_[node.second].box, origin, inverse) < entry(nodes_[node.first].box, origin, inverse);
      stack[size++] = swapped ? node.first : node.second;
      stack[size++] = swapped ? node.second : node.first;
    }
  }

 private:
  // Where a ray enters a box; infinite: it does not. Comparisons leave out the 0 · ∞ of a ray within a face.
  static double entry(const Bounds& box, const Vec3& origin, const Vec3& inverse) {
    double first = 0, last = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis) {
      double near = (box.low[axis] - origin[axis]) * inverse[axis], far = (box.high[axis] - origin[axis]) * inverse[axis];
      if (near > far) std::swap(near, far);
      if (near > first) first = near;
      if (far < last) last = far;
    }
    return first <= last ? first : std::numeric_limits<double>::infinity();
  }
  struct Node {
    Bounds box;
    std::uint32_t first = 0, second = 0;  // children, or first place of a leaf
    std::uint32_t count = 0;              // items of a leaf; 0: inner node
  };
  void rebuild(std::span<const Bounds> boxes);
  std::uint32_t build(std::uint32_t begin, std::uint32_t end);
  double refit(std::span<const Bounds> boxes);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;
  std::vector<Bounds> leaf_boxes_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> codes_;
  double built_cost_ = 0;
};

}  // namespace selkie::contact
