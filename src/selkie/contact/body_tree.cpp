// See body_tree.h.
#include "selkie/contact/body_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "selkie/core/parallel.h"

namespace selkie::contact {
namespace {

constexpr std::uint32_t kLeaf = 4;

double half_surface(const Bounds& box) {
  const Vec3 d = box.high - box.low;
  return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
}

Bounds joined(const Bounds& a, const Bounds& b) { return {a.low.cwiseMin(b.low), a.high.cwiseMax(b.high)}; }

// Every third bit of the result is one of the lowest 21 bits of x.
std::uint64_t spread(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

}  // namespace

std::uint32_t BodyTree::build(std::uint32_t begin, std::uint32_t end) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  if (end - begin <= kLeaf) {
    nodes_[index].first = begin, nodes_[index].count = end - begin;
    return index;
  }
  // Halves of space, not of the number: where the curve's codes first differ. [Lauterbach09 §4]
  std::uint32_t middle = begin + (end - begin) / 2;
  if (const std::uint64_t differ = codes_[begin].first ^ codes_[end - 1].first; differ != 0) {
    const std::uint64_t bit = std::bit_floor(differ);
    const auto from = codes_.begin() + begin, to = codes_.begin() + end;
    middle = begin + static_cast<std::uint32_t>(
                         std::partition_point(from, to, [&](const auto& c) { return !(c.first & bit); }) - from);
  }
  const std::uint32_t first = build(begin, middle), second = build(middle, end);
  nodes_[index].first = first, nodes_[index].second = second;
  return index;
}

void BodyTree::rebuild(std::span<const Bounds> boxes) {
  const auto count = static_cast<std::uint32_t>(boxes.size());
  Bounds all{boxes[0].low, boxes[0].low};
  for (const Bounds& box : boxes) {
    const Vec3 middle = 0.5 * (box.low + box.high);
    all.low = all.low.cwiseMin(middle), all.high = all.high.cwiseMax(middle);
  }
  const double cells = 2097151 / std::max(1e-9, (all.high - all.low).maxCoeff());
  codes_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vec3 at = (0.5 * (boxes[i].low + boxes[i].high) - all.low) * cells;
    std::uint64_t code = 0;
    for (int axis = 0; axis < 3; ++axis)
      code |= spread(static_cast<std::uint64_t>(std::clamp(at[axis], 0.0, 2097151.0))) << axis;
    codes_[i] = {code, i};
  }
  std::sort(codes_.begin(), codes_.end());
  order_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) order_[i] = codes_[i].second;
  nodes_.clear();
  build(0, count);
}

double BodyTree::refit(std::span<const Bounds> boxes) {
  leaf_boxes_.resize(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) leaf_boxes_[k] = boxes[order_[k]];
  double cost = 0;
  for (std::size_t n = nodes_.size(); n-- > 0;) {  // children follow their parent
    Node& node = nodes_[n];
    if (node.count > 0) {
      node.box = leaf_boxes_[node.first];
      for (std::uint32_t k = 1; k < node.count; ++k) node.box = joined(node.box, leaf_boxes_[node.first + k]);
    } else {
      node.box = joined(nodes_[node.first].box, nodes_[node.second].box);
    }
    cost += half_surface(node.box);
  }
  return cost / half_surface(nodes_[0].box);
}

void BodyTree::update(std::span<const Bounds> boxes) {
  if (boxes.empty()) {
    nodes_.clear(), order_.clear(), leaf_boxes_.clear();
    return;
  }
  constexpr double kWorn = 1.3;
  if (order_.size() == boxes.size() && refit(boxes) < kWorn * built_cost_) return;
  rebuild(boxes);
  built_cost_ = refit(boxes);
}

}  // namespace selkie::contact
