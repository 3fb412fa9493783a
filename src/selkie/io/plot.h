// Plots as plain data: what a study or a benchmark wants drawn, without how. write_svg.h draws them.
// Values that are not finite (on a logarithmic axis: not positive) break a line and are counted below the
// plot; nothing is left out in silence.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace selkie::io {

enum class Scale { linear, logarithmic };

// Without bounds the axis reaches to the round numbers around the data; what lies beyond given bounds is cut
// at the frame.
struct Axis {
  std::string label = {};
  Scale scale = Scale::linear;
  std::optional<double> low = {}, high = {};
  bool whole = false;  // a linear axis of counts: ticks at whole numbers only
};

struct Series {
  std::string name;
  std::vector<double> x, y;  // of one length
  bool line = true;          // joined; otherwise markers alone
};

// A dashed guide y = y0 (x / x0)^order from x0 to x1; for two logarithmic axes.
struct Slope {
  double order = 1;
  double x0 = 1, y0 = 1, x1 = 10;
  std::string label;
};

// A dotted line across the whole plot at one x or y: a limit, a tolerance, a goal.
struct Limit {
  enum class On { x, y };
  On axis = On::y;
  double value = 0;
  std::string label;
};

struct LinePlot {
  std::string name;  // of the file, without folder and ending
  std::string title;
  std::string caption;  // one or two lines under the title; also the description for screen readers
  Axis x, y;
  std::vector<Series> series;
  std::vector<Slope> slopes = {};
  std::vector<Limit> limits = {};
};

// Horizontal bars from zero: one row (stacked) or one row per part (grouped) for each group.
struct BarPlot {
  enum class Layout { stacked, grouped };
  struct Part {
    std::string name;
    std::vector<double> values;  // one per group; not negative
  };
  std::string name;
  std::string title;
  std::string caption;
  std::string value_label;
  Layout layout = Layout::stacked;
  std::vector<std::string> groups;
  std::vector<Part> parts;
  std::vector<std::string> notes = {};  // per group, beside its longest bar; or empty
};

using Plot = std::variant<LinePlot, BarPlot>;

const std::string& name_of(const Plot& plot);

}  // namespace selkie::io
