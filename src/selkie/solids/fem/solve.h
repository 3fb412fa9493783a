// The linear systems of the implicit integrators, A = mass·M + stiffness·K with the tangents in `work`, for
// the motion that the constraints leave free. [RT-12, RT-25, LE-26]
#pragma once

#include "selkie/solids/fem/step.h"

namespace selkie::fem {

struct SystemWeights {
  double mass = 1;       // 1
  double stiffness = 0;  // s²
};

// Solves S A S·solution = S·rhs (both in `work`). Not ok unless converged to params.tolerance or the body is
// simulated in real time.
StepReport solve_change(const Model& model, const Params& params, const SystemWeights& weights, Work& work);

// The same for several right sides: the factorisation or the preconditioner is made once. Right sides are
// already in the space that the constraints leave free. Iterations need not be as exact as those of a step.
StepReport prepare_solves(const Model& model, const Params& params, const SystemWeights& weights, Work& work);
StepReport solve_prepared(const Model& model, const Params& params, const SystemWeights& weights, Work& work);

}  // namespace selkie::fem
