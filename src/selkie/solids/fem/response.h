// How an elastic body answers impulses on its vertices within a step: Δv = A⁻¹ p, linearised where the body
// is. Contacts between bodies are solved with the matrix of backward Euler [coupling/contact.h], whatever
// integrator moves the body; a joint solve with a liquid with that of the body's own step (coupled_step.h).
#pragma once

#include <span>

#include "selkie/ports/deformable_solid.h"
#include "selkie/solids/fem/step.h"

namespace selkie::fem {

// What answers, by A.
enum class Answer {
  elastic,    // of backward Euler: (1 + hτ_M) M + (h² + hτ_K) K
  staggered,  // of average acceleration: (1 + ½hτ_M) M + (¼h² + ½hτ_K) K
  inert,      // of the explicit integrator: M
  damped,     // for comparison (LE-45), mass and damping: (1 + hτ_M) M + hτ_K K
};

// Linearises at `state` and factorises (or refreshes the preconditioner) for steps of `h` seconds. Pinned and
// grabbed vertices stay, and those in `held` that rest; the others of `held` move along their surfaces only.
StepReport prepare_response(const Model& model, const Params& params, double h, const State& state,
                            std::span<const ports::HeldVertex> held, Work& work,
                            Answer answer = Answer::elastic, TangentKind tangents = TangentKind::frozen);

// One answer. A body that nothing holds takes up exactly the momentum it is given.
StepReport respond(const Model& model, const Params& params, double h, std::span<const Vec3> impulses,
                   std::span<Vec3> changes, Work& work, Answer answer = Answer::elastic);

}  // namespace selkie::fem
