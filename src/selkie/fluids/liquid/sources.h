// Inflows and drains: where liquid comes from and where it goes, by volume per second. Both work on whole
// particles: by time t an inflow has sent ⌊rate (t − start) / volume of a particle⌋ of them, so that what
// flowed in depends on the clock and not on the steps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "selkie/core/function_ref.h"
#include "selkie/fluids/liquid/solids.h"
#include "selkie/geometry/shapes.h"
#include "selkie/ports/time.h"

namespace selkie::liquid {

struct Inflow {
  geometry::AnalyticShape shape;
  double rate = 1e-3;
  std::array<double, 3> velocity{0, 0, 0};
  double start = 0;
  std::optional<double> end;
};
constexpr auto describe(Inflow*) {
  using I = Inflow;
  return std::tuple{
      member("shape", &I::shape, "", "where the liquid appears").required(),
      member("rate", &I::rate, "m³/s", "how much; in 2-D m²/s").at_least(0).required(),
      member("velocity", &I::velocity, "m/s", "that it has when it appears"),
      member("start", &I::start, "s", "when it begins"),
      member("end", &I::end, "s", "when it stops; absent: never"),
  };
}
static_assert(complete<Inflow>());

struct Drain {
  geometry::AnalyticShape shape;
  std::optional<double> rate;
  double start = 0;
  std::optional<double> end;
};
constexpr auto describe(Drain*) {
  using D = Drain;
  return std::tuple{
      member("shape", &D::shape, "", "where liquid disappears").required(),
      member("rate", &D::rate, "m³/s", "how much at most; in 2-D m²/s; absent: all that comes").above(0),
      member("start", &D::start, "s", "when it begins"),
      member("end", &D::end, "s", "when it stops; absent: never"),
  };
}
static_assert(complete<Drain>());

// Where the shape of inflow (or drain) n has moved to at a time; empty: they stay.
using Pose = FunctionRef<Eigen::Isometry3d(std::size_t n, double time)>;

// Adds the particles of the interval at the end of the list. Places inside solids or outside the domain give
// none. Returns how many were added.
template <class Real>
std::uint64_t add_inflow(const Model& model, std::span<const Inflow> inflows, Pose pose, Colliders colliders,
                         Interval interval, State<Real>& state);

// Marks particles in drains with kDropped. Returns how many.
template <class Real>
std::uint64_t take_drained(const Model& model, std::span<const Drain> drains, Pose pose, Interval interval,
                           const State<Real>& state, Buffer<std::uint32_t>& key);

// Adds to `rate` (1/s, cell field) how fast liquid grows in inflows whose cells are full, and shrinks in
// drains of a given rate.
template <class Real>
void add_growth(const Model& model, std::span<const Inflow> inflows, Pose inflow_pose,
                std::span<const Drain> drains, Pose drain_pose, Interval interval, const CellRanges& ranges,
                Buffer<Real>& rate);

// Whether add_growth() would add anything.
bool grows(std::span<const Inflow> inflows, std::span<const Drain> drains, Interval interval);

}  // namespace selkie::liquid
