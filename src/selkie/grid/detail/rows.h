// What the row kernels of advection share: the piece of a row they work on, the lattice their rays end on,
// and the average of the faces or cells around a sample.
#pragma once

#include <algorithm>
#include <cstdint>

#include "selkie/grid/advect.h"

namespace selkie::grid::detail {

// Samples a kernel takes at once: its row buffers stay in the first cache.
inline constexpr int kSegment = 256;

// `count` samples from (i,j,k) along x; `element` is the first one's distance from element (0,0,0).
struct Segment {
  int i = 0, j = 0, k = 0, count = 0;
  std::ptrdiff_t element = 0;

  int index(int axis) const { return axis == 0 ? i : axis == 1 ? j : k; }
};

// True where samples of the place lie on the low side of the cell along the axis, false half-way.
constexpr bool is_low(Place place, int axis) { return place == Place::node || place == face_place(axis); }

// The samples of one place.
struct Samples {
  Index count{1, 1, 1};  // along a periodic axis without the last, which repeats the first
  std::array<bool, 3> periodic{};
  std::array<std::int32_t, 3> stride{};
  std::array<std::ptrdiff_t, 3> step{};  // to the upper corner of a stencil: 0 where there is one sample only

  Samples() = default;
  Samples(const Shape& shape, Place place, const std::array<bool, 3>& wraps)
      : count(shape.samples(place)), periodic(wraps) {
    for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dims()); ++a) {
      if (periodic[a]) count[a] = shape.cells()[a];
      stride[a] = static_cast<std::int32_t>(shape.stride(static_cast<int>(a)));
      step[a] = count[a] > 1 || periodic[a] ? stride[a] : 0;
    }
  }
};

// The two indices along `axis` whose average lies at index i of the place, for values that lie half-way
// (between) or on the low side.
struct Pair {
  int lo = 0, hi = 0;
};
inline Pair neighbours(const Samples& of, int axis, bool value_is_low, bool place_is_low, int i) {
  if (value_is_low == place_is_low) return {i, i};
  if (value_is_low) return {i, i + 1};
  const auto a = static_cast<std::size_t>(axis);
  const int last = of.count[a] - 1;
  if (of.periodic[a]) return {i > 0 ? i - 1 : last, i > last ? 0 : i};
  return {i > 0 ? i - 1 : 0, i > last ? last : i};
}

// Rows of a field whose element-wise average (or union) belongs to the samples of a segment. Along x they may
// reach one element beyond the ends; `ends` then asks for each_source() at the first and last sample of the
// row.
template <class E>
struct Sources {
  std::array<const E*, 8> row{};
  int count = 1;
  bool ends = false;
};
template <class E, int Dims>
Sources<E> sources(const View<const E>& field, const Samples& of, Place value, Place place,
                   const Segment& s) {
  Sources<E> found;
  found.row[0] = field.data;
  for (int axis = 0; axis < Dims; ++axis) {
    const bool value_low = is_low(value, axis), place_low = is_low(place, axis);
    const std::ptrdiff_t stride = axis == 0 ? 1 : axis == 1 ? field.row : field.plane;
    Pair pair = neighbours(of, axis, value_low, place_low, s.index(axis));
    if (axis == 0 && place_low && !value_low) {
      pair = {s.i - 1, s.i};
      found.ends = true;
    }
    const bool two = value_low != place_low;
    for (int n = 0; two && n < found.count; ++n)
      found.row[static_cast<std::size_t>(n + found.count)] =
          found.row[static_cast<std::size_t>(n)] + pair.hi * stride;
    for (int n = 0; n < found.count; ++n) found.row[static_cast<std::size_t>(n)] += pair.lo * stride;
    if (two) found.count *= 2;
  }
  return found;
}

// The elements of sources() for one sample, none of them beyond the ends: calls visit(index, element) for
// each.
template <class E, int Dims, class Visit>
void each_source(const View<const E>& field, const Samples& of, Place value, Place place, const Index& at,
                 Visit&& visit) {
  std::array<Pair, 3> pair{};
  for (int axis = 0; axis < Dims; ++axis)
    pair[static_cast<std::size_t>(axis)] =
        neighbours(of, axis, is_low(value, axis), is_low(place, axis), at[static_cast<std::size_t>(axis)]);
  for (int n = 0; n < (1 << Dims); ++n) {
    bool repeated = false;  // an axis with one index has no upper one
    Index index{};
    for (int axis = 0; axis < Dims; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const bool upper = (n >> axis & 1) != 0;
      repeated = repeated || (upper && is_low(value, axis) == is_low(place, axis));
      index[a] = upper ? pair[a].hi : pair[a].lo;
    }
    if (!repeated) visit(index, field(index[0], index[1], index[2]));
  }
}

// Which samples of a segment touch a marked cell.
template <int Dims>
void mark_row(const View<const std::uint8_t>& marks, const Samples& cells, Place place, const Segment& s,
              std::uint8_t* __restrict marked) {
  const Sources<std::uint8_t> from = sources<std::uint8_t, Dims>(marks, cells, Place::cell, place, s);
  std::fill_n(marked, s.count, std::uint8_t(0));
  for (std::size_t n = 0; n < static_cast<std::size_t>(from.count); ++n)
    for (int l = 0; l < s.count; ++l) marked[l] = static_cast<std::uint8_t>(marked[l] | from.row[n][l]);
  if (!from.ends) return;
  for (const int i : {0, cells.count[0]}) {
    if (i < s.i || i >= s.i + s.count) continue;
    std::uint8_t any = 0;
    each_source<std::uint8_t, Dims>(
        marks, cells, Place::cell, place, {i, s.j, s.k},
        [&](const Index&, std::uint8_t m) { any = static_cast<std::uint8_t>(any | m); });
    marked[i - s.i] = any;
  }
}

}  // namespace selkie::grid::detail
