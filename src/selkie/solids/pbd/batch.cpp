// See batch.h.
#include "selkie/solids/pbd/batch.h"

#include <algorithm>
#include <numeric>

namespace selkie::pbd {
namespace {

struct Source {
  std::span<const std::uint32_t> corners;
  std::size_t per;
  std::span<const std::uint32_t> operator[](std::size_t c) const { return corners.subspan(c * per, per); }
};

// Colours the constraints order[begin … end) so that equal colours share no vertex; the lowest colour that
// is free at all corners. `used` holds one bit set per vertex and is left clean.
std::vector<std::uint32_t> colour_chunk(const Source& source, std::span<const std::uint32_t> members,
                                        std::vector<std::vector<bool>>& used) {
  std::vector<std::uint32_t> colours;
  for (const std::uint32_t c : members) {
    auto taken = [&](std::uint32_t colour) {
      return std::any_of(source[c].begin(), source[c].end(),
                         [&](std::uint32_t v) { return colour < used[v].size() && used[v][colour]; });
    };
    std::uint32_t colour = 0;
    while (taken(colour)) ++colour;
    for (const std::uint32_t v : source[c]) {
      if (used[v].size() <= colour) used[v].resize(colour + 1);
      used[v][colour] = true;
    }
    colours.push_back(colour);
  }
  for (const std::uint32_t c : members)
    for (const std::uint32_t v : source[c]) used[v].clear();
  return colours;
}

// Appends groups of one colour; the last is filled up with idle lanes.
void append_groups(const Source& source, std::span<const std::uint32_t> members, std::uint32_t idle,
                   Batch& batch) {
  for (std::size_t begin = 0; begin < members.size(); begin += kLanes) {
    for (std::size_t corner = 0; corner < source.per; ++corner)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        batch.corners.push_back(begin + lane < members.size() ? source[members[begin + lane]][corner]
                                                              : idle + static_cast<std::uint32_t>(corner));
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      batch.source.push_back(begin + lane < members.size() ? members[begin + lane] : kNoConstraint);
  }
}

}  // namespace

Batch make_batch(std::size_t vertex_count, std::span<const std::uint32_t> corners,
                 std::size_t per_constraint) {
  const Source source{corners, per_constraint};
  Batch batch;
  batch.count = corners.size() / per_constraint;
  batch.corner_count = per_constraint;
  std::vector<std::uint32_t> order(batch.count), sorted;
  std::iota(order.begin(), order.end(), 0u);
  auto lowest = [&](std::uint32_t c) { return *std::min_element(source[c].begin(), source[c].end()); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return lowest(a) < lowest(b); });
  for (const std::uint32_t c : order) sorted.insert(sorted.end(), source[c].begin(), source[c].end());
  batch.schedule = geometry::make_schedule(vertex_count, sorted, per_constraint);

  std::vector<std::vector<bool>> used(vertex_count);
  std::vector<std::uint32_t> group_begin{0};
  for (std::size_t chunk = 0; chunk < batch.chunk_count(); ++chunk) {
    const std::uint32_t begin = batch.schedule.chunk_begin[chunk],
                        end = batch.schedule.chunk_begin[chunk + 1];
    const auto members = std::span<const std::uint32_t>(order).subspan(begin, end - begin);
    const std::vector<std::uint32_t> colours = colour_chunk(source, members, used);
    const auto idle = static_cast<std::uint32_t>(vertex_count + kIdlePoints * chunk);
    std::vector<std::vector<std::uint32_t>> by_colour;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (by_colour.size() <= colours[k]) by_colour.resize(colours[k] + 1);
      by_colour[colours[k]].push_back(members[k]);
    }
    for (const auto& list : by_colour) append_groups(source, list, idle, batch);
    group_begin.push_back(static_cast<std::uint32_t>(batch.group_count()));
  }
  batch.schedule.chunk_begin = group_begin;
  return batch;
}

}  // namespace selkie::pbd
