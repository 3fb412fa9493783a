// Pairs of boxes that meet or soon may, kept from step to step: each item has a wider box, and only those that have
// left theirs are looked up in the tree anew. A pile at rest asks the tree for nothing. What is near is a
// superset that depends on the past; callers test the boxes of now, so their result does not.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "selkie/contact/body_tree.h"

namespace selkie::contact {

class BodyPairs {
 public:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // the lower item first

  // Boxes of now; `ways` (m): how far each is about to move in a step; `margins` (m): how far one at rest may
  // tremble without being looked up again.
  void update(std::span<const Bounds> boxes, std::span<const Vec3> ways, std::span<const double> margins);

  // Every pair whose boxes meet, and some more; sorted.
  std::span<const Pair> near() const { return pairs_; }

 private:
  void widen(std::span<const Bounds> boxes, std::span<const Vec3> ways, std::span<const double> margins);
  void find_all();
  void replace_moved();

  BodyTree tree_;
  std::vector<Bounds> wide_;
  std::vector<std::uint8_t> moved_;          // left its wide box in this step
  std::vector<std::uint32_t> moved_items_;
  std::vector<std::vector<Pair>> found_;     // per block
  std::vector<Pair> pairs_, fresh_, merged_;
};

}  // namespace selkie::contact
