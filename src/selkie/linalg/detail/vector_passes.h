// Fused passes over long vectors: each reads and writes memory once and returns its dot product, summed over
// blocks whose size depends on the length alone. At most kMaxBlocks blocks are used, so that partial sums fit
// the stack buffer of core's reduction and nothing is allocated.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "selkie/core/parallel.h"

namespace selkie::linalg::detail {

inline constexpr std::size_t kMaxBlocks = 256;

// Block size for `count` elements: at least `smallest`, and a multiple of 8.
inline std::size_t block_size(std::size_t count, std::size_t smallest = kDefaultBlock) {
  const std::size_t needed = (count + kMaxBlocks - 1) / kMaxBlocks;
  return (std::max(smallest, needed) + 7) / 8 * 8;
}

// Eight partial sums that the compiler keeps in vector registers; added in a fixed order.
struct Lanes {
  static constexpr std::size_t kCount = 8;
  std::array<double, kCount> lane{};
  double total() const {
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  }
};

// Sum of term(i) over [begin, end); term may also update element i.
template <class Term>
double sum_lanes(std::size_t begin, std::size_t end, Term&& term) {
  Lanes sums;
  std::size_t i = begin;
  for (; i + Lanes::kCount <= end; i += Lanes::kCount)
    for (std::size_t l = 0; l < Lanes::kCount; ++l) sums.lane[l] += term(i + l);
  for (std::size_t l = 0; i < end; ++i, ++l) sums.lane[l] += term(i);
  return sums.total();
}

// Runs term(i) over [0, count) in parallel and returns the sum.
template <class Term>
double fused_sum(std::size_t count, Term&& term) {
  return sum_blocks(
      count, [&](std::size_t begin, std::size_t end) { return sum_lanes(begin, end, term); },
      block_size(count));
}

inline double squared_norm(std::span<const double> a) {
  const double* v = a.data();
  return fused_sum(a.size(), [=](std::size_t i) { return v[i] * v[i]; });
}

}  // namespace selkie::linalg::detail
