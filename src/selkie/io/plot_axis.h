// Ticks at round numbers and places along an axis. Linear ticks are 1, 2 or 5 times a power of ten apart
// [Heckbert90]; logarithmic ones sit at powers of ten, every n-th when there are many, and at 1, 2, 5 when
// there are few. Free ends move outward to the next tick.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "selkie/io/plot.h"

namespace selkie::io {

struct Tick {
  double value = 0;
  std::string label;
};

struct AxisRange {
  Scale scale = Scale::linear;
  double low = 0, high = 1;
  std::vector<Tick> ticks;  // ascending, within [low, high]

  // 0 at low, 1 at high; beyond these outside.
  double place(double value) const;
};

// Whether a value has a place on an axis of this scale.
bool can_be_drawn(Scale scale, double value);

// The range that shows `values` (those that can be drawn). Without any: [0, 1] or [1, 10]. Throws InputError
// for given bounds that are not finite, not ascending, or not positive on a logarithmic axis.
AxisRange make_range(const Axis& axis, std::span<const double> values);

// "0.25", "−3", "2·10⁻⁵"; `step` (0: none) decides the decimals.
std::string tick_text(double value, double step);
std::string power_of_ten_text(int exponent);  // "10⁻³", "1", "10"

}  // namespace selkie::io
