// One step of a smoke domain: solids, transport, sources, forces, projection, vortex particles. Reads `from`,
// writes `to` (equal to `from` on entry). [Selle08 §3.2, §3.4; Müller08 ch. 9] HY-07, HY-09, HY-11 … HY-14,
// RT-49 … RT-51
#pragma once

#include <array>
#include <span>

#include "selkie/fluids/smoke/diffuse.h"
#include "selkie/fluids/smoke/emitter.h"
#include "selkie/fluids/smoke/params.h"
#include "selkie/fluids/smoke/solids.h"
#include "selkie/fluids/smoke/state.h"
#include "selkie/fluids/smoke/vortex_particles.h"
#include "selkie/grid/advect.h"
#include "selkie/grid/projection.h"
#include "selkie/ports/step_report.h"
#include "selkie/ports/time.h"

namespace selkie::smoke {

struct Inputs {
  Vec3 gravity = Vec3(0, -9.81, 0);  // m/s²; only its direction counts: what is up
  Colliders colliders = {};          // solids in the gas
  Emitters emitters = {};
};

// Scratch; allocated when first needed and kept.
template <class Real>
struct Work {
  PlacedSolids<Real> solids;
  Buffer<Real> expansion;                         // empty while nothing expands
  std::array<Buffer<Real>, 3> middle, reflected;  // velocities half-way, for params.reflect
  grid::AdvectWork<Real> advect;                  // its field also serves placing solids and confinement
  grid::ProjectionWork<Real> projection;
  VortexWork<Real> vortices;
  DiffuseWork diffuse;
};

template <class Real>
StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State<Real>& from, State<Real>& to, Work<Real>& work);

// The longest step in which the gas, as fast as it is and pushed by its buoyancy, crosses at most params.cfl
// cells.
template <class Real>
double step_limit(const Model& model, const Params& params, const State<Real>& state);

// Fastest face velocity, m/s.
template <class Real>
double top_speed(const Model& model, const State<Real>& state);

// Fills scratch with NaN, for tests.
template <class Real>
void poison(Work<Real>& work);

}  // namespace selkie::smoke
