// See box_tree.h.
#include "selkie/geometry/box_tree.h"

#include <algorithm>
#include <numeric>

namespace selkie::geometry {

BoxTree::BoxTree(std::span<const BoundingBox> boxes) : items_(boxes.size()) {
  std::iota(items_.begin(), items_.end(), 0u);
  nodes_.reserve(boxes.size());
  if (!boxes.empty()) build(0, static_cast<std::uint32_t>(boxes.size()), boxes);
}

void BoxTree::build(std::uint32_t begin, std::uint32_t end, std::span<const BoundingBox> boxes) {
  constexpr std::uint32_t kLeafItems = 4;
  const std::size_t index = nodes_.size();
  nodes_.emplace_back();
  BoundingBox box, centres;
  for (std::uint32_t i = begin; i < end; ++i) {
    box.extend(boxes[items_[i]]);
    centres.extend(boxes[items_[i]].center());
  }
  nodes_[index].box = box;
  if (end - begin <= kLeafItems) {
    nodes_[index].first = begin;
    nodes_[index].count = end - begin;
    return;
  }
  Eigen::Index axis = 0;
  centres.sizes().maxCoeff(&axis);
  const std::uint32_t middle = begin + (end - begin) / 2;
  std::nth_element(items_.begin() + begin, items_.begin() + middle, items_.begin() + end,
                   [&](std::uint32_t a, std::uint32_t b) {
                     const double at_a = boxes[a].min()[axis] + boxes[a].max()[axis];
                     const double at_b = boxes[b].min()[axis] + boxes[b].max()[axis];
                     return at_a != at_b ? at_a < at_b : a < b;
                   });
  build(begin, middle, boxes);
  nodes_[index].first = static_cast<std::uint32_t>(nodes_.size());
  build(middle, end, boxes);
}

}  // namespace selkie::geometry
