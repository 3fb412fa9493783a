// Time as integer ticks, so that the clocks of systems with different steps never drift apart.
#pragma once

#include <cstdint>

namespace selkie {

using Tick = std::int64_t;
inline constexpr Tick kTicksPerFrame = Tick{1} << 32;

// [begin, end) of one step. t0() and dt() are what a solver integrates with; both are pure functions of the
// ticks.
struct Interval {
  Tick begin = 0;
  Tick end = 0;
  double seconds_per_tick = 0;

  double t0() const { return static_cast<double>(begin) * seconds_per_tick; }
  double t1() const { return static_cast<double>(end) * seconds_per_tick; }
  double dt() const { return static_cast<double>(end - begin) * seconds_per_tick; }
};

}  // namespace selkie
