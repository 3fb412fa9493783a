// One step of a position-based body: predict, hold by constraints, take velocities from positions. RT-27 …
// RT-33, RT-38 [Müller08 ch. 5; Müller07], compliance and sub-steps [Macklin16; Macklin19]. Reads `from`,
// writes `to` (equal to `from` on entry).
#pragma once

#include <span>

#include "selkie/core/function_ref.h"
#include "selkie/ports/step_report.h"
#include "selkie/ports/surface.h"
#include "selkie/ports/time.h"
#include "selkie/solids/pbd/model.h"
#include "selkie/solids/pbd/params.h"
#include "selkie/solids/pbd/state.h"
#include "selkie/solids/pbd/work.h"

namespace selkie::pbd {

// Where a pinned vertex is at a time (s, on the clock of the Interval). Called from one thread.
using PinnedMotion = FunctionRef<Vec3(std::uint32_t vertex, double time)>;

struct Inputs {
  Vec3 gravity = Vec3(0, -9.81, 0);                            // m/s²
  std::span<const ports::FieldSampler* const> colliders = {};  // solids that stop the vertices
  std::span<ports::MovableSolid* const> bodies = {};           // solids that give way
  PinnedMotion pinned_motion = {};                             // empty: pinned vertices stay
  std::span<const Vec3> forces = {};  // N per vertex, constant over the step; or empty
};

// Not ok, and `to` not to be used, only if a value is not finite.
StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work);

// Sub-steps that a step is cut into: those asked for, and more where a body of tetrahedra would be crushed
// otherwise. None presses a vertex more than a quarter of an edge into a collider (sweeps undo less, and
// tetrahedra turn inside out) or lets it fall by more than a five-hundredth of one (its weight sinks into the
// lowest edges by that much before they carry it), down to 0.1 ms.
int substep_count(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                  const State& state);

// ---- phases of a sub-step, in this order; the interval is that of the sub-step ----

// Velocities take in forces; work.points gets where they lead, vertices of given motion where they must be.
void predict(const Model& model, const Params& params, const Inputs& inputs, Interval interval, State& to,
             Work& work);
// Sweeps over inner constraints and contacts.
void project(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
             const State& to, Work& work);
// Velocities from the way made, positions from work.points.
void take_positions(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                    State& to, Work& work);

}  // namespace selkie::pbd
