// Threads that share loops with their caller at little cost. Between loops they watch for the next one for
// some microseconds before they sleep, and each starts with the same stretch of a loop, so that what it
// worked on last is still in its cache: a loop costs about a microsecond where the task scheduler's start
// costs several, which decides whether the many short loops of coloured sweeps and coarse grids gain from a
// second core.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "selkie/core/function_ref.h"

namespace selkie::detail {

class Team {
 public:
  // The caller of a loop is a member, so `members` = 2 starts one thread.
  explicit Team(int members);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Calls body(b) for each b in [0, blocks) and returns when all are done; the first exception reaches the
  // caller. Returns false, with nothing done, when the team is at work for another caller or the caller is
  // inside of a loop.
  bool try_run(std::size_t blocks, FunctionRef<void(std::size_t)> body);

 private:
  // What is left of a member's stretch: `begin` in the low half, `end` in the high half. The owner takes from
  // the front, others from the back.
  struct alignas(64) Stretch {
    std::atomic<std::uint64_t> range{0};
  };

  void serve(std::size_t member);
  bool await_loop(std::uint32_t& seen);
  void work(std::size_t member);
  void drop_rest();

  std::vector<Stretch> stretches_;
  FunctionRef<void(std::size_t)> body_;
  std::exception_ptr failure_;
  std::mutex failure_mutex_;
  std::atomic_flag taken_ = ATOMIC_FLAG_INIT;
  // The highest bit says that a loop may be joined, the rest counts the threads that have joined it.
  alignas(64) std::atomic<std::uint32_t> gate_{0};
  alignas(64) std::atomic<std::uint32_t> loops_{0};  // begun so far
  std::atomic<bool> stopped_{false};
  std::vector<std::thread> threads_;
};

}  // namespace selkie::detail
