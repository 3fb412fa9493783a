// Words, numbers, sizes and durations as people read them.
#include "selkie/core/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "selkie/core/random.h"

namespace selkie {
namespace {

const std::vector<std::string> kKeys = {"stiffness", "damping", "mass", "time_step", "max"};

TEST(NearestWord, FindsMisspellings) {
  EXPECT_EQ(nearest_word("stifness", kKeys), "stiffness");
  EXPECT_EQ(nearest_word("dmaping", kKeys), "damping") << "a transposition";
  EXPECT_EQ(nearest_word("time-step", kKeys), "time_step");
  EXPECT_EQ(nearest_word("Mass", kKeys), "mass");
  EXPECT_EQ(nearest_word("masss", kKeys), "mass");
  EXPECT_EQ(nearest_word("mx", kKeys), "max");
}

TEST(NearestWord, SuggestsNothingFarFetched) {
  EXPECT_EQ(nearest_word("gravity", kKeys), "");
  EXPECT_EQ(nearest_word("xy", kKeys), "");
  EXPECT_EQ(nearest_word("", kKeys), "");
  EXPECT_EQ(nearest_word("mass", {}), "");
  EXPECT_EQ(nearest_word(std::string(1000000, 'm'), kKeys), "");
}

TEST(JoinChoices, PutsOrBeforeTheLast) {
  EXPECT_EQ(join_choices({}), "");
  EXPECT_EQ(join_choices(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(join_choices(std::vector<std::string>{"a", "b"}), "a or b");
  EXPECT_EQ(join_choices(std::vector<std::string>{"a", "b", "c"}), "a, b or c");
}

TEST(NumberText, IsShort) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(1e-6), "1e-06");
  EXPECT_EQ(number_text(3), "3");
  EXPECT_EQ(number_text(-9.81), "-9.81");
}

TEST(NumberText, ReadsBackToTheSameBits) {
  using Limits = std::numeric_limits<double>;
  for (const double value :
       {0.0, -0.0, Limits::denorm_min(), Limits::min(), Limits::max(), Limits::epsilon(), 1 / 3.0})
    EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(number_text(value).c_str(), nullptr)),
              std::bit_cast<std::uint64_t>(value));
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random_bits(1, 1, i));
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(std::strtod(number_text(value).c_str(), nullptr), value);
  }
}

TEST(CharacterCount, CountsCodePointsNotBytes) {
  EXPECT_EQ(character_count(""), 0u);
  EXPECT_EQ(character_count("10⁻³ ω"), 6u);
}

TEST(BytesText, ChoosesTheUnit) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(312.0 * 1024), "312 KiB");
  EXPECT_EQ(bytes_text(1.5 * 1024 * 1024 * 1024), "1.5 GiB");
  EXPECT_EQ(bytes_text(0x1p62), "4194304 TiB");
}

TEST(DurationText, ChoosesTheUnitAndRoundsIntoTheNext) {
  EXPECT_EQ(duration_text(0), "0 ms");
  EXPECT_EQ(duration_text(0.31), "310 ms");
  EXPECT_EQ(duration_text(0.9996), "1.0 s");
  EXPECT_EQ(duration_text(4.2), "4.2 s");
  EXPECT_EQ(duration_text(59.98), "1 min 00 s");
  EXPECT_EQ(duration_text(125), "2 min 05 s");
  EXPECT_EQ(duration_text(3599.9), "1 h 00 min");
  EXPECT_EQ(duration_text(2 * 3600 + 3 * 60), "2 h 03 min");
}

TEST(DurationText, OfAnInfiniteEstimateIsUnknown) {
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "unknown");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), "unknown");
}

}  // namespace
}  // namespace selkie
