// One step of shallow water on a height field.
//
// conservative [RT-61]: well-balanced finite volumes of second order that keep depths positive. Surface,
// depth and velocity are reconstructed linearly with a limiter, the bed hydrostatically [Audusse04 §3],
// fluxes are HLL with the contact's tangential velocity [Toro01 §10], time is Heun's method (a convex
// combination of Euler steps, so positive when they are). Rain, sources, friction and damping follow as
// separate parts. semi-lagrangian [Müller08 §11; RT-55 … RT-59]: staggered, heights and velocities advected.
// Limits: water is one layer with one velocity per column; no breaking waves, no dispersion.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "selkie/fluids/shallow_water/params.h"
#include "selkie/fluids/shallow_water/state.h"
#include "selkie/ports/step_report.h"
#include "selkie/ports/surface.h"
#include "selkie/ports/time.h"

namespace selkie::shallow_water {

// Water that appears (or, with a negative rate, vanishes) evenly over some cells.
struct Source {
  std::vector<std::uint32_t> cells;  // places in the fields
  double rate = 0;                   // m³/s, at the present time
};

// What a side does at the start and at the end of the step.
struct SideValue {
  double start = 0, end = 0;  // inflow: m²/s; level and sea: m
  double rest = 0;            // sea: level around which it swings, m
};

// Acceleration (m/s²) at the middle of each cell, by its place in the fields; all empty: none [RT-60].
struct Field {
  std::span<const double> x{}, y{}, z{};
};

struct Inputs {
  Vec3 gravity{0, -9.81, 0};
  std::array<SideValue, kSideCount> sides{};
  std::span<const Source> sources{};
  Field field{};
  std::span<ports::MovableSolid* const> bodies{};
};

// Where a vertical line passes through a body, in a cell with water.
struct BodyLine {
  std::size_t at = 0;                        // place of its cell
  double x = 0, z = 0, bottom = 0, top = 0;  // m
};

// Scratch: nothing that influences a result.
template <class Real>
struct Work {
  Buffer<Real> depth, flow_x, flow_z;                // the first stage, or advected fields
  std::array<Buffer<double>, kSideCount> side_flux;  // volume per second and metre into the domain
  Buffer<double> tile_rounding;                      // one per tile
  Buffer<std::uint8_t> wet;                          // semi-lagrangian: flags
  Buffer<Real> submerged;                            // bodies in each column, m
  std::vector<BodyLine> lines;                       // of the body at hand
  std::vector<std::uint8_t> covered;                 // cells around it that it covers
};
template <class Real>
void poison(Work<Real>& work);

// Reads `from`, writes `to` (equal to `from` on entry).
template <class Real>
StepReport step(const Model<Real>& model, const Params& params, const Inputs& inputs, Interval interval,
                const State<Real>& from, State<Real>& to, Work<Real>& work);

// The longest step by params.cfl; infinity for still air.
template <class Real>
double step_limit(const Model<Real>& model, const Params& params, double gravity, const State<Real>& state);

}  // namespace selkie::shallow_water
