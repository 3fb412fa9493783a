// Speed of core's loops beside what memory allows: the deterministic dot product, the hash, and a buffer
// copy, from cache-resident to memory-bound sizes. The `of_triad` column is the share of the triad's
// bandwidth with the same working set and thread count.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <map>

#include "bench/bandwidth.h"
#include "selkie/core/hash.h"
#include "selkie/core/parallel.h"

namespace selkie::bench {
namespace {

double triad_rate(std::size_t working_set, int threads) {
  static std::map<std::pair<std::size_t, int>, double> known;
  double& rate = known[{working_set, threads}];
  if (rate == 0) rate = measure_bandwidth(working_set, threads).bytes_per_second;
  return rate;
}

void report(benchmark::State& state, std::size_t bytes_per_iteration, int threads) {
  const double bytes = static_cast<double>(bytes_per_iteration) * static_cast<double>(state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  state.counters["of_triad"] =
      benchmark::Counter(bytes / triad_rate(bytes_per_iteration, threads), benchmark::Counter::kIsRate);
}

void dot_product(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const int threads = static_cast<int>(state.range(1));
  set_thread_count(threads);
  const Buffer<double> a(count, 1.5), b(count, 0.25);
  for (auto _ : state) benchmark::DoNotOptimize(dot(a, b));
  report(state, 2 * count * sizeof(double), threads);
}
BENCHMARK(dot_product)->ArgsProduct({{1 << 12, 1 << 16, 1 << 20, 1 << 24}, {1, 2}})->UseRealTime();

void hash_of_bytes(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const int threads = static_cast<int>(state.range(1));
  set_thread_count(threads);
  const Buffer<double> a(count, 1.5);
  for (auto _ : state) benchmark::DoNotOptimize(hash_bytes(std::as_bytes(a.span())));
  report(state, count * sizeof(double), threads);
}
BENCHMARK(hash_of_bytes)->ArgsProduct({{1 << 12, 1 << 20, 1 << 24}, {1, 2}})->UseRealTime();

void buffer_copy(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const Buffer<double> from(count, 1.5);
  Buffer<double> to(count);
  for (auto _ : state) {
    to = from;
    benchmark::ClobberMemory();
  }
  report(state, 2 * count * sizeof(double), 1);
}
BENCHMARK(buffer_copy)->Arg(1 << 12)->Arg(1 << 20)->Arg(1 << 24)->UseRealTime();

// What starting and ending a loop costs: the time of a loop of 16 blocks over values in cache, one after the
// other; the coloured sweeps of solvers are made of such loops.
void short_loop(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  set_thread_count(static_cast<int>(state.range(1)));
  Buffer<double> a(count, 1.5);
  for (auto _ : state) {
    parallel_blocks(count, count / 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) a[i] = std::sqrt(a[i] + 1) / (a[i] + 0.5);
    });
    benchmark::ClobberMemory();
  }
}
BENCHMARK(short_loop)->ArgsProduct({{1 << 11, 1 << 13, 1 << 15, 1 << 17}, {1, 2}})->UseRealTime();

}  // namespace
}  // namespace selkie::bench
