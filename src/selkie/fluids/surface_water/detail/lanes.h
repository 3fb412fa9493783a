// The largest of many values in fixed lanes, which become vector code: one running maximum waits for itself
// at every value, and a step takes five of them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "selkie/core/parallel.h"

namespace selkie::surface_water::detail {

// Of 0 and body(i) for all i in [0, count); not a number where one of them is none or not finite.
template <class Body>
double largest(std::size_t count, Body&& body) {
  constexpr std::size_t kLanes = 16, kBlock = 4096;
  return max_blocks(
      count, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double most[kLanes] = {}, trouble[kLanes] = {};
        auto take = [&](std::size_t i, std::size_t lane) {
          const double value = body(i);
          most[lane] = value > most[lane] ? value : most[lane];
          trouble[lane] += 0 * value;
        };
        std::size_t i = begin;
        for (; i + kLanes <= end; i += kLanes)
          for (std::size_t k = 0; k < kLanes; ++k) take(i + k, k);
        for (std::size_t k = 0; i < end; ++i, ++k) take(i, k);
        double all = 0, bad = 0;
        for (std::size_t k = 0; k < kLanes; ++k) all = std::max(all, most[k]), bad += trouble[k];
        return all + bad;
      },
      kBlock);
}

}  // namespace selkie::surface_water::detail
