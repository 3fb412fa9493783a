// One step of rigid bodies (RT-40 … RT-46). Contacts are found once; then the step is solved in several parts, each
// with one sweep of impulses that undoes overlap, a move, and one sweep that takes the velocity of undoing away
// again: sequential impulses from those of the last step [Catto05; Catto11], many small steps in place of many
// sweeps [Macklin19]. Contacts of one colour share no body and are solved eight at a time. Bodies that nothing
// touches fly exactly: parabola and constant angular momentum. Reads `from`, writes `to` (equal to `from` on
// entry).
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

// Where a kinematic body is to be at the end of the step.
struct Target {
  std::uint32_t body = 0;
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
};

struct Inputs {
  Vec3 gravity = Vec3(0, -9.81, 0);                            // m/s²
  std::span<const ports::FieldSampler* const> colliders = {};  // solids that stop the bodies
  std::span<const Target> targets = {};                        // of kinematic bodies; others stay
  std::span<const Vec3> forces = {}, torques = {};             // N, N·m per body; none, or one of each per body
};

StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work);

// Longest sub-step (s).
double step_limit(const Params& params, const State& state);

// The phases, in order. Each is a pure function of its arguments.
void drive_kinematic(const Inputs& inputs, double dt, State& state);
// The held point follows its target with a lag and a capped speed: kinematic, hence the same for any mass, and it
// cannot overshoot (RT-48).
void hold(const Params& params, double h, const State& state, const Vec3& position, const Quat& turn,
          const Vec3& resistance, Vec3& velocity, Vec3& spin);
// Who is asleep, and yet was given a velocity, say by whoever wrote into the state, wakes before anyone is looked for
// in its way: pairs of resting bodies are left out, and it would pass through them for a step.
void wake_moving(const Params& params, State& state);
// Whom someone touches, or a joint moves.
void wake_islands(const Model& model, State& state, Work& work);
void solve(const Model& model, const Params& params, const Inputs& inputs, double dt, State& state, Work& work);
void rest(const Params& params, double dt, State& state, Work& work);  // who has come to rest goes to sleep

}  // namespace selkie::rigid
