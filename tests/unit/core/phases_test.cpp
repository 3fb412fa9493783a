// Sequences of parallel loops: every block once, no phase before the one before it is done, failures, nesting.
#include "selkie/core/phases.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "selkie/core/parallel.h"

using namespace selkie;

namespace {

class Phases : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_thread_count(GetParam()); }
  void TearDown() override { set_thread_count(0); }
};

TEST_P(Phases, EveryElementOfEveryPhaseIsVisitedOnce) {
  const std::vector<Phase> phases = {{1000, 7}, {0, 3}, {1, 1}, {5, 100}, {64, 1}};
  std::vector<std::vector<std::atomic<int>>> visits;
  for (const Phase& phase : phases) visits.emplace_back(phase.count);
  for (int repeat = 0; repeat < 200; ++repeat)
    parallel_phases(phases, [&](std::size_t p, std::size_t begin, std::size_t end) {
      EXPECT_LE(end - begin, phases[p].block);
      for (std::size_t i = begin; i < end; ++i) ++visits[p][i];
    });
  for (const auto& phase : visits)
    for (const auto& count : phase) EXPECT_EQ(count, 200);
}

// Each phase adds up what the one before it wrote on both sides of each element: a block that begins early reads an old
// number.
TEST_P(Phases, APhaseSeesAllThatTheOneBeforeItWrote) {
  constexpr std::size_t kCount = 37, kPhases = 500;
  const std::vector<Phase> phases(kPhases, Phase{kCount, 2});
  std::vector<std::vector<std::uint32_t>> values(kPhases + 1, std::vector<std::uint32_t>(kCount, 1)), serial = values;
  auto next = [&](std::vector<std::vector<std::uint32_t>>& of, std::size_t p, std::size_t i) {
    of[p + 1][i] = 3 * of[p][(i + kCount - 1) % kCount] + of[p][(i + 1) % kCount] + static_cast<std::uint32_t>(p);
  };
  parallel_phases(phases, [&](std::size_t p, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) next(values, p, i);
  });
  for (std::size_t p = 0; p < kPhases; ++p)
    for (std::size_t i = 0; i < kCount; ++i) next(serial, p, i);
  EXPECT_EQ(values, serial);
}

TEST_P(Phases, AFailureEndsTheSequenceAndReachesTheCaller) {
  const std::vector<Phase> phases(10, Phase{16, 1});
  std::atomic<int> after = 0;
  auto body = [&](std::size_t p, std::size_t begin, std::size_t) {
    if (p == 4 && begin == 9) throw std::runtime_error("block nine");
    if (p > 4) ++after;
  };
  EXPECT_THROW(parallel_phases(phases, body), std::runtime_error);
  EXPECT_EQ(after, 0);
  // The threads are ready for the next sequence.
  std::atomic<int> blocks = 0;
  parallel_phases(phases, [&](std::size_t, std::size_t, std::size_t) { ++blocks; });
  EXPECT_EQ(blocks, 160);
}

TEST_P(Phases, BlocksMayRunLoopsAndPhasesThemselves) {
  const std::vector<Phase> outer(3, Phase{8, 1}), inner(4, Phase{10, 3});
  std::atomic<int> visits = 0;
  parallel_phases(outer, [&](std::size_t, std::size_t, std::size_t) {
    parallel_phases(inner, [&](std::size_t, std::size_t begin, std::size_t end) {
      visits += static_cast<int>(end - begin);
    });
    parallel_for(5, [&](std::size_t) { ++visits; }, 1);
  });
  EXPECT_EQ(visits, 3 * 8 * (4 * 10 + 5));
}

// A thread that is held up in one block keeps the others from the next phase, not from the rest of this one.
TEST_P(Phases, OthersTakeTheBlocksOfAThreadThatIsHeldUp) {
  const std::vector<Phase> phases = {{40, 1}, {1, 1}};
  std::atomic<int> done = 0, seen = -1;
  parallel_phases(phases, [&](std::size_t p, std::size_t begin, std::size_t) {
    if (p == 1) {
      seen = done.load();
      return;
    }
    if (begin == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++done;
  });
  EXPECT_EQ(seen, 40);
}

INSTANTIATE_TEST_SUITE_P(Threads, Phases, ::testing::Values(1, 2, 5),
                         [](const auto& test) { return std::to_string(test.param) + "threads"; });

}  // namespace
