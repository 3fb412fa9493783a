// The way from vertices to lanes and back.
#pragma once

#include <array>
#include <cstdint>

#include "selkie/solids/fem/detail/small_matrix.h"
#include "selkie/solids/fem/model.h"

namespace selkie::fem::detail {

// Four vectors of four values become four of the other order.
inline void transpose(const Half (&in)[4], Half (&out)[4]) {
  const Half ab_low = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6);
  const Half ab_high = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7);
  const Half cd_low = __builtin_shufflevector(in[2], in[3], 0, 4, 2, 6);
  const Half cd_high = __builtin_shufflevector(in[2], in[3], 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

// Components of eight vertices out of an array with three doubles a vertex; reads one double past the last,
// which Buffers have room for.
template <int D>
inline void gather(const double* xyz, const std::uint32_t* vertices, std::array<Lanes, D>& x) {
  Half low[4], high[4], a[4], b[4];
  for (int l = 0; l < 4; ++l) {
    low[l] = load_half(xyz + 3 * std::size_t{vertices[l]});
    high[l] = load_half(xyz + 3 * std::size_t{vertices[l + 4]});
  }
  transpose(low, a);
  transpose(high, b);
  for (int c = 0; c < D; ++c)
    x[static_cast<std::size_t>(c)] = __builtin_shufflevector(a[c], b[c], 0, 1, 2, 3, 4, 5, 6, 7);
}

// Adds the components of eight vectors to an array with four doubles a vertex.
template <int D>
inline void scatter_add(const std::array<Lanes, D>& f, const std::uint32_t* vertices, double* padded) {
  Half low[4]{}, high[4]{}, a[4], b[4];
  for (int c = 0; c < D; ++c) {
    const Lanes& row = f[static_cast<std::size_t>(c)];
    low[c] = __builtin_shufflevector(row, row, 0, 1, 2, 3);
    high[c] = __builtin_shufflevector(row, row, 4, 5, 6, 7);
  }
  transpose(low, a);
  transpose(high, b);
  for (int l = 0; l < 8; ++l) {
    double* target = padded + 4 * std::size_t{vertices[l]};
    store_half(target, load_half(target) + (l < 4 ? a[l] : b[l - 4]));
  }
}

template <int D>
using LaneMatrix = Small<D, Lanes>;

template <int D>
inline void load_matrix(const double* p, LaneMatrix<D>& m) {
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) m[i][j] = load(p + static_cast<std::size_t>(i * D + j) * kLanes);
}
template <int D>
inline void store_matrix(double* p, const LaneMatrix<D>& m) {
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) store(p + static_cast<std::size_t>(i * D + j) * kLanes, m[i][j]);
}

}  // namespace selkie::fem::detail
