// Constraints of one kind, laid out for Gauss–Seidel sweeps by several threads and by registers of eight
// [Müller08 §5.3]. Constraints are sorted by vertex and cut into chunks; chunks that share a vertex run in a
// fixed order (geometry/scatter.h), so a sweep gives the same bits for any number of threads without a
// barrier per colour. Inside a chunk, whose vertices fit the first cache, a greedy colouring makes groups of
// eight constraints that share no vertex.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "selkie/geometry/scatter.h"

namespace selkie::pbd {

inline constexpr std::size_t kLanes = 8;
inline constexpr std::uint32_t kNoConstraint = UINT32_MAX;
// Lanes that hold no constraint point at these points behind the vertices, of which each chunk has its own.
inline constexpr std::size_t kIdlePoints = 4;

struct Batch {
  std::size_t count = 0;               // constraints
  std::size_t corner_count = 0;        // of each
  std::vector<std::uint32_t> corners;  // [group][corner][lane]
  std::vector<std::uint32_t> source;   // [group][lane]: number of the constraint, or kNoConstraint
  geometry::ScatterSchedule schedule;  // chunk_begin counts groups

  std::size_t group_count() const { return source.size() / kLanes; }
  std::size_t chunk_count() const { return schedule.chunk_count(); }
};

// `corners` holds `per_constraint` vertices for each constraint.
Batch make_batch(std::size_t vertex_count, std::span<const std::uint32_t> corners,
                 std::size_t per_constraint);

template <std::size_t N>
Batch make_batch(std::size_t vertex_count, const std::vector<std::array<std::uint32_t, N>>& constraints) {
  const std::uint32_t* first = constraints.empty() ? nullptr : constraints.front().data();
  return make_batch(vertex_count, std::span(first, N * constraints.size()), N);
}

}  // namespace selkie::pbd
