// See team.h. A loop is opened at the gate, joined by whoever sees it, and closed once nothing is left to
// take; then the caller waits for those who joined. So a thread that wakes late delays nobody, and nothing of
// a loop is read after it.
#include "selkie/core/detail/team.h"

#include <chrono>
#include <utility>

#include "selkie/core/check.h"

namespace selkie::detail {
namespace {

constexpr std::uint32_t kOpen = 1u << 31;
constexpr auto kWatch =
    std::chrono::microseconds(50);  // longer than serial parts of a solve, shorter than a frame's
constexpr int kLooksPerClock = 16;
constexpr int kLooksBeforeYield = 2000;

thread_local bool t_in_loop = false;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

std::uint64_t packed(std::uint64_t begin, std::uint64_t end) { return begin | end << 32; }

constexpr std::size_t kNone = ~std::size_t{0};

std::size_t take_front(std::atomic<std::uint64_t>& range) {
  std::uint64_t r = range.load(std::memory_order_relaxed);
  while (static_cast<std::uint32_t>(r) < r >> 32)
    if (range.compare_exchange_weak(r, r + 1, std::memory_order_relaxed))
      return static_cast<std::uint32_t>(r);
  return kNone;
}

std::size_t take_back(std::atomic<std::uint64_t>& range) {
  std::uint64_t r = range.load(std::memory_order_relaxed);
  while (static_cast<std::uint32_t>(r) < r >> 32)
    if (range.compare_exchange_weak(r, r - (std::uint64_t{1} << 32), std::memory_order_relaxed))
      return (r >> 32) - 1;
  return kNone;
}

}  // namespace

Team::Team(int members) : stretches_(static_cast<std::size_t>(members)) {
  SELKIE_CHECK(members >= 1, "a team has a member");
  threads_.reserve(stretches_.size() - 1);
  for (std::size_t m = 1; m < stretches_.size(); ++m) threads_.emplace_back([this, m] { serve(m); });
}

Team::~Team() {
  stopped_ = true;
  loops_.fetch_add(1);
  loops_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Team::try_run(std::size_t blocks, FunctionRef<void(std::size_t)> body) {
  if (t_in_loop || blocks >= kOpen || taken_.test_and_set(std::memory_order_acquire)) return false;
  // Hand out equal stretches, always the same one to the same member.
  const std::size_t members = stretches_.size();
  for (std::size_t m = 0; m < members; ++m)
    stretches_[m].range.store(packed(blocks * m / members, blocks * (m + 1) / members),
                              std::memory_order_relaxed);
  body_ = body;
  gate_.store(kOpen, std::memory_order_release);
  loops_.fetch_add(1);
  loops_.notify_all();

  t_in_loop = true;
  work(0);
  t_in_loop = false;

  // Close the gate and wait for those who are still at it.
  gate_.fetch_and(~kOpen, std::memory_order_acq_rel);
  for (int looks = 0; gate_.load(std::memory_order_acquire) != 0; ++looks)
    looks < kLooksBeforeYield ? pause() : std::this_thread::yield();
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  taken_.clear(std::memory_order_release);
  if (failure) std::rethrow_exception(failure);
  return true;
}

// Takes blocks of the member's own stretch, then of the others'.
void Team::work(std::size_t member) {
  try {
    for (std::size_t b = take_front(stretches_[member].range); b != kNone;
         b = take_front(stretches_[member].range))
      body_(b);
    for (std::size_t k = 1; k < stretches_.size(); ++k) {
      std::atomic<std::uint64_t>& other = stretches_[(member + k) % stretches_.size()].range;
      for (std::size_t b = take_back(other); b != kNone; b = take_back(other)) body_(b);
    }
  } catch (...) {
    drop_rest();
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void Team::drop_rest() {
  for (Stretch& stretch : stretches_) stretch.range.store(0, std::memory_order_relaxed);
}

void Team::serve(std::size_t member) {
  t_in_loop = true;
  std::uint32_t seen = 0;
  while (await_loop(seen)) {
    std::uint32_t gate = gate_.load(std::memory_order_relaxed);
    while ((gate & kOpen) && !gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire)) {
    }
    if (!(gate & kOpen)) continue;  // over already
    work(member);
    gate_.fetch_sub(1, std::memory_order_release);
  }
}

// Watches for the next loop, then sleeps until there is one. False when the team ends.
bool Team::await_loop(std::uint32_t& seen) {
  const auto begin = std::chrono::steady_clock::now();
  while (loops_.load(std::memory_order_acquire) == seen) {
    for (int k = 0; k < kLooksPerClock && loops_.load(std::memory_order_acquire) == seen; ++k) pause();
    if (std::chrono::steady_clock::now() - begin > kWatch) loops_.wait(seen);
  }
  seen = loops_.load(std::memory_order_acquire);
  return !stopped_;
}

}  // namespace selkie::detail
