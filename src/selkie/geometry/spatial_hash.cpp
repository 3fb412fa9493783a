// See spatial_hash.h.
#include "selkie/geometry/spatial_hash.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/check.h"

namespace selkie::geometry {
namespace {

bool is_prime(std::size_t n) {
  for (std::size_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

std::size_t prime_from(std::size_t n) {
  while (!is_prime(n)) ++n;
  return n;
}

// Whatever lies so far out shares the outermost cells: found together, only slower.
std::int64_t rounded_down(double value) {
  constexpr double kFar = 0x1p61;
  return static_cast<std::int64_t>(std::floor(std::clamp(value, -kFar, kFar)));
}

}  // namespace

void SpatialHash::begin(double cell_size, std::size_t expected) {
  SELKIE_CHECK(cell_size > 0 && std::isfinite(cell_size), "cells have a size");
  inverse_size_ = 1 / cell_size;
  ++frame_;
  entries_.clear();
  const std::size_t wanted = 2 * expected + 1;
  if (buckets_.size() < wanted) buckets_.assign(prime_from(wanted + wanted / 2), {});
}

HashCell SpatialHash::cell_of(const Vec3& point) const {
  const Vec3 p = inverse_size_ * point;
  return {rounded_down(p.x()), rounded_down(p.y()), rounded_down(p.z())};
}

std::size_t SpatialHash::bucket_of(const HashCell& cell) const {
  const std::uint64_t mixed = (static_cast<std::uint64_t>(cell.x) * 92837111u) ^
                              (static_cast<std::uint64_t>(cell.y) * 689287499u) ^
                              (static_cast<std::uint64_t>(cell.z) * 283923481u);
  return static_cast<std::size_t>(mixed % buckets_.size());
}

void SpatialHash::insert(const HashCell& cell, std::uint32_t id) {
  Bucket& bucket = buckets_[bucket_of(cell)];
  const std::uint32_t next = bucket.frame == frame_ ? bucket.first : kNone;
  bucket = {frame_, static_cast<std::uint32_t>(entries_.size())};
  entries_.push_back({cell, id, next});
}

void SpatialHash::insert_box(const Vec3& low, const Vec3& high, std::uint32_t id) {
  const HashCell a = cell_of(low), b = cell_of(high);
  for (std::int64_t z = a.z; z <= b.z; ++z)
    for (std::int64_t y = a.y; y <= b.y; ++y)
      for (std::int64_t x = a.x; x <= b.x; ++x) insert(HashCell{x, y, z}, id);
}

}  // namespace selkie::geometry
