// Line plots and bars on the canvas of detail/svg_canvas.h. See write_svg.h.
#include "selkie/io/write_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/detail/svg_canvas.h"

namespace selkie::io {
namespace {

using namespace detail;

constexpr double kMargin = 14, kPlotWidth = 540, kPlotHeight = 360, kLegendRow = 20;
constexpr double kBelow = 52;  // tick labels and the name of the x axis
constexpr double kLegendGap = 18, kLegendKey = 30;
constexpr std::size_t kAllMarked = 16;  // longer series show about ten markers, each series others

double legend_width(const std::vector<std::string>& names) {
  double widest = 0;
  for (const std::string& name : names) widest = std::max(widest, text_width(name, kFontSize));
  return names.empty() ? 0 : kLegendGap + kLegendKey + widest;
}

// Where values land on the sheet.
struct Frame {
  Box box;
  AxisRange x, y;

  double px(double value) const { return box.left + box.width * x.place(value); }
  double py(double value) const { return box.bottom() - box.height * y.place(value); }
  bool has_place(double vx, double vy) const {
    return can_be_drawn(x.scale, vx) && can_be_drawn(y.scale, vy);
  }
  bool inside(double vx, double vy) const {
    const double u = x.place(vx), v = y.place(vy);
    return u >= -1e-9 && u <= 1 + 1e-9 && v >= -1e-9 && v <= 1 + 1e-9;
  }
};

Frame make_frame(const LinePlot& plot, double top) {
  std::vector<double> xs, ys;
  for (const Series& series : plot.series)
    for (std::size_t i = 0; i < series.x.size(); ++i)
      if (can_be_drawn(plot.x.scale, series.x[i]) && can_be_drawn(plot.y.scale, series.y[i])) {
        xs.push_back(series.x[i]);
        ys.push_back(series.y[i]);
      }
  for (const Limit& limit : plot.limits) (limit.axis == Limit::On::x ? xs : ys).push_back(limit.value);
  Frame frame{{}, make_range(plot.x, xs), make_range(plot.y, ys)};
  double labels = 0;
  for (const Tick& tick : frame.y.ticks) labels = std::max(labels, text_width(tick.label, kSmallFont));
  frame.box = {kMargin + 24 + labels, top, kPlotWidth, kPlotHeight};
  return frame;
}

// Pieces between values that cannot be drawn; the clip at the frame cuts what lies beyond. Places
// far outside are bounded, because SVG readers compute in single precision.
std::string lines_of(const Series& series, std::size_t n, const Frame& frame) {
  std::string out, piece;
  std::size_t points = 0;
  auto finish = [&] {
    if (points > 1)
      out += fmt::format("<polyline class=\"line\"{} points=\"{}\"/>\n", dashes(n), piece.substr(1));
    piece.clear();
    points = 0;
  };
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!frame.has_place(series.x[i], series.y[i])) {
      finish();
      continue;
    }
    auto bounded = [](double pixels) { return std::clamp(pixels, -1e5, 1e5); };
    piece += fmt::format(" {:.2f},{:.2f}", bounded(frame.px(series.x[i])), bounded(frame.py(series.y[i])));
    ++points;
  }
  finish();
  return out;
}

std::string markers_of(const Series& series, std::size_t n, std::size_t series_count, const Frame& frame) {
  const std::size_t count = series.x.size();
  const bool all = count <= kAllMarked || !series.line;
  const std::size_t every = all ? 1 : (count + 9) / 10;
  std::string out;
  for (std::size_t i = all ? 0 : n * every / series_count; i < count; i += every)
    if (frame.has_place(series.x[i], series.y[i]) && frame.inside(series.x[i], series.y[i]))
      out += marker(n, frame.px(series.x[i]), frame.py(series.y[i]));
  return out;
}

std::string slope_element(const Slope& slope, const Frame& frame) {
  const double y1 = slope.y0 * std::pow(slope.x1 / slope.x0, slope.order);
  const double px = frame.px(slope.x1), py = frame.py(y1);
  return "<g clip-path=\"url(#frame)\">\n" +
         line_element(frame.px(slope.x0), frame.py(slope.y0), px, py, "slope") + "</g>\n" +
         text_element(px + 6, py + 4, slope.label, "small soft halo");
}

std::string limit_element(const Limit& limit, const Frame& frame) {
  const Box& box = frame.box;
  if (limit.axis == Limit::On::y) {
    const double py = frame.py(limit.value);
    return line_element(box.left, py, box.right(), py, "limit") +
           text_element(box.left + 6, py - 5, limit.label, "small soft halo");
  }
  const double px = frame.px(limit.value);
  return line_element(px, box.top, px, box.bottom(), "limit") +
         fmt::format("<g transform=\"translate({:.2f} {:.2f}) rotate(-90)\">{}</g>\n", px - 4,
                     box.bottom() - 8, text_element(0, 0, limit.label, "small soft halo"));
}

std::string line_legend(const LinePlot& plot, const Box& box) {
  std::string out;
  const double x = box.right() + kLegendGap;
  for (std::size_t n = 0; n < plot.series.size(); ++n) {
    const double y = box.top + kLegendRow * (static_cast<double>(n) + 0.5);
    out += fmt::format("<g class=\"{}\">\n", colour_class(n));
    if (plot.series[n].line)
      out += fmt::format("<path d=\"M{:.2f} {:.2f}h22\" class=\"line\"{}/>\n", x, y, dashes(n));
    out += marker(n, x + 11, y) + "</g>\n" + text_element(x + kLegendKey, y + 4, plot.series[n].name);
  }
  return out;
}

void check_series(const LinePlot& plot) {
  for (const Series& series : plot.series)
    if (series.x.size() != series.y.size())
      throw InputError(fmt::format("the series '{}' of the plot '{}' has {} x and {} y values", series.name,
                                   plot.name, series.x.size(), series.y.size()),
                       "give one y for each x");
  if (!plot.slopes.empty() && (plot.x.scale != Scale::logarithmic || plot.y.scale != Scale::logarithmic))
    throw InputError("the plot '" + plot.name + "' has slopes on an axis that is not logarithmic",
                     "make both axes logarithmic or leave the slopes out");
}

std::string left_out_text(const LinePlot& plot) {
  std::size_t left_out = 0, all = 0;
  for (const Series& series : plot.series)
    for (std::size_t i = 0; i < series.x.size(); ++i, ++all)
      if (!can_be_drawn(plot.x.scale, series.x[i]) || !can_be_drawn(plot.y.scale, series.y[i])) ++left_out;
  if (left_out == 0) return {};
  return fmt::format("{} of {} points have no place on these axes and are left out.", left_out, all);
}

std::string draw(const LinePlot& plot) {
  check_series(plot);
  std::vector<std::string> names;
  for (const Series& series : plot.series) names.push_back(series.name);
  const double legend = legend_width(names);
  const Heading heading = make_heading(plot.title, plot.caption, kPlotWidth + 60 + legend);
  Frame frame = make_frame(plot, heading.bottom + 16);
  const double rows = kLegendRow * static_cast<double>(names.size());
  frame.box.height = std::max(frame.box.height, rows);
  const Box& box = frame.box;

  std::string body = heading.elements + axes(box, &frame.x, &frame.y, plot.x, plot.y);
  body += fmt::format(
      "<clipPath id=\"frame\"><rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" "
      "height=\"{:.2f}\"/></clipPath>\n",
      box.left, box.top, box.width, box.height);
  for (const Limit& limit : plot.limits) body += limit_element(limit, frame);
  bool drawn = false;
  for (std::size_t n = 0; n < plot.series.size(); ++n) {
    const std::string lines = plot.series[n].line ? lines_of(plot.series[n], n, frame) : "";
    const std::string marks = markers_of(plot.series[n], n, plot.series.size(), frame);
    drawn = drawn || !lines.empty() || !marks.empty();
    body += fmt::format("<g class=\"{}\">\n<g clip-path=\"url(#frame)\">\n{}</g>\n{}</g>\n", colour_class(n),
                        lines, marks);
  }
  for (const Slope& slope : plot.slopes) body += slope_element(slope, frame);
  if (!drawn)
    body +=
        text_element(box.left + box.width / 2, box.top + box.height / 2, "no data", "soft", Anchor::middle);
  body += line_legend(plot, box);
  double height = box.bottom() + kBelow;
  const std::string left_out = left_out_text(plot);
  if (!left_out.empty()) {
    height += 16;
    body += text_element(kMargin, height - 8, left_out, "small soft");
  }
  const double width = std::ceil(box.right() + std::max(legend, 12.0) + kMargin);
  return document(width, height, plot.title, plot.caption + (left_out.empty() ? "" : " ") + left_out, body);
}

// ---- bars ----

void check_bars(const BarPlot& plot) {
  auto wrong = [&](const std::string& what) {
    throw InputError("the bars of the plot '" + plot.name + "': " + what,
                     "give each part one value per group, zero or more");
  };
  if (!plot.notes.empty() && plot.notes.size() != plot.groups.size()) wrong("one note per group, or none");
  for (const BarPlot::Part& part : plot.parts) {
    if (part.values.size() != plot.groups.size())
      wrong(
          fmt::format("'{}' has {} values for {} groups", part.name, part.values.size(), plot.groups.size()));
    for (const double value : part.values)
      if (value < 0) wrong(fmt::format("'{}' has the value {}", part.name, value));
  }
}

// Length of a group's longest row; what is not finite counts nothing.
double length_of(const BarPlot& plot, std::size_t group) {
  double sum = 0, longest = 0;
  for (const BarPlot::Part& part : plot.parts)
    if (can_be_drawn(Scale::linear, part.values[group])) {
      sum += part.values[group];
      longest = std::max(longest, part.values[group]);
    }
  return plot.layout == BarPlot::Layout::stacked ? sum : longest;
}

struct BarRows {
  double bar = 0, group = 0;  // pixels; a group's includes the gap below it
};
BarRows rows_of(const BarPlot& plot) {
  constexpr double kGap = 12, kStackedBar = 20, kGroupedBar = 11;
  if (plot.layout == BarPlot::Layout::stacked) return {kStackedBar, kStackedBar + kGap};
  return {kGroupedBar, kGroupedBar * static_cast<double>(std::max<std::size_t>(1, plot.parts.size())) + kGap};
}

std::string group_bars(const BarPlot& plot, std::size_t group, const Box& box, const AxisRange& range,
                       double top) {
  const BarRows rows = rows_of(plot);
  const bool stacked = plot.layout == BarPlot::Layout::stacked;
  std::string out;
  double from = 0;
  for (std::size_t n = 0; n < plot.parts.size(); ++n) {
    const double value = plot.parts[n].values[group];
    const double y = stacked ? top : top + rows.bar * static_cast<double>(n);
    if (!can_be_drawn(Scale::linear, value)) {
      if (!stacked) out += text_element(box.left + 4, y + rows.bar - 2, "no value", "small soft");
      continue;
    }
    const double x0 = box.left + box.width * range.place(from);
    const double x1 = box.left + box.width * range.place(from + value);
    if (x1 - x0 >= 0.005)  // what would print as zero has no edge either
      out += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" class=\"mark edge {}\"/>\n", x0,
          y, x1 - x0, rows.bar, colour_class(n));
    if (stacked) from += value;
  }
  return out;
}

std::string bar_legend(const BarPlot& plot, const Box& box) {
  std::string out;
  const double x = box.right() + kLegendGap;
  for (std::size_t n = 0; n < plot.parts.size(); ++n) {
    const double y = box.top + kLegendRow * (static_cast<double>(n) + 0.5);
    out +=
        fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"22\" height=\"12\" class=\"mark edge {}\"/>\n",
                    x, y - 6, colour_class(n));
    out += text_element(x + kLegendKey, y + 4, plot.parts[n].name);
  }
  return out;
}

std::string draw(const BarPlot& plot) {
  check_bars(plot);
  std::vector<std::string> names;
  for (const BarPlot::Part& part : plot.parts) names.push_back(part.name);
  double labels = 0, notes = 0, longest = 0;
  for (std::size_t g = 0; g < plot.groups.size(); ++g) {
    labels = std::max(labels, text_width(plot.groups[g], kFontSize));
    if (!plot.notes.empty()) notes = std::max(notes, text_width(plot.notes[g], kSmallFont));
    longest = std::max(longest, length_of(plot, g));
  }
  const double legend = legend_width(names);
  const Heading heading = make_heading(plot.title, plot.caption, labels + kPlotWidth + legend);
  const BarRows rows = rows_of(plot);
  const double inner = std::max({rows.group * static_cast<double>(plot.groups.size()) + 12,
                                 kLegendRow * static_cast<double>(names.size()), 60.0});
  const Box box{kMargin + labels + 10, heading.bottom + 16, kPlotWidth - 60, inner};

  // Room for the notes to the right of the longest bar, within the frame.
  const double used = box.width - (notes > 0 ? notes + 12 : 0);
  const Axis axis{.label = plot.value_label, .low = 0};
  const double reach[] = {longest * box.width / std::max(used, box.width / 3)};
  const AxisRange range = make_range(axis, reach);

  std::string body = heading.elements + axes(box, &range, nullptr, axis, {});
  for (std::size_t g = 0; g < plot.groups.size(); ++g) {
    const double top = box.top + 12 + rows.group * static_cast<double>(g);
    const double middle = top + (rows.group - 12) / 2 + 4;
    body += text_element(box.left - 8, middle, plot.groups[g], {}, Anchor::end);
    body += group_bars(plot, g, box, range, top);
    if (!plot.notes.empty())
      body += text_element(box.left + box.width * range.place(length_of(plot, g)) + 6, middle, plot.notes[g],
                           "small halo");
  }
  if (plot.groups.empty() || plot.parts.empty())
    body +=
        text_element(box.left + box.width / 2, box.top + box.height / 2, "no data", "soft", Anchor::middle);
  body += bar_legend(plot, box);
  const double width = std::ceil(box.right() + std::max(legend, 12.0) + kMargin);
  return document(width, box.bottom() + kBelow, plot.title, plot.caption, body);
}

}  // namespace

const std::string& name_of(const Plot& plot) {
  return std::visit([](const auto& p) -> const std::string& { return p.name; }, plot);
}

std::string to_svg(const Plot& plot) {
  return std::visit([](const auto& p) { return draw(p); }, plot);
}

std::filesystem::path write_svg(const std::filesystem::path& folder, std::string_view prefix,
                                const Plot& plot) {
  const std::filesystem::path path = folder / fmt::format("{}-{}.svg", prefix, name_of(plot));
  write_file_atomically(path, std::string_view(to_svg(plot)));
  return path;
}

}  // namespace selkie::io
