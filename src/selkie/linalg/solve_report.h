// What every linear solve says of itself. Numerical trouble is reported here, never thrown; the caller
// decides whether to retry, to shorten the step or to accept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace selkie::linalg {

enum class StopReason {
  converged,        // the residual reached the tolerance
  iteration_limit,  // the cap came first; x is the best this many iterations give
  stagnated,        // round-off or a bad preconditioner keeps the residual from falling further
  nonpositive_curvature,  // pᵀAp ≤ 0 or rᵀM⁻¹r ≤ 0: the matrix or the preconditioner is not positive definite
  not_finite,             // NaN or infinity in the right side, the matrix or a dot product
  factorization_failed,  // a direct or incomplete factorisation met a pivot that is not positive
};

// "converged", "iteration limit", ... for messages.
std::string_view name_of(StopReason reason);

struct [[nodiscard]] SolveReport {
  StopReason reason = StopReason::converged;
  int iterations = 0;
  double initial_residual = 0;       // ‖b − A x₀‖ / ‖b‖
  double residual = 0;               // ‖b − A x‖ / ‖b‖ at the end
  std::vector<double> history = {};  // relative residual before the first and after every iteration

  bool converged() const { return reason == StopReason::converged; }

  // One line for a person: "converged after 14 iterations, relative residual 8.1e-07".
  std::string text() const;
};

}  // namespace selkie::linalg
