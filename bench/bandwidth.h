// The memory bandwidth this machine gives a simple loop: the yardstick that benches divide by. The triad
// a[i] = b[i] + s c[i] of [McCalpin95]: two reads and one write of 8 bytes per element; the extra read that a
// write-allocating cache makes is not counted, as is the custom. Best of several runs, since all noise slows.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <thread>
#include <vector>

#include "selkie/core/buffer.h"

namespace selkie::bench {

struct Bandwidth {
  double bytes_per_second = 0;
  std::size_t working_set = 0;  // bytes of the three arrays together
  int threads = 1;
};

namespace detail {

// One thread's share: its own arrays (so that first touch places them), `sweeps` passes.
inline void triad(Buffer<double>& a, const Buffer<double>& b, const Buffer<double>& c, int sweeps) {
  double* __restrict out = a.data();
  const double* __restrict x = b.data();
  const double* __restrict y = c.data();
  const std::size_t count = a.size();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const double s = 3.0 + sweep;
    for (std::size_t i = 0; i < count; ++i) out[i] = x[i] + s * y[i];
    asm volatile("" : : "r"(out) : "memory");  // each sweep is to be stored, not folded into the last
  }
}

}  // namespace detail

// `working_set` bytes are split evenly over `threads`. Choose it well above the last cache level for memory
// bandwidth, or below a cache's size for that cache's.
inline Bandwidth measure_bandwidth(std::size_t working_set, int threads = 1, int repeats = 7) {
  using Clock = std::chrono::steady_clock;
  const std::size_t count =
      std::max<std::size_t>(1, working_set / (3 * sizeof(double)) / std::size_t(threads));
  struct Share {
    Buffer<double> a, b, c;
  };
  std::vector<Share> shares(static_cast<std::size_t>(threads));
  auto on_all = [&](auto&& work) {
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < shares.size(); ++t) others.emplace_back([&, t] { work(shares[t]); });
    work(shares[0]);
    for (std::thread& other : others) other.join();
  };
  on_all([&](Share& s) {
    s.a.assign(count, 0.0);
    s.b.assign(count, 1.0);
    s.c.assign(count, 2.0);
  });

  // Enough sweeps that starting the threads (some 50 µs) does not show: at least 256 MB are moved.
  const double bytes_per_sweep = 3.0 * sizeof(double) * static_cast<double>(count) * threads;
  const int sweeps = std::max(1, static_cast<int>(256e6 / bytes_per_sweep));
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto begin = Clock::now();
    on_all([&](Share& s) { detail::triad(s.a, s.b, s.c, sweeps); });
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  const auto moved = static_cast<std::size_t>(bytes_per_sweep);
  return {bytes_per_sweep * sweeps / best, moved, threads};
}

}  // namespace selkie::bench
