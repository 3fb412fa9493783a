// The state hash: recorded values, good mixing, no dependence on threads.
#include "selkie/core/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/core/random.h"

namespace selkie {
namespace {

std::vector<std::byte> bytes(std::size_t count) {
  std::vector<std::byte> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::byte>(random_bits(3, 0, i) & 255);
  return all;
}

int differing_bits(const Hash128& a, const Hash128& b) {
  return std::popcount(a.high ^ b.high) + std::popcount(a.low ^ b.low);
}

// Recorded once: state hashes in regression files and checkpoints depend on them.
TEST(Hash, HasItsRecordedValues) {
  EXPECT_EQ(hash_bytes({}).hex(), "f36ad4501680b81bf1ba4ba195b9d7cc");
  EXPECT_EQ(hash_bytes(bytes(1)).hex(), "5769cad6e77de2042bb57d6b0eb22f22");
  EXPECT_EQ(hash_bytes(bytes(16)).hex(), "11361ac09c6b1b3e0201985f9f08034b");
  EXPECT_EQ(hash_bytes(bytes(1000)).hex(), "16b4b92044baf4831c62329d9f586ace");
  EXPECT_EQ(hash_bytes(bytes(200001)).hex(), "ecd810d7bb465de719280a6bb1acaf47");
  Hasher hasher;
  hasher.add("velocity");
  hasher.add(std::uint64_t{3});
  hasher.add(bytes(24));
  EXPECT_EQ(hasher.value().hex(), "b2ff1db7985529445c47b30852b5f14b");
}

TEST(Hash, HexIsThirtyTwoLowerCaseDigits) {
  EXPECT_EQ((Hash128{0x0123456789abcdefull, 0xfull}.hex()), "0123456789abcdef000000000000000f");
}

TEST(Hash, EachInputBitFlipsHalfOfTheOutputBits) {
  // Lengths around the 16-byte piece; every bit position, over several contents.
  for (const std::size_t length : {1u, 8u, 15u, 16u, 17u, 32u, 48u}) {
    constexpr std::uint64_t kContents = 200;
    std::vector<int> flips(length * 8);
    for (std::uint64_t content = 0; content < kContents; ++content) {
      std::vector<std::byte> data(length);
      for (std::size_t i = 0; i < length; ++i)
        data[i] = static_cast<std::byte>(random_bits(content, 1, i) & 255);
      const Hash128 before = hash_bytes(data);
      for (std::size_t bit = 0; bit < length * 8; ++bit) {
        data[bit / 8] ^= std::byte{1} << (bit % 8);
        flips[bit] += differing_bits(before, hash_bytes(data));
        data[bit / 8] ^= std::byte{1} << (bit % 8);
      }
    }
    // 128 * 200 fair coins: standard deviation 0.0031 of the share; six of them, for some 1000 trials.
    for (std::size_t bit = 0; bit < length * 8; ++bit)
      EXPECT_NEAR(flips[bit] / (128.0 * kContents), 0.5, 0.019) << length << " bytes, bit " << bit;
  }
}

TEST(Hash, OneFlippedBitInALongInputChangesHalfOfTheOutput) {
  std::vector<std::byte> data = bytes(300000);
  const Hash128 before = hash_bytes(data);
  for (const std::size_t at : {0u, 65535u, 65536u, 299999u}) {
    data[at] ^= std::byte{1};
    // 128 fair coins: standard deviation 5.7; the bound is five of them.
    EXPECT_NEAR(differing_bits(before, hash_bytes(data)), 64, 29) << at;
    data[at] ^= std::byte{1};
  }
}

TEST(Hash, ZerosOfEveryLengthDiffer) {
  std::set<std::string> seen;
  const std::vector<std::byte> zeros(70000);
  for (std::size_t length = 0; length <= 300; ++length)
    seen.insert(hash_bytes(std::span(zeros).first(length)).hex());
  for (std::size_t length = 65530; length <= 65545; ++length)
    seen.insert(hash_bytes(std::span(zeros).first(length)).hex());
  EXPECT_EQ(seen.size(), 301u + 16u);
}

TEST(Hash, SwappedPiecesAndBlocksDiffer) {
  std::vector<std::byte> data = bytes(4 * 65536);
  std::vector<std::byte> pieces = data, blocks = data;
  std::swap_ranges(pieces.begin(), pieces.begin() + 16, pieces.begin() + 16);
  std::swap_ranges(blocks.begin(), blocks.begin() + 65536, blocks.begin() + 65536);
  EXPECT_NE(hash_bytes(data), hash_bytes(pieces));
  EXPECT_NE(hash_bytes(data), hash_bytes(blocks));
}

TEST(Hash, IsTheSameForAnyNumberOfThreads) {
  const std::vector<std::byte> data = bytes(1000003);
  set_thread_count(1);
  const Hash128 alone = hash_bytes(data);
  for (const int threads : {2, 3, 8}) {
    set_thread_count(threads);
    EXPECT_EQ(hash_bytes(data), alone);
  }
  set_thread_count(0);
}

TEST(Hasher, OrderAndBoundariesMatter) {
  auto of = [](auto... parts) {
    Hasher hasher;
    (hasher.add(parts), ...);
    return hasher.value();
  };
  using std::string_view_literals::operator""sv;
  EXPECT_NE(of("a"sv, "b"sv), of("b"sv, "a"sv));
  EXPECT_NE(of("ab"sv, "c"sv), of("a"sv, "bc"sv));
  EXPECT_NE(of("a"sv), of("a"sv, ""sv));
  EXPECT_NE(of(std::uint64_t{1}, std::uint64_t{2}), of(std::uint64_t{2}, std::uint64_t{1}));
  EXPECT_EQ(of("a"sv, std::uint64_t{5}), of("a"sv, std::uint64_t{5}));
}

TEST(Hasher, NeighbouringWordsDifferInHalfOfTheBits) {
  double flips = 0;
  for (std::uint64_t word = 0; word < 1000; ++word) {
    Hasher a, b;
    a.add(word), b.add(word + 1);
    flips += differing_bits(a.value(), b.value());
  }
  EXPECT_NEAR(flips / 128000, 0.5, 0.01);  // seven standard deviations of 128000 coins
}

}  // namespace
}  // namespace selkie
