// State of a sheet of water: everything that influences a later step, and the ledger of its volume.
#pragma once

#include <cstdint>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/fluids/shallow_water/model.h"

namespace selkie::shallow_water {

template <class Real>
struct State {
  Buffer<Real> depth;
  Buffer<Real> flow_x, flow_z;
  Buffer<Real> displaced;
  double pending_rain = 0;
  double pressed = 0;
  double through_sides = 0, rained = 0, poured = 0, damped = 0, rounded = 0;
};
template <class Real>
constexpr auto describe(State<Real>*) {
  using S = State<Real>;
  return Members{
      member("depth", &S::depth, "m", "of the water at cell centres, with what bodies displace"),
      member(
          "flow_x", &S::flow_x, "m²/s",
          "conservative: depth times velocity at cell centres; semi-lagrangian: velocity (m/s) at low faces"),
      member("flow_z", &S::flow_z, "m²/s", "as flow_x, along z"),
      member("displaced", &S::displaced, "m", "the share of depth that is body, not water; empty: none yet"),
      member("pending_rain", &S::pending_rain, "m", "rain that is too little yet to be added to a depth"),
      member("pressed", &S::pressed, "m/s²",
             "what a field added to gravity in the last step where it did most: waves are that much faster"),
      member("through_sides", &S::through_sides, "m³", "came in through the sides since the start"),
      member("rained", &S::rained, "m³", "fell as rain"),
      member("poured", &S::poured, "m³", "came from sources, less what sinks took"),
      member("damped", &S::damped, "m³", "added by damping layers"),
      member("rounded", &S::rounded, "m³", "added where round-off or advection changed the volume"),
  };
}
static_assert(complete<State<float>>());

// Dry.
template <class Real>
State<Real> make_state(const Model<Real>& model);

// Fills every cell to a level (m), where the ground lies below it; `inside` limits it to some cells.
template <class Real>
void fill_to_level(const Model<Real>& model, double level, FunctionRef<bool(double x, double z)> inside,
                   State<Real>& state);

// m³ of water, without what bodies displace.
template <class Real>
double volume(const Model<Real>& model, const State<Real>& state);

struct Diagnostics {
  double volume = 0;              // m³
  double kinetic = 0;             // J for a density of 1 kg/m³
  double potential = 0;           // likewise; zero for water at y = 0
  double top_speed = 0;           // m/s
  double deepest = 0;             // m
  double wet_area = 0;            // m²
  double flow_x = 0, flow_z = 0;  // m⁴/s: momentum over density
};
template <class Real>
Diagnostics diagnose(const Model<Real>& model, const State<Real>& state, double gravity, double dry_depth);

}  // namespace selkie::shallow_water
