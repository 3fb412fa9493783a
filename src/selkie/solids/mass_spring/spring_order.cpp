// The order of springs in memory. Two things make the force pass fast: that the vertices of neighbouring
// springs lie in few cache lines, and that a sum need not wait for the store before it. So springs lie in
// blocks of lower vertices, and within a block first those of even vertices, as rows of eight springs that
// lead equally far ahead, then the others by rank at their lower vertex, so that consecutive springs touch
// different vertices.
#include "selkie/solids/mass_spring/detail/spring_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace selkie::mass_spring::detail {
namespace {

constexpr std::uint32_t kBlock = 64;  // lower vertices

// The springs of each lower vertex by the vertex at their other end.
struct Fans {
  std::vector<std::uint32_t> springs, begin;  // vertex i: springs[begin[i]] … springs[begin[i + 1] − 1]
  std::vector<std::uint32_t> reach;           // of springs[k]: upper less lower vertex

  std::uint32_t size(std::size_t i) const { return begin[i + 1] - begin[i]; }
  bool alike(std::size_t i, std::size_t j) const {
    return std::equal(reach.begin() + begin[i], reach.begin() + begin[i + 1],  //
                      reach.begin() + begin[j], reach.begin() + begin[j + 1]);
  }
};

Fans make_fans(std::size_t vertex_count, std::span<const SpringInput> springs) {
  auto low = [&](std::uint32_t s) { return std::min(springs[s].ends[0], springs[s].ends[1]); };
  auto high = [&](std::uint32_t s) { return std::max(springs[s].ends[0], springs[s].ends[1]); };
  Fans fans;
  fans.springs.resize(springs.size());
  std::iota(fans.springs.begin(), fans.springs.end(), 0u);
  std::sort(fans.springs.begin(), fans.springs.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(low(a), high(a), a) < std::tuple(low(b), high(b), b);
  });
  fans.begin.assign(vertex_count + 1, 0);
  for (const std::uint32_t s : fans.springs) {
    ++fans.begin[low(s) + 1];
    fans.reach.push_back(high(s) - low(s));
  }
  std::partial_sum(fans.begin.begin(), fans.begin.end(), fans.begin.begin());
  return fans;
}

// First vertices of the groups of eight whose springs lead equally far, front to back.
std::vector<std::uint32_t> find_even_vertices(const Fans& fans, std::size_t vertex_count) {
  std::vector<std::uint32_t> first;
  std::uint32_t run = 0;  // vertices before i, and i, that are alike
  for (std::uint32_t i = 0; i < vertex_count; ++i) {
    run = run > 0 && fans.alike(i, i - 1) ? run + 1 : 1;
    if (fans.size(i) == 0) run = 0;
    if (run < kEvenVertices) continue;
    first.push_back(i + 1 - kEvenVertices);
    run = 0;
  }
  return first;
}

}  // namespace

SpringOrder order_springs(std::size_t vertex_count, std::span<const SpringInput> springs) {
  const Fans fans = make_fans(vertex_count, springs);
  const std::vector<std::uint32_t> even = find_even_vertices(fans, vertex_count);
  SpringOrder order;
  order.springs.reserve(springs.size());
  std::vector<std::uint32_t> others;  // vertices
  auto group = even.begin();
  for (std::uint32_t i = 0; i < vertex_count;) {
    const std::uint32_t block_end =
        std::min<std::uint32_t>((i / kBlock + 1) * kBlock, static_cast<std::uint32_t>(vertex_count));
    others.clear();
    while (i < block_end) {
      if (group == even.end() || i != *group) {
        others.push_back(i++);
        continue;
      }
      // Neighbouring rows often end at neighbouring vertices (reaches n and n + 1), whose sums would follow
      // each other too closely: first every second row, then the rest.
      const auto begin = static_cast<std::uint32_t>(order.springs.size());
      for (const std::uint32_t parity : {0u, 1u})
        for (std::uint32_t row = parity; row < fans.size(i); row += 2)
          for (std::uint32_t k = 0; k < kEvenVertices; ++k)
            order.springs.push_back(fans.springs[fans.begin[i + k] + row]);
      order.even.push_back({begin, static_cast<std::uint32_t>(order.springs.size())});
      i += kEvenVertices;
      ++group;
    }
    for (std::uint32_t rank = 0, left = 1; left > 0; ++rank) {
      left = 0;
      for (const std::uint32_t other : others) {
        if (rank >= fans.size(other)) continue;
        order.springs.push_back(fans.springs[fans.begin[other] + rank]);
        ++left;
      }
    }
  }
  return order;
}

}  // namespace selkie::mass_spring::detail
