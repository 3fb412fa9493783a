// How benches change the number of threads: a new thread begins on the core of the one that made it, and the system may
// take some 50 ms to move it to another. What is timed before then shows one core.
#pragma once

#include <chrono>

#include "selkie/core/parallel.h"

namespace selkie::bench {

inline void use_threads(int count) {
  set_thread_count(count);
  using Clock = std::chrono::steady_clock;
  for (const auto begin = Clock::now(); count > 1 && Clock::now() - begin < std::chrono::milliseconds(100);)
    parallel_blocks(static_cast<std::size_t>(count), 1, [](std::size_t, std::size_t) {
      volatile double x = 1;
      for (int n = 0; n < 20000; ++n) x = x * 0.999;
    });
}

}  // namespace selkie::bench
