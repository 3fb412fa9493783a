// The broad phase: a binary tree of boxes over the bodies in the order of a space-filling curve. From step to step
// only its boxes are refitted; it is sorted anew when they have grown or bodies were added. What is found depends
// on the boxes given, never on the history of the tree.
#pragma once

#include <cstdint>
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

 private:
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
