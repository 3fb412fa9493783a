// An elastic body inside a joint solve with a liquid (LE-37, LE-43) [Zarifi17 Algorithm 4]. Positions move
// first, with the velocities of the last solve, as the liquid's markers do; then velocities are solved for
// where the body is:
//
//   v = v_free + A⁻¹ (h f),   A = (1 + hτ_M) M + (h² + hτ_K) K
//
// with v_free the velocity of a step without the liquid (any law, contacts and pins included) and f the
// liquid's forces. For comparison (LE-45, "damping only") the free step knows no damping and the liquid meets
// mass and damping alone: v_free = A⁻¹ M v̂ with A = (1 + hτ_M) M + hτ_K K.
#pragma once

#include "selkie/solids/fem/response.h"
#include "selkie/solids/fem/step.h"

namespace selkie::fem {

// `to` holds the moved positions and v_free; `work` is ready for respond() (response.h) with the same answer.
// `moved` is scratch.
StepReport begin_coupled(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                         Answer answer, const State& from, State& to, State& moved, Work& work);

}  // namespace selkie::fem
