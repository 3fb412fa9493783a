// Where liquid comes from and where it goes, as a scene says it; sources.h does it. The form is the shape, or
// a mesh that is handed over beside (sources.h).
#pragma once

#include <array>
#include <optional>

#include "selkie/core/describe.h"
#include "selkie/geometry/shapes.h"

namespace selkie::liquid {

struct Inflow {
  std::optional<geometry::AnalyticShape> shape;
  double rate = 1e-3;
  std::array<double, 3> velocity{0, 0, 0};
  double start = 0;
  std::optional<double> end;
};
constexpr auto describe(Inflow*) {
  using I = Inflow;
  return Members{
      member("shape", &I::shape, "", "where the liquid appears"),
      member("rate", &I::rate, "m³/s", "how much; in 2-D m²/s").at_least(0).required(),
      member("velocity", &I::velocity, "m/s", "that it has when it appears"),
      member("start", &I::start, "s", "when it begins"),
      member("end", &I::end, "s", "when it stops; absent: never"),
  };
}
static_assert(complete<Inflow>());

struct Drain {
  std::optional<geometry::AnalyticShape> shape;
  std::optional<double> rate;
  double start = 0;
  std::optional<double> end;
};
constexpr auto describe(Drain*) {
  using D = Drain;
  return Members{
      member("shape", &D::shape, "", "where liquid disappears"),
      member("rate", &D::rate, "m³/s", "how much at most; in 2-D m²/s; absent: all that comes").above(0),
      member("start", &D::start, "s", "when it begins"),
      member("end", &D::end, "s", "when it stops; absent: never"),
  };
}
static_assert(complete<Drain>());

}  // namespace selkie::liquid
