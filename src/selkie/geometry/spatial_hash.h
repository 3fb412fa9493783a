// An unbounded grid of cubic cells folded into N buckets, stamped with the frame that filled them: beginning
// a new frame empties the table without touching it. [Müller08 §3.7; RT-17; Teschner03 §3] Entries remember
// their cell, so two cells that share a bucket cost time but never change what a search finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "selkie/math/types.h"

namespace selkie::geometry {

struct HashCell {
  std::int64_t x = 0, y = 0, z = 0;
  friend bool operator==(const HashCell&, const HashCell&) = default;
};

class SpatialHash {
 public:
  // Empties the table for cells of `cell_size` (m) and about `expected` entries. Memory only grows.
  void begin(double cell_size, std::size_t expected);

  HashCell cell_of(const Vec3& point) const;  // rounds down, below zero as well
  void insert(const HashCell& cell, std::uint32_t id);
  void insert(const Vec3& point, std::uint32_t id) { insert(cell_of(point), id); }
  // Into every cell that the box touches.
  void insert_box(const Vec3& low, const Vec3& high, std::uint32_t id);

  // Calls visit(id) for every entry of the cell, the last inserted first. Several threads may search at once.
  template <class Visit>
  void each_in(const HashCell& cell, Visit&& visit) const {
    const Bucket& bucket = buckets_[bucket_of(cell)];
    if (bucket.frame != frame_) return;
    for (std::uint32_t e = bucket.first; e != kNone; e = entries_[e].next)
      if (entries_[e].cell == cell) visit(entries_[e].id);
  }

  std::size_t size() const { return entries_.size(); }
  std::size_t bucket_count() const { return buckets_.size(); }
  std::uint32_t id(std::size_t entry) const { return entries_[entry].id; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Bucket {
    std::uint64_t frame = 0;  // older than the present one: empty
    std::uint32_t first = kNone;
  };
  struct Entry {
    HashCell cell;
    std::uint32_t id, next;
  };
  std::size_t bucket_of(const HashCell& cell) const;

  double inverse_size_ = 1;  // 1/m
  std::uint64_t frame_ = 0;
  std::vector<Bucket> buckets_ = {Bucket{}};
  std::vector<Entry> entries_;
};

}  // namespace selkie::geometry
