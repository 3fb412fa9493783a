// Connected regions of active cells over open faces (HY-19), as intervals of rows joined by union-find. A
// region without air is closed: its pressure is known up to a constant, and its right side must sum to zero.
#pragma once

#include <cstdint>
#include <vector>

#include "selkie/grid/detail/stencil.h"

namespace selkie::grid::detail {

struct Interval {
  std::int32_t begin, end, j, k;
  std::uint32_t region;
};
struct Regions {
  struct Region {
    bool closed = true;
    double cells = 0;
  };
  std::vector<Region> list;
  std::vector<Interval> intervals;  // in the order of rows
  std::size_t closed_count = 0;
};

template <class Real>
void find_regions(const Stencil<Real>& stencil, Regions& regions);

// Σ of a field over each region; takes the mean of closed regions from the field.
template <class Real>
void sum_over_regions(const Regions& regions, View<const Real> field, std::vector<double>& sums);
template <class Real>
void remove_means(const Regions& regions, const std::vector<double>& sums, View<Real> field);

}  // namespace selkie::grid::detail
