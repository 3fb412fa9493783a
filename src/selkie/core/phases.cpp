// See phases.h. Every thread goes through the phases in order: it takes blocks of its own stretch of a phase, then
// of the others', and waits until all blocks of the phase are done. Nobody waits for a thread that has not come yet:
// its stretches are taken by the others, and it finds them empty.
#include "selkie/core/phases.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"

namespace selkie {
namespace {

constexpr int kLooksBeforeYield = 2000;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// A count on a cache line of its own, so that threads that take from different stretches do not disturb each other.
struct alignas(64) Counter {
  std::atomic<std::uint32_t> value{0};
};

std::size_t blocks_of(const Phase& phase) { return (phase.count + phase.block - 1) / phase.block; }

// Per phase: how many blocks of each member's stretch are taken, and how many blocks are done.
class Progress {
 public:
  // Not for use by two callers at once; lines are kept from call to call.
  void begin(std::size_t phases, std::size_t members) {
    members_ = members;
    const std::size_t wanted = phases * (members + 1);
    if (wanted > capacity_) lines_ = std::make_unique<Counter[]>(wanted), capacity_ = wanted;
    for (std::size_t k = 0; k < wanted; ++k) lines_[k].value.store(0, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
  }
  std::atomic<std::uint32_t>& taken(std::size_t phase, std::size_t member) {
    return lines_[phase * (members_ + 1) + member].value;
  }
  std::atomic<std::uint32_t>& done(std::size_t phase) { return lines_[phase * (members_ + 1) + members_].value; }
  std::size_t members() const { return members_; }
  void fail() { failed_.store(true, std::memory_order_release); }
  bool failed() const { return failed_.load(std::memory_order_acquire); }

 private:
  std::unique_ptr<Counter[]> lines_;
  std::size_t capacity_ = 0, members_ = 1;
  std::atomic<bool> failed_{false};
};

using Body = FunctionRef<void(std::size_t, std::size_t, std::size_t)>;

// Blocks of one member's stretch that nobody has taken yet; returns how many were done.
std::uint32_t work_off(const Phase& phase, std::size_t number, std::size_t owner, Progress& progress, Body body) {
  const std::size_t blocks = blocks_of(phase), members = progress.members();
  const std::size_t first = blocks * owner / members, last = blocks * (owner + 1) / members;
  std::uint32_t done = 0;
  std::atomic<std::uint32_t>& taken = progress.taken(number, owner);
  while (first + taken.load(std::memory_order_relaxed) < last) {
    const std::size_t b = first + taken.fetch_add(1, std::memory_order_relaxed);
    if (b >= last) break;
    body(number, b * phase.block, std::min(phase.count, (b + 1) * phase.block));
    ++done;
  }
  return done;
}

void take_part(std::span<const Phase> phases, std::size_t member, Progress& progress, Body body) {
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const auto blocks = static_cast<std::uint32_t>(blocks_of(phases[p]));
    std::atomic<std::uint32_t>& done = progress.done(p);
    for (std::size_t k = 0; k < progress.members() && done.load(std::memory_order_acquire) < blocks; ++k) {
      const std::uint32_t own = work_off(phases[p], p, (member + k) % progress.members(), progress, body);
      if (own > 0) done.fetch_add(own, std::memory_order_acq_rel);
    }
    for (int looks = 0; done.load(std::memory_order_acquire) < blocks; ++looks) {
      if (progress.failed()) return;
      looks < kLooksBeforeYield ? pause() : std::this_thread::yield();
    }
  }
}

}  // namespace

void parallel_phases(std::span<const Phase> phases, Body body) {
  const auto members = static_cast<std::size_t>(thread_count());
  if (members == 1) {
    for (std::size_t p = 0; p < phases.size(); ++p)
      for (std::size_t begin = 0; begin < phases[p].count; begin += phases[p].block)
        body(p, begin, std::min(phases[p].count, begin + phases[p].block));
    return;
  }
  for (const Phase& phase : phases)
    SELKIE_CHECK(phase.block > 0 && phase.count < (std::size_t{1} << 31), "blocks of a phase can be counted");
  thread_local Progress kept;
  Progress nested;  // a body that runs phases itself must not meet the counts of the outer ones
  thread_local bool busy = false;
  Progress& progress = busy ? nested : kept;
  struct Busy {
    bool& flag;
    const bool before = std::exchange(flag, true);
    ~Busy() { flag = before; }
  } const guard{busy};
  progress.begin(phases.size(), members);
  parallel_blocks(members, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t member = begin; member < end; ++member) {
      try {
        take_part(phases, member, progress, body);
      } catch (...) {
        progress.fail();
        throw;
      }
    }
  });
}

}  // namespace selkie
