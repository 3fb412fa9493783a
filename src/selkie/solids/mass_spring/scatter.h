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

struct VertexRange {
  std::uint32_t begin = 0, end = 0;
};

struct ScatterSchedule {
  std::vector<std::uint32_t> chunk_begin;  // chunk c holds springs [chunk_begin[c], chunk_begin[c+1])
  std::vector<std::uint32_t> order;       // in which chunks are handed out; every wait points backwards in it
  std::vector<std::uint32_t> wait_begin;  // chunk c waits for wait_for[wait_begin[c]] ... [wait_begin[c+1])
  std::vector<std::uint32_t> wait_for;
  std::vector<std::uint32_t> open_begin;  // chunk c opens opens[open_begin[c]] ... [open_begin[c+1])
  std::vector<VertexRange> opens;         // every vertex once
  int colours = 0;

  std::size_t chunk_count() const { return order.size(); }
};

// Springs must be sorted by lower vertex for chunks to be local. The cut depends on the springs alone.
ScatterSchedule make_schedule(std::size_t vertex_count, std::span<const SpringEnds> springs);

struct Chunk {
  std::size_t begin = 0, end = 0;  // its springs
  // Vertices that no other chunk has touched before: their sums can be set to zero here, by the thread that
  // adds to them next and while they are in its cache. Vertices without springs belong to some chunk, too.
  std::span<const VertexRange> opens;
};

// Calls body(chunk) for every chunk, as described above. `done` is scratch.
void run_chunks(const ScatterSchedule& schedule, Buffer<std::uint32_t>& done,
                FunctionRef<void(const Chunk&)> body);

}  // namespace selkie::mass_spring
