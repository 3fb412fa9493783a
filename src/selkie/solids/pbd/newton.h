// All inner constraints of a body at once: Newton's iteration Δp = −W Jᵀ (J W Jᵀ)⁺ C with the pseudo-inverse,
// which covers redundant and missing rows. [Müller08 §5.2, RT-37] A dense reference for small bodies:
// equalities only, without compliance, and n³ work.
#pragma once

#include <span>
#include <vector>

#include "selkie/solids/pbd/model.h"
#include "selkie/solids/pbd/params.h"

namespace selkie::pbd {

struct NewtonReport {
  std::vector<double> residuals;  // |C| before each iteration and at the end
  bool converged = false;
};

// Moves `positions` until |C| < tolerance; vertices of inverse mass 0 stay.
NewtonReport solve_constraints(const Model& model, const Params& params,
                               std::span<const double> inverse_masses, std::span<Vec3> positions,
                               double tolerance = 1e-10, int most = 50);

}  // namespace selkie::pbd
