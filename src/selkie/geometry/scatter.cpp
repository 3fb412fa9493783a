// Chunks, their greedy colouring, and the data-driven run. Only the order among chunks that share a vertex
// decides the bits of a sum; that order is (colour, index) and never depends on threads.
#include "selkie/geometry/scatter.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"

namespace selkie::geometry {
namespace {

// Below this a chunk costs less than handing it out; above, little is gained by longer ones.
constexpr std::size_t kSmallestChunk = 256;
// So many chunks at least, so that two to four threads stay busy.
constexpr std::size_t kWantedChunks = 12;

struct Elements {
  std::span<const std::uint32_t> corners;
  std::size_t per_element;
  std::size_t size() const { return corners.size() / per_element; }
  std::span<const std::uint32_t> operator[](std::size_t e) const {
    return corners.subspan(e * per_element, per_element);
  }
};

// A chunk as long as the bandwidth of the mesh meets only its two neighbours, hence two colours.
std::size_t chunk_length(std::size_t vertex_count, const Elements& elements) {
  std::size_t bandwidth = 1;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const auto [low, high] = std::minmax_element(elements[e].begin(), elements[e].end());
    bandwidth = std::max<std::size_t>(bandwidth, *high - *low);
  }
  const double per_vertex = static_cast<double>(elements.size()) / static_cast<double>(vertex_count);
  const auto reach = static_cast<std::size_t>(per_vertex * static_cast<double>(bandwidth));
  const std::size_t length = std::max(kSmallestChunk, std::min(reach, elements.size() / kWantedChunks));
  return (length + 7) / 8 * 8;  // whole groups of the vector kernel, whole cache lines of the arrays
}

// For each chunk the chunks with a common vertex, ascending.
std::vector<std::vector<std::uint32_t>> find_conflicts(std::size_t vertex_count, const Elements& elements,
                                                       std::span<const std::uint32_t> chunk_begin) {
  const std::size_t chunks = chunk_begin.size() - 1;
  std::vector<std::vector<std::uint32_t>> chunks_of_vertex(vertex_count);
  for (std::uint32_t c = 0; c < chunks; ++c)
    for (std::size_t s = chunk_begin[c]; s < chunk_begin[c + 1]; ++s)
      for (const std::uint32_t vertex : elements[s]) {
        auto& list = chunks_of_vertex[vertex];
        if (list.empty() || list.back() != c) list.push_back(c);
      }
  std::vector<std::vector<std::uint32_t>> conflicts(chunks);
  for (const auto& list : chunks_of_vertex)
    for (const std::uint32_t a : list)
      for (const std::uint32_t b : list)
        if (a != b) conflicts[a].push_back(b);
  for (auto& list : conflicts) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return conflicts;
}

std::vector<std::uint32_t> colour_greedily(const std::vector<std::vector<std::uint32_t>>& conflicts) {
  std::vector<std::uint32_t> colour(conflicts.size());
  std::vector<std::uint8_t> taken;
  for (std::uint32_t c = 0; c < conflicts.size(); ++c) {
    taken.assign(conflicts[c].size() + 1, 0);
    for (const std::uint32_t other : conflicts[c])
      if (other < c && colour[other] < taken.size()) taken[colour[other]] = 1;
    colour[c] = static_cast<std::uint32_t>(std::find(taken.begin(), taken.end(), 0) - taken.begin());
  }
  return colour;
}

// Gives each vertex to the chunk that is handed out first among those that touch it. These wait for one
// another, so it is the first to run as well.
void find_opened_vertices(std::size_t vertex_count, const Elements& elements, ScatterSchedule& schedule) {
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> opener(vertex_count, kNone);
  for (const std::uint32_t c : schedule.order)
    for (std::size_t s = schedule.chunk_begin[c]; s < schedule.chunk_begin[c + 1]; ++s)
      for (const std::uint32_t vertex : elements[s])
        if (opener[vertex] == kNone) opener[vertex] = c;
  std::vector<std::vector<VertexRange>> ranges(schedule.chunk_count());
  for (std::uint32_t begin = 0, end = 0; begin < vertex_count; begin = end) {
    while (end < vertex_count && opener[end] == opener[begin]) ++end;
    ranges[opener[begin] == kNone ? 0 : opener[begin]].push_back({begin, end});
  }
  schedule.open_begin.push_back(0);
  for (const auto& list : ranges) {
    schedule.opens.insert(schedule.opens.end(), list.begin(), list.end());
    schedule.open_begin.push_back(static_cast<std::uint32_t>(schedule.opens.size()));
  }
}

}  // namespace

ScatterSchedule make_schedule(std::size_t vertex_count, std::span<const std::uint32_t> corners,
                              std::size_t per_element) {
  const Elements elements{corners, per_element};
  ScatterSchedule schedule;
  schedule.wait_begin.push_back(0);
  schedule.chunk_begin.push_back(0);
  if (corners.empty()) return schedule;
  const std::size_t length = chunk_length(vertex_count, elements);
  for (std::size_t begin = 0; begin < elements.size(); begin += length)
    schedule.chunk_begin.push_back(static_cast<std::uint32_t>(std::min(elements.size(), begin + length)));

  const auto conflicts = find_conflicts(vertex_count, elements, schedule.chunk_begin);
  const auto colour = colour_greedily(conflicts);
  const std::size_t chunks = conflicts.size();
  auto precedes = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(colour[a], a) < std::pair(colour[b], b);
  };
  for (std::uint32_t c = 0; c < chunks; ++c) {
    for (const std::uint32_t other : conflicts[c])
      if (precedes(other, c)) schedule.wait_for.push_back(other);
    schedule.wait_begin.push_back(static_cast<std::uint32_t>(schedule.wait_for.size()));
    schedule.colours = std::max(schedule.colours, static_cast<int>(colour[c]) + 1);
  }

  // Hand chunks out front to back, each one chunk later than the last it waits for: neighbours then follow
  // while their vertices are in cache, yet seldom have to wait.
  std::vector<std::uint32_t> by_colour(chunks), key(chunks);
  std::iota(by_colour.begin(), by_colour.end(), 0u);
  std::sort(by_colour.begin(), by_colour.end(), precedes);
  for (const std::uint32_t c : by_colour) {
    key[c] = c;
    for (std::size_t w = schedule.wait_begin[c]; w < schedule.wait_begin[c + 1]; ++w)
      key[c] = std::max(key[c], key[schedule.wait_for[w]] + 3);
  }
  schedule.order = by_colour;
  std::stable_sort(schedule.order.begin(), schedule.order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key[a] < key[b]; });
  find_opened_vertices(vertex_count, elements, schedule);
  return schedule;
}

void run_chunks(const ScatterSchedule& schedule, Buffer<std::uint32_t>& done,
                FunctionRef<void(const Chunk&)> body) {
  auto run = [&](std::uint32_t c) {
    const std::uint32_t first = schedule.open_begin[c], last = schedule.open_begin[c + 1];
    body({schedule.chunk_begin[c], schedule.chunk_begin[c + 1],
          std::span(schedule.opens).subspan(first, last - first)});
  };
  const std::size_t workers =
      std::min<std::size_t>(static_cast<std::size_t>(thread_count()), schedule.chunk_count());
  if (workers <= 1) {
    for (const std::uint32_t c : schedule.order) run(c);
    return;
  }
  // Every wait points to a chunk handed out earlier, hence to one that some thread is already running: no
  // deadlock however many workers there are.
  done.assign(schedule.chunk_count(), 0);
  std::atomic<std::size_t> next{0};
  auto finished = [&](std::uint32_t c) { return std::atomic_ref<std::uint32_t>(done[c]); };
  parallel_blocks(workers, 1, [&](std::size_t, std::size_t) {
    for (std::size_t n = next++; n < schedule.chunk_count(); n = next++) {
      const std::uint32_t c = schedule.order[n];
      for (std::size_t w = schedule.wait_begin[c]; w < schedule.wait_begin[c + 1]; ++w)
        for (int spins = 0; finished(schedule.wait_for[w]).load(std::memory_order_acquire) == 0; ++spins)
          if (spins > 2000) std::this_thread::yield();
      run(c);
      finished(c).store(1, std::memory_order_release);
    }
  });
}

}  // namespace selkie::geometry
