// See plot_axis.h.
#include "selkie/io/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/text.h"

namespace selkie::io {
namespace {

constexpr int kWantedTicks = 6;

double power_of_ten(int exponent) { return std::pow(10.0, exponent); }

// 1, 2 or 5 times a power of ten, near `rough`.
double round_step(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double digits = rough / power;
  return power * (digits < 1.5 ? 1 : digits < 3.5 ? 2 : digits < 7.5 ? 5 : 10);
}

// Multiples i of a round step s as i·s or i/(1/s): the division gives the double nearest to a decimal
// fraction, where the product would not.
double multiple(double index, double step) { return step < 1 ? index / std::round(1 / step) : index * step; }

void linear_ticks(AxisRange& range, const Axis& axis) {
  const bool free_low = !axis.low, free_high = !axis.high;
  const double rough = round_step((range.high - range.low) / (kWantedTicks - 1));
  const double step = axis.whole ? std::max(1.0, rough) : rough;
  constexpr double kSlack = 1e-9;  // of a step: an end that is a tick but for round-off is one
  const double first =
      free_low ? std::floor(range.low / step + kSlack) : std::ceil(range.low / step - kSlack);
  const double last =
      free_high ? std::ceil(range.high / step - kSlack) : std::floor(range.high / step + kSlack);
  for (double i = first; i <= last; ++i) {
    const double value = multiple(i, step) + 0.0;  // no −0
    range.ticks.push_back({value, tick_text(value, step)});
  }
  if (free_low) range.low = range.ticks.front().value;
  if (free_high) range.high = range.ticks.back().value;
}

// The largest power of ten not above, the smallest not below.
int decade_below(double value) {
  int exponent = static_cast<int>(std::floor(std::log10(value)));
  if (power_of_ten(exponent + 1) <= value) ++exponent;
  return exponent;
}
int decade_above(double value) {
  const int below = decade_below(value);
  return power_of_ten(below) == value ? below : below + 1;
}

void logarithmic_ticks(AxisRange& range, const Axis& axis) {
  const bool free_low = !axis.low, free_high = !axis.high;
  constexpr double kFew = 2;  // decades: fewer also get 2 and 5
  const bool few = std::log10(range.high / range.low) <= kFew;
  std::vector<Tick> candidates;
  const int first = decade_below(range.low), last = decade_above(range.high);
  const int stride = std::max(1, static_cast<int>(std::ceil((last - first) / 8.0)));
  for (int e = first; e <= last + stride - 1; ++e) {
    if (few)
      for (const double digit : {1.0, 2.0, 5.0})
        candidates.push_back({digit * power_of_ten(e), tick_text(digit * power_of_ten(e), 0)});
    else if ((e - first) % stride == 0)
      candidates.push_back({power_of_ten(e), power_of_ten_text(e)});
  }
  auto first_above = [&](double value) {
    return std::find_if(candidates.begin(), candidates.end(),
                        [&](const Tick& tick) { return tick.value >= value * (1 - 1e-12); });
  };
  auto begin = first_above(range.low), end = first_above(range.high);
  if (free_low) {
    if (begin->value > range.low * (1 + 1e-12)) --begin;
    range.low = begin->value;
  }
  if (free_high) range.high = end->value;
  if (end != candidates.end() && end->value <= range.high * (1 + 1e-12)) ++end;
  range.ticks.assign(begin, std::max(begin, end));
}

void check_bounds(const Axis& axis) {
  for (const auto& bound : {axis.low, axis.high})
    if (bound && !can_be_drawn(axis.scale, *bound))
      throw InputError(fmt::format("a plot's axis '{}' cannot end at {}", axis.label, *bound),
                       "use a finite number, on a logarithmic axis a positive one");
  if (axis.low && axis.high && !(*axis.low < *axis.high))
    throw InputError(fmt::format("a plot's axis '{}' runs from {} to {}", axis.label, *axis.low, *axis.high),
                     "give the lower end first");
}

// A range of no length has no scale: widen it where it is free.
void widen(AxisRange& range, bool free_low, bool free_high) {
  if (range.low < range.high) return;
  if (range.scale == Scale::logarithmic) {
    if (free_high) range.high = std::max(range.high, range.low) * 2;
    if (free_low) range.low = std::min(range.low, range.high) / 2;
  } else {
    const double more = range.low == 0 ? 1 : std::abs(range.low) / 2;
    if (free_high) range.high = std::max(range.high, range.low) + more;
    if (free_low) range.low = std::min(range.low, range.high) - more;
  }
}

}  // namespace

bool can_be_drawn(Scale scale, double value) {
  // Beyond these a picture says nothing and differences overflow.
  constexpr double kSmallest = 1e-290, kLargest = 1e290;
  if (!std::isfinite(value) || std::abs(value) > kLargest) return false;
  return scale == Scale::linear || value >= kSmallest;
}

double AxisRange::place(double value) const {
  if (scale == Scale::linear) return (value - low) / (high - low);
  return std::log10(value / low) / std::log10(high / low);
}

AxisRange make_range(const Axis& axis, std::span<const double> values) {
  check_bounds(axis);
  const bool logarithmic = axis.scale == Scale::logarithmic;
  double low = INFINITY, high = -INFINITY;
  for (const double value : values)
    if (can_be_drawn(axis.scale, value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (low > high) {
    low = axis.low.value_or(axis.high.value_or(logarithmic ? 10 : 1) * (logarithmic ? 0.1 : 0));
    high = logarithmic ? 10 * low : low + 1;
  }
  AxisRange range{axis.scale, axis.low.value_or(low), axis.high.value_or(high), {}};
  widen(range, !axis.low, !axis.high);
  // Less than round-off apart: ticks would not differ.
  if (!logarithmic && range.high - range.low < 1e-9 * std::max(std::abs(range.low), std::abs(range.high))) {
    const double more = 1e-8 * std::max(std::abs(range.low), std::abs(range.high));
    range.low -= more;
    range.high += more;
  }
  (logarithmic ? logarithmic_ticks : linear_ticks)(range, axis);
  return range;
}

std::string power_of_ten_text(int exponent) {
  if (exponent == 0) return "1";
  if (exponent == 1) return "10";
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) out += kDigits[digit - '0'];
  return out;
}

std::string tick_text(double value, double step) {
  if (value == 0) return "0";
  const std::string sign = value < 0 ? "−" : "";
  const double size = std::abs(value);
  const double finest = step == 0 ? size : std::min(step, size);
  if (size >= 1e6 || finest < 1e-4) {
    const int exponent = decade_below(size);
    const std::string digits = fmt::format("{:.6g}", size / power_of_ten(exponent));
    return sign + (digits == "1" ? "" : digits + "·") + power_of_ten_text(exponent);
  }
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(finest) + 1e-9)));
  return sign + fmt::format("{:.{}f}", size, decimals);
}

}  // namespace selkie::io
