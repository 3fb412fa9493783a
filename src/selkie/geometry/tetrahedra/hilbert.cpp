// Hilbert order of points: the cell of each point, its rank along the curve, and a sort.
#include <algorithm>
#include <array>
#include <numeric>

#include "selkie/geometry/tetrahedra/delaunay.h"

namespace selkie::geometry {
namespace {

constexpr int kBits = 21;  // 3 · 21 fit one word

// The rank of a cell along the curve. Level by level from the coarsest, undoes the rotation or exchange that
// the curve makes in the octant; a Gray code and interleaving then give the rank. [Skilling04]
std::uint64_t hilbert_rank(std::array<std::uint32_t, 3> cell) {
  for (std::uint32_t level = 1u << (kBits - 1); level > 1; level >>= 1) {
    const std::uint32_t below = level - 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (cell[axis] & level) {
        cell[0] ^= below;
      } else {
        const std::uint32_t exchanged = (cell[0] ^ cell[axis]) & below;
        cell[0] ^= exchanged;
        cell[axis] ^= exchanged;
      }
    }
  }
  cell[1] ^= cell[0];
  cell[2] ^= cell[1];
  std::uint32_t flips = 0;
  for (std::uint32_t level = 1u << (kBits - 1); level > 1; level >>= 1)
    if (cell[2] & level) flips ^= level - 1;
  std::uint64_t rank = 0;
  for (int bit = kBits - 1; bit >= 0; --bit)
    for (const std::uint32_t coordinate : cell) rank = rank << 1 | (((coordinate ^ flips) >> bit) & 1u);
  return rank;
}

}  // namespace

std::vector<std::uint32_t> hilbert_order(std::span<const Vec3> points) {
  const BoundingBox box = bounding_box(points);
  const double size = points.empty() ? 0 : box.sizes().maxCoeff();
  const double per_metre = size > 0 ? ((1u << kBits) - 1) / size : 0;
  std::vector<std::uint64_t> ranks(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::array<std::uint32_t, 3> cell;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      cell[k] = static_cast<std::uint32_t>((points[i][axis] - box.min()[axis]) * per_metre);
    }
    ranks[i] = hilbert_rank(cell);
  }
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return ranks[a] != ranks[b] ? ranks[a] < ranks[b] : a < b;
  });
  return order;
}

}  // namespace selkie::geometry
