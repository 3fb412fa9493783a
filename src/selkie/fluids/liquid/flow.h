// Pressure and what comes after it (LE-15, LE-16, LE-19, LE-20): which cells are liquid, the projection with a
// ghost-fluid surface and cut faces, and the velocity continued into air and solids.
#pragma once

#include "selkie/fluids/liquid/params.h"
#include "selkie/fluids/liquid/pockets.h"
#include "selkie/fluids/liquid/solids.h"
#include "selkie/grid/extrapolate.h"
#include "selkie/grid/projection.h"
#include "selkie/ports/step_report.h"

namespace selkie::liquid {

template <class Real>
struct FlowWork {
  grid::CellKinds kinds;
  Buffer<Real> source;      // wanted divergence, 1/s; empty: none
  Buffer<Real> correction;  // what of it keeps the volume, where something also pours in; empty: all of it
  grid::ProjectionWork<Real> projection;
  Buffer<std::uint8_t> marks;
  PocketWork pockets;
  std::array<grid::FillPlan, 3> fill;
  std::array<Buffer<Real>, 3> before, change;  // velocity before forces and pressure; what they added
};

// Liquid, air and solid cells from state.surface: a cell with room is liquid where φ < 0. A cell without an
// open face has no room, which rules out sealed micro-pockets (LE-19); slits below the surface are liquid (pockets.h).
template <class Real>
void classify(const Model& model, const PlacedSolids<Real>& solids, const State<Real>& state,
              FlowWork<Real>& work);

// What the projection takes; classify() came before.
template <class Real>
grid::ProjectionInputs<Real> projection_inputs(const Model& model, const PlacedSolids<Real>& solids,
                                               const State<Real>& state, const FlowWork<Real>& work);

// The pressure solve in three parts, so that a coupling can solve in between: matrix and right side,
// solution, velocity.
template <class Real>
void assemble(const Model& model, const PlacedSolids<Real>& solids, const State<Real>& state,
              FlowWork<Real>& work);
template <class Real>
StepReport solve(const Model& model, const Params& params, State<Real>& state, FlowWork<Real>& work);
template <class Real>
void correct(const Model& model, const PlacedSolids<Real>& solids, State<Real>& state, FlowWork<Real>& work);

// Velocity of faces that no liquid cell touches, from those that do, `layers` deep; inside solids its part
// along the normal becomes the solid's (LE-20), inside `sticky` ones all of it (LE-46). `work.change` = velocity − work.before, continued likewise.
// Ghosts are filled.
template <class Real>
void extrapolate(const Model& model, Colliders colliders, Colliders sticky, double time,
                 const PlacedSolids<Real>& solids, int layers, State<Real>& state, FlowWork<Real>& work);

// u += Δt g on all faces.
template <class Real>
void add_gravity(const Model& model, const Vec3& gravity, double dt, State<Real>& state);

}  // namespace selkie::liquid
