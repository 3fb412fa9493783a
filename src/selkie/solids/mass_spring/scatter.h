// Conflict-free parallel scatter: springs are cut into chunks, chunks that share a vertex are put in a fixed
// order by a greedy colouring, and a chunk starts as soon as those it must follow are done. Sums into a
// vertex are thus taken in one order whatever the number of threads, without a force array per thread and
// without a barrier per colour.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/core/function_ref.h"

namespace selkie::mass_spring {

using SpringEnds = std::array<std::uint32_t, 2>;

struct ScatterSchedule {
  std::vector<std::uint32_t> chunk_begin;  // chunk c holds springs [chunk_begin[c], chunk_begin[c+1])
  std::vector<std::uint32_t> order;       // in which chunks are handed out; every wait points backwards in it
  std::vector<std::uint32_t> wait_begin;  // chunk c waits for wait_for[wait_begin[c]] ... [wait_begin[c+1])
  std::vector<std::uint32_t> wait_for;
  int colours = 0;

  std::size_t chunk_count() const { return order.size(); }
};

// Springs must be sorted by lower vertex for chunks to be local. The cut depends on the springs alone.
ScatterSchedule make_schedule(std::size_t vertex_count, std::span<const SpringEnds> springs);

// Calls body(begin, end) for the springs of every chunk, as described above. `done` is scratch.
void run_chunks(const ScatterSchedule& schedule, Buffer<std::uint32_t>& done,
                FunctionRef<void(std::size_t, std::size_t)> body);

}  // namespace selkie::mass_spring
