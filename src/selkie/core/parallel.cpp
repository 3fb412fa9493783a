// Fixed blocks on a team of threads; loops that the team cannot take on oneTBB, or, where the thread
// sanitizer must see every hand-over, on the calling thread.
#include "selkie/core/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "selkie/core/check.h"
#include "selkie/core/detail/team.h"

#ifndef SELKIE_STD_THREADS
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#endif

namespace selkie {
namespace {

int g_thread_count = 0;  // 0: not chosen yet, one per core

int hardware_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// Never destroyed: at exit its threads sleep until the process is gone.
detail::Team* g_team = nullptr;

#ifndef SELKIE_STD_THREADS
std::unique_ptr<tbb::global_control> g_limit;

void run_beside(std::size_t blocks, FunctionRef<void(std::size_t)> body) {
  tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t b) { body(b); });
}
#else
void run_beside(std::size_t blocks, FunctionRef<void(std::size_t)> body) {
  for (std::size_t b = 0; b < blocks; ++b) body(b);
}
#endif

// The team serves one loop at a time; loops inside of loops and those of other callers go to the task
// scheduler.
void run_blocks(std::size_t blocks, FunctionRef<void(std::size_t)> body) {
  static std::once_flag started;
  std::call_once(started, [] {
    if (!g_team) g_team = new detail::Team(thread_count());
  });
  if (!g_team->try_run(blocks, body)) run_beside(blocks, body);
}

// Adds partial sums as a balanced binary tree; the shape depends on the number of blocks only.
double tree_sum(std::span<const double> values) {
  if (values.empty()) return 0;
  if (values.size() == 1) return values[0];
  const std::size_t half = values.size() / 2;
  return tree_sum(values.first(half)) + tree_sum(values.subspan(half));
}

// One partial result per block, kept on the stack for the common small counts.
template <class Reduce>
double reduce(std::size_t count, std::size_t block, FunctionRef<double(std::size_t, std::size_t)> partial,
              Reduce&& combine) {
  constexpr std::size_t kOnStack = 256;
  const std::size_t blocks = (count + block - 1) / block;
  std::array<double, kOnStack> small;
  std::vector<double> large;
  if (blocks > kOnStack) large.resize(blocks);
  const std::span<double> partials =
      blocks > kOnStack ? std::span<double>(large) : std::span<double>(small).first(blocks);
  parallel_blocks(count, block,
                  [&](std::size_t begin, std::size_t end) { partials[begin / block] = partial(begin, end); });
  return combine(std::span<const double>(partials));
}

}  // namespace

void set_thread_count(int count) {
  SELKIE_CHECK(count >= 0, "a thread count is not negative");
  const int wanted = count == 0 ? hardware_threads() : count;
  if (wanted != g_thread_count || !g_team) {
    delete std::exchange(g_team, nullptr);
    g_team = new detail::Team(wanted);
  }
  g_thread_count = wanted;
#ifndef SELKIE_STD_THREADS
  g_limit.reset();
  g_limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  static_cast<std::size_t>(g_thread_count));
#endif
}

int thread_count() { return g_thread_count == 0 ? hardware_threads() : g_thread_count; }

void parallel_blocks(std::size_t count, std::size_t block, FunctionRef<void(std::size_t, std::size_t)> body) {
  SELKIE_CHECK(block > 0, "a block holds at least one element");
  if (count == 0) return;
  const std::size_t blocks = (count + block - 1) / block;
  auto run = [&](std::size_t b) { body(b * block, std::min(count, (b + 1) * block)); };
  if (blocks == 1 || thread_count() == 1) {
    for (std::size_t b = 0; b < blocks; ++b) run(b);
  } else {
    run_blocks(blocks, run);
  }
}

double sum_blocks(std::size_t count, FunctionRef<double(std::size_t, std::size_t)> partial,
                  std::size_t block) {
  return reduce(count, block, partial, tree_sum);
}

double max_blocks(std::size_t count, double empty, FunctionRef<double(std::size_t, std::size_t)> partial,
                  std::size_t block) {
  if (count == 0) return empty;
  return reduce(count, block, partial, [](std::span<const double> values) {
    double largest = values[0];
    for (double value : values) {
      if (!(value <= largest)) largest = value;
      if (std::isnan(largest)) break;
    }
    return largest;
  });
}

double dot(std::span<const double> a, std::span<const double> b) {
  SELKIE_CHECK(a.size() == b.size(), "dot product of vectors of one length");
  return sum_blocks(a.size(), [&](std::size_t begin, std::size_t end) {
    constexpr std::size_t kLanes = 8;
    std::array<double, kLanes> lane{};
    std::size_t i = begin;
    for (; i + kLanes <= end; i += kLanes)
      for (std::size_t l = 0; l < kLanes; ++l) lane[l] += a[i + l] * b[i + l];
    for (std::size_t l = 0; i < end; ++i, ++l) lane[l] += a[i] * b[i];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  });
}

}  // namespace selkie
