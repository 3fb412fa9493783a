// How the surface crosses a cube whose corners are inside or outside: which of the crossed edges belong to
// one patch of surface. On a face whose corners alternate, the default is to cut the two inner corners off;
// `joined` faces join them instead. [Nielson04], rules by tracing instead of a printed table.
// Corner bits: x + 2y + 4z. Edge 4a + b + 2c runs along axis a at offsets b, c along axes a+1, a+2 (cyclic).
// Face 2a + s lies across axis a on its low or high side.
#pragma once

#include <array>
#include <cstdint>

namespace selkie::io::detail {

struct Patches {
  std::uint8_t count = 0;
  std::array<std::uint8_t, 12> of_edge{};  // patch of a crossed edge; kNone
  std::uint8_t twice = 0;                  // faces (bits) that one patch crosses twice
  static constexpr std::uint8_t kNone = 0xff;
};

constexpr int corner_bit(int axis) { return 1 << axis; }
// The two corners of an edge.
constexpr std::array<int, 2> ends_of(int edge) {
  const int a = edge / 4, b = (a + 1) % 3, c = (a + 2) % 3;
  const int low = (edge & 1) * corner_bit(b) + (edge >> 1 & 1) * corner_bit(c);
  return {low, low + corner_bit(a)};
}
constexpr int edge_along(int axis, int corner) {  // the edge along an axis through a corner
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  return 4 * axis + (corner >> b & 1) + 2 * (corner >> c & 1);
}

constexpr Patches trace_patches(unsigned inside, unsigned joined) {
  std::array<std::uint8_t, 12> group{};
  for (std::uint8_t e = 0; e < 12; ++e) group[e] = e;
  auto unite = [&](int p, int q) {
    const std::uint8_t from = group[std::size_t(p)], to = group[std::size_t(q)];
    for (std::uint8_t& g : group)
      if (g == from) g = to;
  };
  auto is_inside = [&](int corner) { return (inside >> corner & 1) != 0; };
  std::array<std::array<int, 2>, 6> segments{};  // an edge of each of the two segments on an alternating face
  unsigned alternating = 0;
  for (int face = 0; face < 6; ++face) {
    const int a = face / 2, b = (a + 1) % 3, c = (a + 2) % 3, base = (face & 1) * corner_bit(a);
    const int corners[4] = {base, base + corner_bit(b), base + corner_bit(b) + corner_bit(c),
                            base + corner_bit(c)};
    const int edges[4] = {edge_along(b, corners[0]), edge_along(c, corners[1]), edge_along(b, corners[3]),
                          edge_along(c, corners[0])};  // edges[n] joins corners n and n+1
    int crossed[4] = {}, count = 0;
    for (int n = 0; n < 4; ++n)
      if (is_inside(corners[n]) != is_inside(corners[(n + 1) % 4])) crossed[count++] = n;
    if (count == 2) unite(edges[crossed[0]], edges[crossed[1]]);
    if (count == 4) {
      // Corner n lies between edges n−1 and n; the corners of one kind are cut off.
      const bool cut_inner = (joined >> face & 1) == 0;
      const int n = is_inside(corners[0]) == cut_inner ? 0 : 1;
      unite(edges[(n + 3) % 4], edges[n]);
      unite(edges[(n + 1) % 4], edges[(n + 2) % 4]);
      alternating |= 1u << face;
      segments[std::size_t(face)] = {edges[n], edges[(n + 2) % 4]};
    }
  }
  Patches patches;
  std::array<std::uint8_t, 12> number{};
  number.fill(Patches::kNone), patches.of_edge.fill(Patches::kNone);
  for (int e = 0; e < 12; ++e) {
    const auto [low, high] = ends_of(e);
    if (is_inside(low) == is_inside(high)) continue;
    std::uint8_t& n = number[group[std::size_t(e)]];
    if (n == Patches::kNone) n = patches.count++;
    patches.of_edge[std::size_t(e)] = n;
  }
  for (int face = 0; face < 6; ++face)
    if ((alternating >> face & 1) != 0 && patches.of_edge[std::size_t(segments[std::size_t(face)][0])] ==
                                              patches.of_edge[std::size_t(segments[std::size_t(face)][1])])
      patches.twice = static_cast<std::uint8_t>(patches.twice | 1u << face);
  return patches;
}

inline const std::array<Patches, 256>& default_patches() {
  static const std::array<Patches, 256> table = [] {
    std::array<Patches, 256> all;
    for (unsigned inside = 0; inside < 256; ++inside) all[inside] = trace_patches(inside, 0);
    return all;
  }();
  return table;
}

}  // namespace selkie::io::detail
