// One step of a mass-spring body: RT-03 … RT-12 and HY-26, HY-30, HY-31. Reads `from`, writes `to` (equal to
// `from` on entry). Each integrator sits in a file of its own; the phases they share are in forces.h,
// tangent.h, kinematics.h and contacts.h. [Müller08 ch. 3; Selle08 §5.3–5.5]
#pragma once

#include <span>

#include "selkie/core/function_ref.h"
#include "selkie/ports/step_report.h"
#include "selkie/ports/surface.h"
#include "selkie/ports/time.h"
#include "selkie/solids/mass_spring/model.h"
#include "selkie/solids/mass_spring/params.h"
#include "selkie/solids/mass_spring/state.h"
#include "selkie/solids/mass_spring/work.h"

namespace selkie::mass_spring {

// Where a pinned vertex is at a time (s, on the clock of the Interval). Sampled inside the step at the
// stage times; called from one thread.
using PinnedMotion = FunctionRef<Vec3(std::uint32_t vertex, double time)>;

struct Inputs {
  Vec3 gravity = Vec3(0, -9.81, 0);                            // m/s²
  std::span<const ports::FieldSampler* const> colliders = {};  // solids that stop the vertices
  std::span<ports::MovableSolid* const> bodies = {};  // solids that give way; they are pushed by the step
  PinnedMotion pinned_motion = {};                    // empty: pinned vertices stay
  std::span<const Vec3> forces = {};                  // N per vertex, constant over the step; or empty
};

// On numerical trouble (a solve that missed its tolerance, a value that is not finite) the report is not ok
// and `to` must not be used; the caller repeats the step in halves. `cfl` is left to the caller, who knows
// step_limit() already.
StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work);

// Longest step at which the integrator is stable for the body as it is now (s); infinity for the
// unconditionally stable ones. Those with frozen spring directions (HY-31) are so while no spring is taut:
// across a taut spring they are explicit; of these the Newmark family (HY-30, HY-31) also takes no step in
// which a spring turns by more than 0.05 rad. Gershgorin bounds on M⁻¹K and M⁻¹D (HY-30), so never too long
// for linear springs. Explicit Euler and RK2 without damping amplify at any step: for them the limit at which
// amplitudes grow by 1 % per radian.
double stability_limit(const Model& model, const Params& params, const State& state);

// What a scheduler should use: the limit less a margin of 10 %.
double step_limit(const Model& model, const Params& params, const State& state);

// The same without an allocation.
double stability_limit(const Model& model, const Params& params, const State& state, Work& work);
double step_limit(const Model& model, const Params& params, const State& state, Work& work);
double margin_below(double stability_limit);

// A limit that is asked for before every sub-step and found anew only when spring directions and tensions may
// have changed so much that ω has risen by 8 %, less than the margin. Velocities at the time it was found
// tell how long that takes at the least; vertices that leave the way they were on then are seen at every
// question. It remembers, so the steps of one history share it: forget() where a history begins.
struct KeptLimit {
  bool known = false;
  double step = 0;                  // s
  double ageing = 0, straying = 0;  // 1/s, 1/m [rate_bounds.h]
  double age = 0;                   // s since it was found; the caller adds its steps
  Buffer<Vec3> positions, velocities;
  void forget() { known = false; }
};
double stability_limit(const Model& model, const Params& params, const State& state, KeptLimit& kept,
                       Work& work);

}  // namespace selkie::mass_spring
