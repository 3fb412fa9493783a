// The one solve of a Group: any number of pressure sides and bodies, joined by sparse Jacobians, as one
// symmetric positive definite system in pressures and elastic velocities, matrix-free. [LE-38, LE-39; house
// style 5]
//
// With t = Z₁⁻¹ (J p − Z₂ v) the rows are  B p + Jᵀ t  and  Z₂ (v − t); rigid bodies (no Z₂) add Jᵀ Z₁⁻¹ J p
// and have no unknowns of their own. The bodies' new velocities follow as v = Z₁⁻¹ (J p − Z₂ v − w).
#pragma once

#include <span>
#include <vector>

#include "selkie/linalg/solve_report.h"
#include "selkie/ports/sides.h"

namespace selkie::coupling {

struct GroupSettings {
  double tolerance = 1e-8;  // relative residual
  int max_iterations = 2000;
  bool from_guess = true;  // begins at the sides' guesses where they have some; false: at warm_start
};

struct [[nodiscard]] GroupReport {
  linalg::SolveReport solve;
  std::size_t unknowns = 0;
};

// Solves and, when converged, hands each side its share through accept(). `warm_start` is the initial guess
// when it has the right length, and receives the solution; it is part of the Group's state.
GroupReport solve_group(std::span<const ports::PressureSide* const> pressures,
                        std::span<const ports::BodySide* const> bodies,
                        std::span<const ports::CouplingTerm> terms, const GroupSettings& settings,
                        std::vector<double>& warm_start);

// For comparison, the weak coupling of LE-45: each body answers the pressures that the last step ended with (the
// sides' guesses), then the liquids are solved around bodies that go their way. Bodies have no Z₂.
GroupReport solve_staggered(std::span<const ports::PressureSide* const> pressures,
                            std::span<const ports::BodySide* const> bodies,
                            std::span<const ports::CouplingTerm> terms, const GroupSettings& settings,
                            std::vector<double>& warm_start);

}  // namespace selkie::coupling
