// Counter-based random numbers: reproducible everywhere, even, and independent between streams.
#include "selkie/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace selkie {
namespace {

// Recorded once; checkpoints and replays depend on these values for ever.
static_assert(random_bits(0, 0, 0) == 0xf2bcce8a3564c21dull);
static_assert(random_bits(1, 2, 3) == 0x2cc83b06ce371b2aull);
static_assert(random_bits(~0ull, 5, 1ull << 40) == 0xd3163f6d6f38aed0ull);

TEST(Random, UniformStaysInItsInterval) {
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double u = random_uniform(1, 2, i), v = random_uniform(1, 2, i, -2, 5);
    ASSERT_TRUE(u >= 0 && u < 1);
    ASSERT_TRUE(v >= -2 && v < 5);
  }
}

TEST(Random, TheUpperEndIsNeverReachedEvenWhereRoundingWould) {
  // [1, 1 + eps) holds one double only: half of all draws would round up to the end.
  const double hi = std::nextafter(1.0, 2.0);
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(random_uniform(1, 2, i, 1.0, hi), 1.0);
}

TEST(Random, UniformPassesAChiSquareTest) {
  constexpr int kBins = 256, kDraws = 1 << 18;
  for (const std::uint64_t seed : {0ull, 1ull, 2ull, 1ull << 63}) {
    std::array<int, kBins> count{};
    for (int i = 0; i < kDraws; ++i) {
      const double u = random_uniform(seed, 0, static_cast<std::uint64_t>(i));
      ++count[static_cast<std::size_t>(u * kBins)];
    }
    double chi_square = 0;
    const double expected = double(kDraws) / kBins;
    for (const int c : count) chi_square += (c - expected) * (c - expected) / expected;
    // 255 degrees of freedom: mean 255, standard deviation 22.6; five deviations either way.
    EXPECT_GT(chi_square, 255 - 5 * 22.6) << seed;
    EXPECT_LT(chi_square, 255 + 5 * 22.6) << seed;
  }
}

double correlation(auto&& x, auto&& y, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += (x(static_cast<std::uint64_t>(i)) - 0.5) * (y(static_cast<std::uint64_t>(i)) - 0.5);
  return sum / count * 12;  // 1/12 is the variance of a uniform number
}

TEST(Random, StreamsSeedsAndNeighbouringCountersAreUncorrelated) {
  constexpr int kDraws = 1 << 17;
  const double bound = 5 / std::sqrt(double(kDraws));  // five standard deviations
  auto base = [](std::uint64_t i) { return random_uniform(0, 0, i); };
  EXPECT_NEAR(correlation(
                  base, [](std::uint64_t i) { return random_uniform(0, 1, i); }, kDraws),
              0, bound);
  EXPECT_NEAR(correlation(
                  base, [](std::uint64_t i) { return random_uniform(1, 0, i); }, kDraws),
              0, bound);
  EXPECT_NEAR(correlation(
                  base, [](std::uint64_t i) { return random_uniform(0, 0, i + 1); }, kDraws),
              0, bound);
  EXPECT_NEAR(correlation(
                  base, [](std::uint64_t i) { return random_uniform(0, i, 0); }, kDraws),
              0, bound);
}

TEST(Random, NoTwoOfAMillionWordsAreEqual) {
  // By chance one pair among 2^64 values would turn up with probability 3e-8.
  constexpr std::uint64_t kPerStream = 250000;
  std::vector<std::uint64_t> words;
  for (std::uint64_t stream = 0; stream < 4; ++stream)
    for (std::uint64_t i = 0; i < kPerStream; ++i) words.push_back(random_bits(42, stream, i));
  std::sort(words.begin(), words.end());
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end());
}

TEST(Random, EachBitOfEachArgumentFlipsHalfOfTheBits) {
  constexpr int kSamples = 2000;
  for (int argument = 0; argument < 3; ++argument)
    for (int bit = 0; bit < 64; ++bit) {
      int flips = 0;
      for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
        std::array<std::uint64_t, 3> key{sample * 3, sample * 5 + 1, sample * 7 + 2};
        const std::uint64_t before = random_bits(key[0], key[1], key[2]);
        key[static_cast<std::size_t>(argument)] ^= 1ull << bit;
        flips += std::popcount(before ^ random_bits(key[0], key[1], key[2]));
      }
      // 64 * 2000 fair coins: standard deviation 0.0014 of the share; the bound is seven of them, for 192
      // trials.
      EXPECT_NEAR(flips / (64.0 * kSamples), 0.5, 0.01) << argument << " " << bit;
    }
}

TEST(RandomStream, IsTheFunctionsInOrder) {
  RandomStream stream(9, 4);
  EXPECT_EQ(stream.bits(), random_bits(9, 4, 0));
  EXPECT_EQ(stream.uniform(), random_uniform(9, 4, 1));
  EXPECT_EQ(stream.uniform(2, 3), random_uniform(9, 4, 2, 2, 3));
}

}  // namespace
}  // namespace selkie
