// One step of a liquid domain. Reads `from`, writes `to` (equal to `from` on entry). [Zarifi17 Algorithm 3;
// Zhu05 §4; Selle08 §2.9] LE-10 … LE-21, HY-05 … HY-08
//
//   solids to the end of the step; particles (or level set) along the last divergence-free velocity;
//   inflows and drains; velocity onto the grid; surface; forces; pressure; extrapolation; velocity back.
//
// The phases predict, assemble, solve and correct are public, so that a coupling can solve in between.
#pragma once

#include "selkie/fluids/liquid/energy.h"
#include "selkie/fluids/liquid/flow.h"
#include "selkie/fluids/liquid/motion.h"
#include "selkie/fluids/liquid/params.h"
#include "selkie/fluids/liquid/population.h"
#include "selkie/fluids/liquid/solids.h"
#include "selkie/fluids/liquid/sources.h"
#include "selkie/fluids/liquid/state.h"
#include "selkie/fluids/liquid/tension.h"
#include "selkie/fluids/liquid/tracker.h"
#include "selkie/fluids/liquid/transfer.h"
#include "selkie/fluids/liquid/viscosity.h"
#include "selkie/ports/step_report.h"
#include "selkie/ports/time.h"

namespace selkie::liquid {

struct Inputs {
  Vec3 gravity = Vec3(0, -9.81, 0);  // m/s²
  Colliders colliders = {};          // solids in the liquid
  // The same as its fluxes see them: bodies whose motion a coupling accounts for stand still. Empty:
  // colliders.
  Colliders placed = {};
  // Bodies among `placed` whose surface itself divides the faces of cells, not its distance from corners:
  // their patches, and who is placed but them.
  std::span<const grid::Patch> patches = {};
  Colliders walls = {};
  bool placed_move = true;  // false: all of `placed` that move are such bodies
  Colliders sticky = {};    // bodies whose whole velocity the liquid at their surface takes
  Sources sources = {};     // inflows and drains
};

// Scratch; allocated when first needed and kept.
template <class Real>
struct Work {
  PlacedSolids<Real> solids;
  CellRanges ranges;
  SortWork<Real> sort;
  TransferWork<Real> transfer;
  FlowWork<Real> flow;
  std::array<Buffer<Real>, 3> places;  // of particles, while they are pushed apart
  PopulationWork<Real> population;
  TrackerWork<Real> tracker;
  TensionWork<Real> tension;
  ViscosityWork viscosity;
};

template <class Real>
StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State<Real>& from, State<Real>& to, Work<Real>& work);

// Everything before the pressure: afterwards `to` holds the velocity with forces and work.flow the cells.
template <class Real>
StepReport predict(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                   State<Real>& to, Work<Real>& work);
// Everything after it.
template <class Real>
void finish(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
            State<Real>& to, Work<Real>& work);

// For a new state: state.surface from the particles as they are, with the solids of `time`; with a level set
// state.surface is given and becomes a distance with markers around it; what volume is due.
template <class Real>
void prepare(const Model& model, const Params& params, Colliders colliders, double time, State<Real>& state,
             Work<Real>& work);

// The longest step in which the liquid, as fast as it is and pulled by gravity, crosses at most params.cfl
// cells; a first step is shorter, and none is much longer than the one before.
template <class Real>
double step_limit(const Model& model, const Params& params, const Vec3& gravity, const State<Real>& state);

// Fastest face velocity, m/s.
template <class Real>
double top_speed(const Model& model, const State<Real>& state);

// Fills scratch with NaN, for tests.
template <class Real>
void poison(Work<Real>& work);

}  // namespace selkie::liquid
