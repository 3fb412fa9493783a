// What comes into a level set and what leaves it, by volume: inflows and drains of a rate in m³/s, and open
// sides. Every change is written into state.volumes and into state.volume_due, so that the correction of the
// volume neither brings back what left nor takes away what came.
//
// By time t an inflow owes rate (t − start). Its form becomes liquid, or so much of its middle as it owes: a
// stream whose rate is less than its velocity through the form runs thinner. What it owes beyond that,
// because the form is full already, its liquid grows by (a divergence in the pressure solve). Where there is
// no room at all it is refused.
#pragma once

#include "selkie/fluids/liquid/sources.h"

namespace selkie::liquid {

// Makes liquid in inflows, with their velocity, and air in drains without a rate.
template <class Real>
void pour(const Model& model, const Sources& sources, Interval interval, const PlacedSolids<Real>& solids,
          State<Real>& state, Buffer<Real>& scratch);

// Adds to `rate` (1/s, cell field) how fast liquid grows in inflows that owe and shrinks in drains of a rate.
template <class Real>
void add_pouring(const Model& model, const Sources& sources, Interval interval,
                 const PlacedSolids<Real>& solids, State<Real>& state, Buffer<Real>& rate);

// Counts what state.velocity carries through open sides over dt.
template <class Real>
void count_outflow(const Model& model, double dt, const PlacedSolids<Real>& solids, State<Real>& state);

}  // namespace selkie::liquid
