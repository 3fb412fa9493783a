// Parallel loops cover everything once, and reductions give the same bits for any number of threads.
#include "selkie/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "selkie/core/random.h"

namespace selkie {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Runs a test under several thread counts and leaves the default behind.
class Parallel : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_thread_count(GetParam()); }
  void TearDown() override { set_thread_count(0); }
};
INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 3, 8));

std::vector<double> random_values(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = random_uniform(7, 0, i, -1, 1);
  return values;
}

TEST_P(Parallel, BlocksCoverEveryElementOnceAndStartAtMultiplesOfTheBlock) {
  for (const std::size_t count : {0u, 1u, 63u, 64u, 65u, 1000u, 100003u}) {
    std::vector<std::atomic<int>> visits(count);
    parallel_blocks(count, 64, [&](std::size_t begin, std::size_t end) {
      EXPECT_EQ(begin % 64, 0u);
      EXPECT_LE(end - begin, 64u);
      EXPECT_LT(begin, end);
      for (std::size_t i = begin; i < end; ++i) ++visits[i];
    });
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(visits[i], 1) << i << " of " << count;
  }
}

TEST_P(Parallel, ForVisitsEveryElementOnce) {
  std::vector<std::atomic<int>> visits(20011);
  parallel_for(
      visits.size(), [&](std::size_t i) { ++visits[i]; }, 128);
  for (const auto& count : visits) ASSERT_EQ(count, 1);
}

TEST_P(Parallel, AnExceptionReachesTheCallerAndTheNextLoopIsWhole) {
  auto fails_at_70 = [](std::size_t i) {
    if (i == 70) throw std::runtime_error("element 70");
  };
  EXPECT_THROW(parallel_for(1000, fails_at_70, 8), std::runtime_error);
  std::atomic<int> visits{0};
  parallel_for(
      1000, [&](std::size_t) { ++visits; }, 8);
  EXPECT_EQ(visits, 1000);
}

TEST_P(Parallel, LoopsNest) {
  std::vector<std::atomic<int>> visits(64 * 64);
  parallel_for(
      64,
      [&](std::size_t i) {
        parallel_for(
            64, [&](std::size_t j) { ++visits[i * 64 + j]; }, 8);
      },
      1);
  for (const auto& count : visits) ASSERT_EQ(count, 1);
}

TEST_P(Parallel, LoopsOfSeveralCallersAtOnceAreWhole) {
  constexpr int kLoops = 200;
  std::vector<std::atomic<int>> visits(512);
  auto call = [&] {
    for (int n = 0; n < kLoops; ++n)
      parallel_for(
          visits.size(), [&](std::size_t i) { ++visits[i]; }, 16);
  };
  std::thread other(call);
  call();
  other.join();
  for (const auto& count : visits) ASSERT_EQ(count, 2 * kLoops);
}

// Threads that watch for the next loop must not miss one that comes when they have just gone to sleep.
TEST_P(Parallel, ManyShortLoopsAfterPausesOfAllLengthsAreWhole) {
  std::vector<int> visits(64, 0);
  int loops = 0;
  for (const int pause_us : {0, 1, 20, 45, 50, 55, 80, 500})
    for (int n = 0; n < 40; ++n, ++loops) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(pause_us);
      while (std::chrono::steady_clock::now() < end) {
      }
      parallel_for(
          visits.size(), [&](std::size_t i) { ++visits[i]; }, 1);
    }
  for (const int count : visits) ASSERT_EQ(count, loops);
}

TEST_P(Parallel, SumIsCloseToALongDoubleReference) {
  const std::vector<double> values = random_values(300007);
  long double reference = 0, magnitude = 0;
  for (double v : values) reference += v, magnitude += std::abs(v);
  const double sum = deterministic_sum(values.size(), [&](std::size_t i) { return values[i]; });
  // Sequential within blocks of 4096, then a tree: at most 4096 + log2(74) roundings lie on any path; their
  // typical growth is its root, so sqrt(4100) eps times the magnitude with a margin of ten.
  EXPECT_NEAR(sum, static_cast<double>(reference), static_cast<double>(10 * 64 * 1.1e-16L * magnitude));
}

TEST_P(Parallel, DotIsCloseToALongDoubleReferenceAtEveryRemainder) {
  for (std::size_t count = 0; count < 40; ++count) {
    const std::vector<double> a = random_values(count);
    long double reference = 0;
    for (double v : a) reference += static_cast<long double>(v) * v;
    EXPECT_NEAR(dot(a, a), static_cast<double>(reference), 40 * 1.2e-16)
        << count;  // at most 40 terms below 1
  }
}

TEST_P(Parallel, MaxFindsTheLargestWhereverItIs) {
  for (const std::size_t at : {0u, 4095u, 4096u, 9999u}) {
    std::vector<double> values(10000, -3.0);
    values[at] = -2.0;
    EXPECT_EQ(deterministic_max(values.size(), 0, [&](std::size_t i) { return values[i]; }), -2.0);
  }
}

TEST_P(Parallel, MaxOfNothingIsTheGivenValue) {
  EXPECT_EQ(deterministic_max(0, -7, [](std::size_t) { return 1.0; }), -7);
}

TEST_P(Parallel, MaxIsNanWhereverANanIs) {
  for (const std::size_t at : {0u, 1u, 4095u, 4096u, 9999u}) {
    std::vector<double> values(10000, 1.0);
    values[at] = kNan;
    EXPECT_TRUE(std::isnan(deterministic_max(values.size(), 0, [&](std::size_t i) { return values[i]; })))
        << at;
  }
}

TEST_P(Parallel, SumOfNothingIsZero) {
  EXPECT_EQ(deterministic_sum(0, [](std::size_t) { return 1.0; }), 0.0);
}

// Recorded with one thread; a change here changes the bits of every simulation.
TEST(ParallelReductions, HaveTheSameBitsForAnyNumberOfThreads) {
  const std::vector<double> a = random_values(1000003), b = random_values(1000003);
  auto results = [&] {
    return std::vector<std::uint64_t>{
        std::bit_cast<std::uint64_t>(dot(a, b)),
        std::bit_cast<std::uint64_t>(deterministic_sum(a.size(), [&](std::size_t i) { return a[i]; })),
        std::bit_cast<std::uint64_t>(sum_blocks(
            a.size(), [&](std::size_t begin, std::size_t end) { return a[begin] * b[end - 1]; }, 10))};
  };
  set_thread_count(1);
  const auto alone = results();
  for (const int threads : {2, 3, 8}) {
    set_thread_count(threads);
    for (int repeat = 0; repeat < 3; ++repeat) EXPECT_EQ(results(), alone) << threads;
  }
  set_thread_count(0);
}

TEST(ParallelReductions, DoNotDependOnTheAlignmentOfTheirInput) {
  const std::vector<double> a = random_values(5000);
  std::vector<double> shifted(5001);
  std::copy(a.begin(), a.end(), shifted.begin() + 1);
  const std::span<const double> odd = std::span<const double>(shifted).subspan(1);
  EXPECT_EQ(dot(a, a), dot(odd, odd));
}

TEST(ThreadCount, IsWhatWasAskedAndZeroMeansOnePerCore) {
  set_thread_count(3);
  EXPECT_EQ(thread_count(), 3);
  set_thread_count(0);
  EXPECT_GE(thread_count(), 1);
}

TEST(FunctionRef, RefersToACallableAndKnowsWhenItIsEmpty) {
  int calls = 0;
  auto count = [&](int by) { return calls += by; };
  const FunctionRef<int(int)> call = count;
  EXPECT_TRUE(call);
  EXPECT_EQ(call(2), 2);
  EXPECT_EQ(call(3), 5);
  EXPECT_FALSE(FunctionRef<void()>{});
}

}  // namespace
}  // namespace selkie
