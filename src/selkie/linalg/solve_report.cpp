// Wording of solve reports.
#include "selkie/linalg/solve_report.h"

#include <array>
#include <cstdio>

namespace selkie::linalg {

std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
      return "converged";
    case StopReason::iteration_limit:
      return "iteration limit";
    case StopReason::stagnated:
      return "stagnated";
    case StopReason::nonpositive_curvature:
      return "matrix not positive definite (nonpositive curvature)";
    case StopReason::not_finite:
      return "value not finite";
    case StopReason::factorization_failed:
      return "factorisation failed";
  }
  return "unknown";
}

std::string SolveReport::text() const {
  std::array<char, 96> numbers;
  std::snprintf(numbers.data(), numbers.size(), " after %d iteration%s, relative residual %.2g", iterations,
                iterations == 1 ? "" : "s", residual);
  return std::string(name_of(reason)) + numbers.data();
}

}  // namespace selkie::linalg
