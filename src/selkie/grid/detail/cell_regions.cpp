// See cell_regions.h.
#include "selkie/grid/detail/cell_regions.h"

#include <algorithm>

namespace selkie::grid::detail {
namespace {

struct Forest {
  std::vector<std::uint32_t> parent;
  std::uint32_t root(std::uint32_t a) {
    while (parent[a] != a) a = parent[a] = parent[parent[a]];
    return a;
  }
  // The lower index leads, so numbers follow the order of rows.
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a), b = root(b);
    parent[std::max(a, b)] = std::min(a, b);
  }
};

// Joins the intervals of two neighbouring rows that share an open face; `low` holds the faces of the upper
// row.
template <class Real>
void join_rows(const std::vector<Interval>& all, std::size_t lower, std::size_t lower_end, std::size_t upper,
               std::size_t upper_end, const std::vector<Real>& low, Forest& forest) {
  while (lower < lower_end && upper < upper_end) {
    const int begin = std::max(all[lower].begin, all[upper].begin),
              end = std::min(all[lower].end, all[upper].end);
    for (int i = begin; i < end; ++i)
      if (low[static_cast<std::size_t>(i)] > 0) {
        forest.join(static_cast<std::uint32_t>(lower), static_cast<std::uint32_t>(upper));
        break;
      }
    if (all[lower].end < all[upper].end)
      ++lower;
    else
      ++upper;
  }
}

}  // namespace

template <class Real>
void find_regions(const Stencil<Real>& stencil, Regions& regions) {
  const Index n = stencil.shape.cells();
  regions.intervals.clear(), regions.list.clear();
  Forest forest;
  std::vector<char> airy;
  std::vector<std::size_t> row_begin;
  DenseRow<Real> row;
  row.resize(static_cast<std::size_t>(n[0]));
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j) {
      expand_row(stencil, j, k, row);
      row_begin.push_back(regions.intervals.size());
      // Cut the row into intervals of active cells joined along x.
      for (std::size_t i = 0; i < row.air.size(); ++i) {
        Real faces = 0;
        for (const auto& face : row.face) faces += face[i];
        if (faces + row.air[i] <= 0) continue;
        const int at = static_cast<int>(i);
        const bool joins = row.face[kXLow][i] > 0;
        if (!joins) {
          forest.parent.push_back(static_cast<std::uint32_t>(regions.intervals.size()));
          regions.intervals.push_back({at, at, j, k, 0});
          airy.push_back(0);
        }
        regions.intervals.back().end = at + 1;
        if (row.air[i] > 0) airy.back() = 1;
      }
      const std::size_t here = row_begin.back(), end = regions.intervals.size(),
                        number = row_begin.size() - 1;
      auto join_with = [&](std::size_t rows_back, int face) {
        join_rows(regions.intervals, row_begin[number - rows_back], row_begin[number - rows_back + 1], here,
                  end, row.face[static_cast<std::size_t>(face)], forest);
      };
      if (j > 0) join_with(1, kYLow);
      if (k > 0) join_with(static_cast<std::size_t>(n[1]), kZLow);
    }

  // Number the roots in order and collect what each region has.
  std::vector<std::uint32_t> number(regions.intervals.size());
  for (std::uint32_t a = 0; a < number.size(); ++a) {
    const std::uint32_t root = forest.root(a);
    if (root == a) {
      number[a] = static_cast<std::uint32_t>(regions.list.size());
      regions.list.emplace_back();
    }
    Interval& interval = regions.intervals[a];
    interval.region = number[root];
    Regions::Region& region = regions.list[interval.region];
    region.cells += interval.end - interval.begin;
    if (airy[a] != 0) region.closed = false;
  }
  regions.closed_count = static_cast<std::size_t>(std::count_if(
      regions.list.begin(), regions.list.end(), [](const auto& region) { return region.closed; }));
}

template <class Real>
void sum_over_regions(const Regions& regions, View<const Real> field, std::vector<double>& sums) {
  constexpr int kLanes = 16;
  sums.assign(regions.list.size(), 0.0);
  for (const Interval& interval : regions.intervals) {
    const Real* row = field.line(interval.j, interval.k);
    double lane[kLanes] = {};
    int i = interval.begin;
    for (; i + kLanes <= interval.end; i += kLanes)
      for (int l = 0; l < kLanes; ++l) lane[l] += static_cast<double>(row[i + l]);
    double sum = 0;
    for (; i < interval.end; ++i) sum += static_cast<double>(row[i]);
    for (const double value : lane) sum += value;
    sums[interval.region] += sum;
  }
}

template <class Real>
void remove_means(const Regions& regions, const std::vector<double>& sums, View<Real> field) {
  for (const Interval& interval : regions.intervals) {
    const Regions::Region& region = regions.list[interval.region];
    if (!region.closed) continue;
    const Real mean = static_cast<Real>(sums[interval.region] / region.cells);
    Real* row = field.line(interval.j, interval.k);
    for (int i = interval.begin; i < interval.end; ++i) row[i] -= mean;
  }
}

template void find_regions(const Stencil<float>&, Regions&);
template void find_regions(const Stencil<double>&, Regions&);
template void sum_over_regions(const Regions&, View<const float>, std::vector<double>&);
template void sum_over_regions(const Regions&, View<const double>, std::vector<double>&);
template void remove_means(const Regions&, const std::vector<double>&, View<float>);
template void remove_means(const Regions&, const std::vector<double>&, View<double>);

}  // namespace selkie::grid::detail
