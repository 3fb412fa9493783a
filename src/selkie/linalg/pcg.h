// Preconditioned conjugate gradients for symmetric positive definite systems, matrix-free (RT-12).
// [Shewchuk94 §B3] Vector updates and dot products are fused into few passes over memory; all sums are taken
// over fixed blocks, so the result has the same bits for any number of threads.
#pragma once

#include <cstddef>
#include <span>

#include "selkie/core/buffer.h"
#include "selkie/linalg/operator.h"
#include "selkie/linalg/solve_report.h"

namespace selkie::linalg {

struct PcgOptions {
  double tolerance = 1e-6;        // stop at ‖b − Ax‖ ≤ tolerance·‖b‖ ...
  double absolute_tolerance = 0;  // ... or at ‖b − Ax‖ ≤ this, in the units of b
  int max_iterations = 100;
  bool keep_history = true;
  // Before reporting convergence, recompute b − Ax (one more product): the recursive residual drifts away
  // from the true one in stiff systems. Turn off where only the cost counts.
  bool verify_residual = true;
};

// Scratch, kept between solves so that a solve allocates nothing. Its contents never influence a result.
struct PcgWork {
  Buffer<double> residual, preconditioned, direction, product;
};

// Solves A x = b; x is the initial guess (warm start) on entry. b = 0 gives x = 0 without an iteration.
// Unless converged, x is the last iterate that was finite; after nonpositive_curvature it is still the
// minimum of the energy over the directions searched so far.
SolveReport pcg(const Operator& a, const Preconditioner& preconditioner, std::span<const double> b,
                std::span<double> x, const PcgOptions& options, PcgWork& work);

}  // namespace selkie::linalg
