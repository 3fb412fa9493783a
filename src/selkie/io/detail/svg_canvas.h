// The sheet that plots are drawn on: text of SVG elements, escaping, styles for light and dark, the frame
// with axes, and the legend. Coordinates are pixels, y downwards, printed to a hundredth.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "selkie/io/plot_axis.h"

namespace selkie::io::detail {

inline constexpr double kFontSize = 13, kSmallFont = 11.5;

struct Box {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

enum class Anchor { start, middle, end };

// & < > " as entities; what XML forbids (control characters, broken UTF-8) as U+FFFD.
std::string escape(std::string_view text);

double text_width(std::string_view text, double font_size);

// Words of `text` in lines of at most `width` pixels.
std::vector<std::string> wrap(std::string_view text, double font_size, double width);

std::string text_element(double x, double y, std::string_view text, std::string_view style = {},
                         Anchor anchor = Anchor::start);
std::string line_element(double x1, double y1, double x2, double y2, std::string_view style);

// Colour class of the n-th series, and its marker of about eight pixels at a place.
std::string colour_class(std::size_t n);
std::string marker(std::size_t n, double x, double y);
std::string dashes(std::size_t n);  // attribute; series beyond the colours are dashed

// Title and caption; returns the y below them.
struct Heading {
  std::string elements;
  double bottom = 0;
};
Heading make_heading(std::string_view title, std::string_view caption, double width);

// Gridlines, tick labels and axis names. Either axis may be absent (nullptr).
std::string axes(const Box& box, const AxisRange* x, const AxisRange* y, const Axis& x_axis,
                 const Axis& y_axis);

// The file: head, style, background, then `body`.
std::string document(double width, double height, std::string_view title, std::string_view description,
                     std::string_view body);

}  // namespace selkie::io::detail
