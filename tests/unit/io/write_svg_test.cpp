// SVG of plots: places, gaps, escaping, refusals. That whole files are valid XML is tested on the program's
// output (tests/regression/cli/test_plots.py).
#include "selkie/io/write_svg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>

#include "selkie/core/error.h"
#include "support/temporary_folder.h"

namespace selkie::io {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

LinePlot log_log() {
  return {.name = "p",
          .title = "Title",
          .caption = "Caption",
          .x = {"x", Scale::logarithmic},
          .y = {"y", Scale::logarithmic},
          .series = {{"a", {0.01, 0.1, 1, 10}, {1e-6, 1e-4, 1e-2, 1}}}};
}

BarPlot bars(BarPlot::Layout layout) {
  return {.name = "b",
          .title = "Bars",
          .caption = "Caption",
          .value_label = "ms",
          .layout = layout,
          .groups = {"one", "two"},
          .parts = {{"p", {1, 2}}, {"q", {3, 4}}}};
}

// The numbers of the n-th polyline.
std::vector<double> points_of(const std::string& svg, std::size_t n = 0) {
  std::size_t at = 0;
  for (std::size_t i = 0; i <= n; ++i) at = svg.find("points=\"", at) + 8;
  std::string text = svg.substr(at, svg.find('"', at) - at);
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream in(text);
  return {std::istream_iterator<double>(in), {}};
}

TEST(WriteSvg, EqualPlotsGiveEqualBytes) {
  for (const Plot& plot : {Plot(log_log()), Plot(bars(BarPlot::Layout::stacked))})
    EXPECT_EQ(to_svg(plot), to_svg(plot));
}

TEST(WriteSvg, DecadesOfALogarithmicPlotLieEquallyFarApart) {
  const std::vector<double> p = points_of(to_svg(log_log()));
  ASSERT_EQ(p.size(), 8u);
  // x spans 3 decades over 540 pixels, y 6 decades over 360; printed to a hundredth.
  for (int i = 1; i < 4; ++i) {
    EXPECT_NEAR(p[2 * i] - p[2 * i - 2], 180, 0.011);
    EXPECT_NEAR(p[2 * i + 1] - p[2 * i - 1], -120, 0.011);
  }
}

TEST(WriteSvg, TitleDescriptionRoleAndBothColourSchemesAreThere) {
  const std::string svg = to_svg(log_log());
  EXPECT_TRUE(svg.starts_with("<svg "));
  for (const char* part : {"role=\"img\"", "<title id=\"title\">Title</title>",
                           "<desc id=\"desc\">Caption</desc>", "prefers-color-scheme:dark", ">10⁻²</text>"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

TEST(WriteSvg, AValueWithoutAPlaceBreaksTheLineAndIsCounted) {
  for (const double bad : {kNan, double(INFINITY), 0.0, -1.0}) {
    LinePlot plot = log_log();
    plot.series[0].x = {1, 2, 3, 4, 5};
    plot.series[0].y = {1, 2, bad, 4, 5};
    const std::string svg = to_svg(plot);
    EXPECT_EQ(count(svg, "<polyline"), 2u) << bad;
    EXPECT_NE(svg.find("1 of 5 points have no place"), std::string::npos);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

TEST(WriteSvg, PlotsWithoutDataSaySo) {
  LinePlot lines = log_log();
  lines.series = {{"a", {}, {}}, {"b", {kNan}, {1}}};
  EXPECT_NE(to_svg(lines).find("no data"), std::string::npos);
  lines.series.clear();
  EXPECT_NE(to_svg(lines).find("no data"), std::string::npos);
  EXPECT_NE(to_svg(BarPlot{}).find("no data"), std::string::npos);
  EXPECT_EQ(to_svg(log_log()).find("no data"), std::string::npos);
}

TEST(WriteSvg, ASinglePointIsAMarkerWithoutALine) {
  LinePlot plot = log_log();
  plot.series = {{"a", {1}, {1}}};
  EXPECT_EQ(count(to_svg(plot), "<polyline"), 0u);
  EXPECT_EQ(count(to_svg(plot), "<circle"), 2u) << "the point and the legend's";
}

TEST(WriteSvg, TextIsEscapedAndBrokenUtf8Replaced) {
  LinePlot plot = log_log();
  plot.title = "a<b>&\"c\"";
  plot.series[0].name = std::string("x\x01y\xffz\xed\xa0\x80 ω");
  const std::string svg = to_svg(plot);
  EXPECT_EQ(count(svg, "a&lt;b&gt;&amp;&quot;c&quot;"), 2u) << "title element and visible title";
  EXPECT_NE(svg.find("x\uFFFDy\uFFFDz\uFFFD\uFFFD\uFFFD ω"), std::string::npos);
}

TEST(WriteSvg, ReferenceSlopesAreStraightAndOfTheirOrder) {
  LinePlot plot = log_log();
  plot.slopes = {{2, 0.01, 1e-6, 10, "order 2"}};
  const std::string svg = to_svg(plot);
  const std::vector<double> p = points_of(svg);
  // The series is of order 2, too: the slope runs from its first to its last point.
  char line[200];
  std::snprintf(line, sizeof line, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" class=\"slope\"/>",
                p[0], p[1], p[6], p[7]);
  EXPECT_NE(svg.find(line), std::string::npos) << line;
  plot.x.scale = Scale::linear;
  EXPECT_THROW(to_svg(plot), InputError);
}

TEST(WriteSvg, LimitsWidenTheAxisToShowThemselves) {
  LinePlot plot = log_log();
  plot.limits = {{Limit::On::y, 100, "too much"}};
  const std::string svg = to_svg(plot);
  EXPECT_EQ(count(svg, "class=\"limit\""), 1u);
  EXPECT_NE(svg.find(">10²</text>"), std::string::npos);
}

TEST(WriteSvg, StackedBarsContinueWhereTheLastEnded) {
  const std::string svg = to_svg(bars(BarPlot::Layout::stacked));
  // Rows "one": 1 then 3 on an axis of 0 … 6 over 480 pixels: 80 and 240 wide.
  EXPECT_EQ(count(svg, "width=\"80.00\" height=\"20.00\""), 1u);
  EXPECT_EQ(count(svg, "width=\"240.00\" height=\"20.00\""), 1u);
}

TEST(WriteSvg, GroupedBarsAllBeginAtZero) {
  BarPlot plot = bars(BarPlot::Layout::grouped);
  plot.parts[1].values[1] = kNan;
  const std::string svg = to_svg(plot);
  const std::size_t at = svg.find("<rect x=\"", svg.find("class=\"frame\"")) + 9;
  const std::string left = svg.substr(at, svg.find('"', at) - at);
  EXPECT_EQ(count(svg, "<rect x=\"" + left + "\""), 4u) << "the frame and three bars";
  EXPECT_EQ(count(svg, "no value"), 1u);
}

TEST(WriteSvg, UnequalLengthsAndNegativeBarsAreRefused) {
  LinePlot lines = log_log();
  lines.series[0].y.pop_back();
  EXPECT_THROW(to_svg(lines), InputError);
  BarPlot short_part = bars(BarPlot::Layout::stacked), negative = short_part, notes = short_part;
  short_part.parts[0].values.pop_back();
  negative.parts[0].values[0] = -1;
  notes.notes = {"only one"};
  EXPECT_THROW(to_svg(short_part), InputError);
  EXPECT_THROW(to_svg(negative), InputError);
  EXPECT_THROW(to_svg(notes), InputError);
}

TEST(WriteSvg, FileIsNamedAfterPrefixAndPlot) {
  const test::TemporaryFolder folder;
  const auto path = write_svg(folder.path(), "study", log_log());
  EXPECT_EQ(path, folder / "study-p.svg");
  EXPECT_EQ(test::file_text(path), to_svg(log_log()));
  EXPECT_THROW(write_svg(folder / "missing", "study", log_log()), OutputError);
}

}  // namespace
}  // namespace selkie::io
