// One step of a vortex-particle method with a background grid, the solver that hybrid smoke is compared with
// (HY-10) [Selle08 §3.3, eq. 3.4]:
//   ω_t + (u·∇)ω − (ω·∇)u = ν∇²ω + ∇×f          f: the lift of light smoke
// Particles carry strength α = ω times volume; the grid gives the flow. Midpoint rule in time (the source
// takes one Euler step), stretching at the particles rather than on the grid, so that the grid does not
// smooth it. Limits: 3-D; a closed box with free-slip walls; no obstacles; no force but buoyancy.
#pragma once

#include "selkie/fluids/vortex_method/flow.h"
#include "selkie/fluids/vortex_method/params.h"
#include "selkie/fluids/vortex_method/particles.h"
#include "selkie/fluids/vortex_method/state.h"
#include "selkie/grid/advect.h"
#include "selkie/ports/step_report.h"
#include "selkie/ports/time.h"

namespace selkie::vortex_method {

// Scratch; allocated when first needed and kept.
template <class Real>
struct Work {
  FlowWork<Real> flow;
  Buffer<Vec3> positions, strengths;  // half-way
  grid::AdvectWork<Real> advect;
  CellWork cells;
};

// Makes the stream function that of the particles: once before the first step.
template <class Real>
StepReport begin(const Model& model, const Params& params, State<Real>& state, Work<Real>& work);

// Reads `from`, writes `to` (equal to `from` on entry). What is `up`, against gravity, is all that comes from
// outside.
template <class Real>
StepReport step(const Model& model, const Params& params, Interval interval, const State<Real>& from,
                State<Real>& to, Work<Real>& work, const Vec3& up = Vec3::UnitY());

// The longest step in which nothing, as fast as it is and pushed by its lift, crosses more than params.cfl
// cells, and viscosity no more than the passes of diffuse() carry.
template <class Real>
double step_limit(const Model& model, const Params& params, const State<Real>& state, Work<Real>& work);

// Fills scratch with NaN, for tests.
template <class Real>
void poison(Work<Real>& work);

}  // namespace selkie::vortex_method
