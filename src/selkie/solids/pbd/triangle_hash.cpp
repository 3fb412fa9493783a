// See triangle_hash.h.
#include "selkie/solids/pbd/triangle_hash.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace selkie::pbd {
namespace {

using Box = std::array<Vec3, 2>;
using Cells = std::array<std::array<std::int64_t, 3>, 2>;

// Things in more cells than this are compared one by one.
constexpr double kMostCells = 64;

bool overlap(const Box& a, const Box& b) {
  return (a[0].array() <= b[1].array()).all() && (b[0].array() <= a[1].array()).all();
}

// False: too many.
bool cells_of(const Box& box, double cell, Cells& cells) {
  double count = 1;
  for (int c = 0; c < 3; ++c) {
    const double low = std::floor(box[0][c] / cell), high = std::floor(box[1][c] / cell);
    count *= high - low + 1;
    if (!(count <= kMostCells) || !(std::abs(low) < 1e15) || !(std::abs(high) < 1e15)) return false;
    cells[0][static_cast<std::size_t>(c)] = static_cast<std::int64_t>(low);
    cells[1][static_cast<std::size_t>(c)] = static_cast<std::int64_t>(high);
  }
  return true;
}

std::size_t bucket_of(std::int64_t x, std::int64_t y, std::int64_t z, std::size_t buckets) {
  const std::uint64_t key = static_cast<std::uint64_t>(x) * 92837111u ^
                            static_cast<std::uint64_t>(y) * 689287499u ^
                            static_cast<std::uint64_t>(z) * 283923481u;
  return static_cast<std::size_t>(key % buckets);
}

template <class Visit>
void each_bucket(const Cells& cells, std::size_t buckets, Visit&& visit) {
  for (std::int64_t x = cells[0][0]; x <= cells[1][0]; ++x)
    for (std::int64_t y = cells[0][1]; y <= cells[1][1]; ++y)
      for (std::int64_t z = cells[0][2]; z <= cells[1][2]; ++z) visit(bucket_of(x, y, z, buckets));
}

}  // namespace

void build_hash(const Model& model, double widened, std::span<const Vec3> x, std::span<const Vec4> p,
                TriangleHash& hash) {
  const std::size_t count = model.triangles.size(), buckets = 2 * count + 1;
  hash.cell = std::max(2 * model.mean_edge, 4 * widened);
  hash.boxes.resize(count);
  hash.begins.assign(buckets + 1, 0);
  hash.large.clear();
  Cells cells;
  for (std::uint32_t t = 0; t < count; ++t) {
    Box& box = hash.boxes[t];
    box[0] = box[1] = x[model.triangles[t][0]];
    for (const std::uint32_t v : model.triangles[t])
      for (const Vec3& at : {x[v], Vec3(p[v].head<3>())})
        box[0] = box[0].cwiseMin(at), box[1] = box[1].cwiseMax(at);
    box[0].array() -= widened;
    box[1].array() += widened;
    if (!cells_of(box, hash.cell, cells)) {
      hash.large.push_back(t);
      continue;
    }
    each_bucket(cells, buckets, [&](std::size_t b) { ++hash.begins[b + 1]; });
  }
  std::partial_sum(hash.begins.begin(), hash.begins.end(), hash.begins.begin());
  hash.entries.resize(hash.begins.back());
  // Filled from the back, so that the begins end up where they belong.
  for (std::uint32_t t = static_cast<std::uint32_t>(count); t-- > 0;)
    if (cells_of(hash.boxes[t], hash.cell, cells))
      each_bucket(cells, buckets, [&](std::size_t b) { hash.entries[--hash.begins[b + 1]] = t; });
  std::rotate(hash.begins.begin(), hash.begins.begin() + 1, hash.begins.end());
  hash.begins.back() = static_cast<std::uint32_t>(hash.entries.size());
}

void triangles_near(const Model& model, const TriangleHash& hash, std::uint32_t vertex, const Vec3& start,
                    const Vec3& end, std::vector<std::uint32_t>& near) {
  near.clear();
  const Box way{start.cwiseMin(end), start.cwiseMax(end)};
  auto consider = [&](std::uint32_t t) {
    const auto& [a, b, c] = model.triangles[t];
    if (vertex != a && vertex != b && vertex != c && overlap(hash.boxes[t], way)) near.push_back(t);
  };
  Cells cells;
  if (!cells_of(way, hash.cell, cells)) {
    for (std::uint32_t t = 0; t < hash.boxes.size(); ++t) consider(t);
    return;
  }
  each_bucket(cells, hash.begins.size() - 1, [&](std::size_t b) {
    for (std::uint32_t k = hash.begins[b]; k < hash.begins[b + 1]; ++k) consider(hash.entries[k]);
  });
  for (const std::uint32_t t : hash.large) consider(t);
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
}

}  // namespace selkie::pbd
