// Conflict-free parallel scatter from elements (springs, triangles, tetrahedra) to their vertices: elements
// are cut into chunks, chunks that share a vertex are put in a fixed order by a greedy colouring, and a chunk
// starts as soon as those it must follow are done. Sums into a vertex are thus taken in one order whatever
// the number of threads, without a force array per thread and without a barrier per colour.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/core/function_ref.h"

namespace selkie::geometry {

struct VertexRange {
  std::uint32_t begin = 0, end = 0;
};

struct ScatterSchedule {
  std::vector<std::uint32_t> chunk_begin;  // chunk c holds elements [chunk_begin[c], chunk_begin[c+1])
  std::vector<std::uint32_t> order;       // in which chunks are handed out; every wait points backwards in it
  std::vector<std::uint32_t> wait_begin;  // chunk c waits for wait_for[wait_begin[c]] ... [wait_begin[c+1])
  std::vector<std::uint32_t> wait_for;
  std::vector<std::uint32_t> open_begin;  // chunk c opens opens[open_begin[c]] ... [open_begin[c+1])
  std::vector<VertexRange> opens;         // every vertex once
  int colours = 0;

  std::size_t chunk_count() const { return order.size(); }
};

// `corners` holds `per_element` vertices for each element. Elements must be sorted by lower vertex for chunks
// to be local. Chunks begin at multiples of 8 elements; the cut depends on the elements alone.
ScatterSchedule make_schedule(std::size_t vertex_count, std::span<const std::uint32_t> corners,
                              std::size_t per_element);

template <std::size_t N>
ScatterSchedule make_schedule(std::size_t vertex_count,
                              const std::vector<std::array<std::uint32_t, N>>& elements) {
  const std::uint32_t* first = elements.empty() ? nullptr : elements.front().data();
  return make_schedule(vertex_count, std::span(first, N * elements.size()), N);
}

struct Chunk {
  std::size_t begin = 0, end = 0;  // its elements
  // Vertices that no other chunk has touched before: their sums can be set to zero here, by the thread that
  // adds to them next and while they are in its cache. Vertices without elements belong to some chunk, too.
  std::span<const VertexRange> opens;
};

// Calls body(chunk) for every chunk, as described above. `done` is scratch.
void run_chunks(const ScatterSchedule& schedule, Buffer<std::uint32_t>& done,
                FunctionRef<void(const Chunk&)> body);

}  // namespace selkie::geometry
