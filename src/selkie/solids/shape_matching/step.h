// One step of shape-matched bodies (RT-34 … RT-36), position-based: predict, then rounds of matching and
// contacts, then velocities from the way covered. Stable for every step length. Reads `from`, writes `to`
// (equal to `from` on entry). [Müller05; Müller08 §5.4.5]
#pragma once

#include <span>

#include "selkie/core/function_ref.h"
#include "selkie/ports/step_report.h"
#include "selkie/ports/surface.h"
#include "selkie/ports/time.h"
#include "selkie/solids/shape_matching/model.h"
#include "selkie/solids/shape_matching/params.h"
#include "selkie/solids/shape_matching/state.h"
#include "selkie/solids/shape_matching/work.h"

namespace selkie::shape_matching {

// What overlaps a little is parted inside the rounds of a step, up to this speed: were it all done after
// them, resting bodies would sink in every step and be lifted again. The rest leaves without gaining
// velocity.
inline constexpr double kRestingSpeed = 0.2;  // m/s

// Where a pinned vertex is at a time (s, on the clock of the Interval). Called from one thread.
using PinnedMotion = FunctionRef<Vec3(std::uint32_t vertex, double time)>;

struct Inputs {
  Vec3 gravity = Vec3(0, -9.81, 0);                            // m/s²
  std::span<const ports::FieldSampler* const> colliders = {};  // solids that stop the vertices
  std::span<ports::MovableSolid* const> bodies = {};  // solids that give way; they are pushed by the step
  PinnedMotion pinned_motion = {};                    // empty: pinned vertices stay
};

// Not ok when a value is not finite; then `to` must not be used.
StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work);

// Longest step (s) to be taken, at least 1 ms. Weight sinks into a body's lowest vertices by some g h² before
// they carry it, so g h² is kept to a thousandth of the clusters' size; and no body of a crowd covers more
// than the distance it keeps from others, so that none passes through another unseen. The method itself has
// no limit.
double step_limit(const Model& model, const Params& params, const Vec3& gravity, const State& state);
// The same for solids that give way: none that comes near moves by more than half its size.
double body_step_limit(const Model& model, std::span<ports::MovableSolid* const> bodies, const State& state);

}  // namespace selkie::shape_matching
