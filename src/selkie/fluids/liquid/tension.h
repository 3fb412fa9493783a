// Surface tension as the pressure at the surface, p = σκ, inside the ghost-fluid condition (LE-16 with a jump)
// [Enright03b]: what that pressure does to the faces it lies on is taken into u* before the solve, so that the
// solve itself keeps p = 0. Second-order curvature of φ; explicit, so the step is limited.
#pragma once

#include "selkie/fluids/liquid/flow.h"
#include "selkie/grid/level_set.h"

namespace selkie::liquid {

template <class Real>
struct TensionWork {
  Buffer<Real> distance, curvature;
  grid::DistanceWork<Real> redistance;
};

// Between classify() and assemble(). Particles make a surface with ripples of a cell, which are smoothed away
// before its curvature is taken; a level set is taken as it is.
template <class Real>
void add_tension(const Model& model, const Params& params, const PlacedSolids<Real>& solids, double dt,
                 State<Real>& state, const FlowWork<Real>& flow, TensionWork<Real>& work);

// Longest step for which capillary waves of the grid's size are stable, s [Brackbill92 eq. 61].
double tension_step_limit(const Model& model, const Params& params);

}  // namespace selkie::liquid
