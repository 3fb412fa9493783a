// One step of an elastic body: RT-22 … RT-25, LE-26 … LE-31. Reads `from`, writes `to` (equal to `from` on
// entry). [Müller08 ch. 4; Zarifi17 ch. 3]
#pragma once

#include <span>

#include "selkie/core/function_ref.h"
#include "selkie/ports/step_report.h"
#include "selkie/ports/surface.h"
#include "selkie/ports/time.h"
#include "selkie/solids/fem/loads.h"
#include "selkie/solids/fem/model.h"
#include "selkie/solids/fem/params.h"
#include "selkie/solids/fem/state.h"
#include "selkie/solids/fem/work.h"

namespace selkie::fem {

// Where a pinned vertex is at a time (s, on the clock of the Interval). Called from one thread.
using PinnedMotion = FunctionRef<Vec3(std::uint32_t vertex, double time)>;

struct Inputs {
  Vec3 gravity = Vec3(0, -9.81, 0);                            // m/s²
  std::span<const ports::FieldSampler* const> colliders = {};  // solids that stop the vertices
  std::span<ports::MovableSolid* const> bodies = {};           // solids that give way
  PinnedMotion pinned_motion = {};                             // empty: pinned vertices stay
  std::span<const Vec3> forces = {};  // N per vertex, constant over the step [loads.h]; or empty
};

// On numerical trouble (a solve that missed its tolerance, a value that is not finite) the report is not ok
// and `to` must not be used; the caller repeats the step in halves.
StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work);

// Longest stable step (s): half the time a pressure wave takes through the thinnest element for the explicit
// integrator (RT-22), infinity for the others. The elements' shape at rest counts.
double stability_limit(const Model& model, const Params& params);
// What a scheduler should use: the limit less a margin of 10 %.
double step_limit(const Model& model, const Params& params);

}  // namespace selkie::fem
