// One step of rigid bodies: semi-implicit Euler, contacts by sequential impulses with Coulomb friction
// [Catto05], overlap undone by velocities that do not last ("split impulse"), rotation by the implicit
// midpoint rule at constant angular momentum. Reads `from`, writes `to` (equal to `from` on entry). What a
// fast body meets on its way within the step is found by following its path (contacts.h). Limits: contacts
// are solved one after the other, without a memory of the last step: tall stacks are soft.
#pragma once

#include <span>

#include "selkie/ports/step_report.h"
#include "selkie/ports/surface.h"
#include "selkie/ports/time.h"
#include "selkie/solids/rigid/model.h"
#include "selkie/solids/rigid/params.h"
#include "selkie/solids/rigid/state.h"
#include "selkie/solids/rigid/work.h"

namespace selkie::rigid {

struct Inputs {
  Vec3 gravity = Vec3(0, -9.81, 0);                            // m/s²
  std::span<const ports::FieldSampler* const> colliders = {};  // solids that stop the bodies
};

StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work);

// Longest sub-step (s): params.longest_step, or less where boxes are so fast that they could pass through one
// another; at most 16 times less, beyond which a fast box may.
double step_limit(const Params& params, const State& state);

// The phases, in order. Each is a pure function of its arguments.
void apply_loads(const Params& params, const Inputs& inputs, double dt, State& state);
void solve_contacts(const Params& params, const Inputs& inputs, double dt, State& state, Work& work);
void move(double dt, const Work& work, State& state);

}  // namespace selkie::rigid
