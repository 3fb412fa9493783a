// Ticks and places of plot axes.
#include "selkie/io/plot_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "selkie/core/error.h"

namespace selkie::io {
namespace {

std::vector<std::string> labels(const AxisRange& range) {
  std::vector<std::string> out;
  for (const Tick& tick : range.ticks) out.push_back(tick.label);
  return out;
}

using Labels = std::vector<std::string>;

TEST(PlotAxis, LinearTicksAreRoundAndTheFreeEndsAreTicks) {
  const AxisRange range = make_range({}, std::vector<double>{0.13, 0.97});
  EXPECT_EQ(labels(range), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(range.high, 1);
  EXPECT_EQ(range.ticks[3].value, 0.6) << "the double nearest to the label, not 3 times 0.2";
}

TEST(PlotAxis, LinearTicksAreOneTwoOrFiveTimesAPowerOfTenApartAtAnySize) {
  for (int n = 0; n < 400; ++n) {
    const double low = -3 + 0.037 * n, length = std::pow(10.0, -6 + 0.04 * n);
    const AxisRange range = make_range({}, std::vector<double>{low, low + length});
    ASSERT_GE(range.ticks.size(), 3u);
    ASSERT_LE(range.ticks.size(), 12u);
    // A value that is a tick but for round-off is the end, hence the slack.
    EXPECT_LE(range.low, low + 1e-9 * length);
    EXPECT_GE(range.high, low + (1 - 1e-9) * length);
    const double step = range.ticks[1].value - range.ticks[0].value;
    const double digit = step / std::pow(10.0, std::floor(std::log10(step) + 1e-3));
    // Differences of ticks near 12 that are 2e-7 apart keep eight digits.
    EXPECT_TRUE(std::abs(digit - 1) < 1e-7 || std::abs(digit - 2) < 1e-7 || std::abs(digit - 5) < 1e-7)
        << step;
  }
}

TEST(PlotAxis, GivenEndsStayAndTicksLieBetweenThem) {
  const AxisRange range = make_range({.low = 0.3, .high = 4.7}, {});
  EXPECT_EQ(range.low, 0.3);
  EXPECT_EQ(range.high, 4.7);
  EXPECT_EQ(labels(range), (Labels{"1", "2", "3", "4"}));
}

TEST(PlotAxis, CountsHaveTicksAtWholeNumbers) {
  EXPECT_EQ(labels(make_range({.whole = true}, std::vector<double>{1, 2})), (Labels{"1", "2"}));
}

TEST(PlotAxis, LogarithmicTicksArePowersOfTenAndEquallyFarApart) {
  const AxisRange range = make_range({.scale = Scale::logarithmic}, std::vector<double>{3e-4, 50});
  EXPECT_EQ(labels(range), (Labels{"10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1", "10", "10²"}));
  for (std::size_t i = 0; i < range.ticks.size(); ++i)
    EXPECT_NEAR(range.place(range.ticks[i].value), static_cast<double>(i) / 6, 1e-15);
  EXPECT_NEAR(range.place(std::sqrt(0.1)), 3.5 / 6, 1e-15);
}

TEST(PlotAxis, FewDecadesAlsoHaveTwosAndFives) {
  const AxisRange range = make_range({.scale = Scale::logarithmic}, std::vector<double>{0.3, 8});
  EXPECT_EQ(labels(range), (Labels{"0.2", "0.5", "1", "2", "5", "10"}));
}

TEST(PlotAxis, ManyDecadesSkipSome) {
  const AxisRange range = make_range({.scale = Scale::logarithmic}, std::vector<double>{1e-20, 1e20});
  EXPECT_LE(range.ticks.size(), 10u);
  EXPECT_EQ(labels(range).front(), "10⁻²⁰");
}

TEST(PlotAxis, NothingToShowHasAPlainRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& values : {std::vector<double>{}, std::vector<double>{nan, INFINITY}}) {
    EXPECT_EQ(make_range({}, values).high, 1);
    const AxisRange range = make_range({.scale = Scale::logarithmic}, values);
    EXPECT_EQ(range.low, 1);
    EXPECT_EQ(range.high, 10);
  }
}

TEST(PlotAxis, OneValueIsGivenARangeAroundIt) {
  for (const Scale scale : {Scale::linear, Scale::logarithmic})
    for (const double value : {1e-12, 0.7, 1.0, 3e8}) {
      const AxisRange range = make_range({.scale = scale}, std::vector<double>{value, value});
      EXPECT_LT(range.low, value);
      EXPECT_GT(range.high, value);
    }
  EXPECT_GT(make_range({}, std::vector<double>{0}).high, 0);
}

TEST(PlotAxis, ValuesThatDifferByRoundOffDoNotMakeEndlessTicks) {
  const AxisRange range = make_range({}, std::vector<double>{1, 1 + 1e-15});
  EXPECT_LE(range.ticks.size(), 10u);
  EXPECT_LT(range.low, range.high);
}

TEST(PlotAxis, ImpossibleBoundsAreRefused) {
  EXPECT_THROW(make_range({.scale = Scale::logarithmic, .low = 0}, {}), InputError);
  EXPECT_THROW(make_range({.low = 2, .high = 1}, {}), InputError);
  EXPECT_THROW(make_range({.high = INFINITY}, {}), InputError);
}

TEST(PlotAxis, TickTextsHaveTypographicSignsAndPowers) {
  EXPECT_EQ(tick_text(-0.25, 0.05), "−0.25");
  EXPECT_EQ(tick_text(0, 0.1), "0");
  EXPECT_EQ(tick_text(2e-5, 1e-5), "2·10⁻⁵");
  EXPECT_EQ(tick_text(1e7, 1e7), "10⁷");
  EXPECT_EQ(tick_text(150000, 50000), "150000");
}

}  // namespace
}  // namespace selkie::io
