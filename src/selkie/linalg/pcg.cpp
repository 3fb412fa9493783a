// Preconditioned conjugate gradients (RT-12). [Shewchuk94 §B3]
//
// Legend: r residual b − Ax, z = M⁻¹r, p search direction, q = Ap, α step length, β direction update.
#include "selkie/linalg/pcg.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"
#include "selkie/linalg/detail/vector_passes.h"

namespace selkie::linalg {
namespace {

using detail::fused_sum;

// Iterations without a new smallest residual after which the solve has stagnated. Healthy CG on stiff systems
// shows plateaus of tens of iterations, so the window is wide.
constexpr int kPatience = 200;
// Restarts from the true residual after the recursive one had claimed convergence.
constexpr int kMaxRestarts = 3;

// r = b − A x; returns rᵀr. `product` is scratch.
double true_residual(const Operator& a, std::span<const double> b, std::span<const double> x, PcgWork& work) {
  a.apply(x, work.product);
  double* r = work.residual.data();
  const double* q = work.product.data();
  return fused_sum(b.size(), [=, source = b.data()](std::size_t i) {
    r[i] = source[i] - q[i];
    return r[i] * r[i];
  });
}

// The first residual. A zero guess, which is common, costs no product.
double first_residual(const Operator& a, std::span<const double> b, std::span<const double> x, double b_norm2,
                      PcgWork& work) {
  if (detail::squared_norm(x) != 0) return true_residual(a, b, x, work);
  std::copy(b.begin(), b.end(), work.residual.begin());
  return b_norm2;
}

// x += α p, r −= α q; returns rᵀr.
double advance(double alpha, std::span<double> x, PcgWork& work) {
  double* r = work.residual.data();
  const double* p = work.direction.data();
  const double* q = work.product.data();
  return fused_sum(x.size(), [=, solution = x.data()](std::size_t i) {
    solution[i] += alpha * p[i];
    r[i] -= alpha * q[i];
    return r[i] * r[i];
  });
}

// p = z + β p, or p = z to begin.
void turn(double beta, PcgWork& work) {
  double* p = work.direction.data();
  const double* z = work.preconditioned.data();
  const std::size_t n = work.direction.size();
  parallel_blocks(n, detail::block_size(n), [=](std::size_t begin, std::size_t end) {
    if (beta == 0)
      std::copy(z + begin, z + end, p + begin);
    else
      for (std::size_t i = begin; i < end; ++i) p[i] = z[i] + beta * p[i];
  });
}

void resize(PcgWork& work, std::size_t n) {
  for (Buffer<double>* vector : {&work.residual, &work.preconditioned, &work.direction, &work.product})
    if (vector->size() != n) vector->assign(n, 0.0);
}

struct Iteration {
  const Operator& a;
  const Preconditioner& preconditioner;
  std::span<const double> b;
  std::span<double> x;
  const PcgOptions& options;
  PcgWork& work;
  double b_norm = 0;
  double target = 0;  // ‖r‖ to reach

  SolveReport run();

 private:
  // Steps until the recursive residual reaches the target or something stops it; returns the reason.
  StopReason descend(SolveReport& report, double& r_norm);
};

StopReason Iteration::descend(SolveReport& report, double& r_norm) {
  double best = r_norm;
  int since_best = 0;
  double rz_before = 0;
  bool first = true;
  while (r_norm > target) {
    if (report.iterations >= options.max_iterations) return StopReason::iteration_limit;
    if (since_best >= kPatience) return StopReason::stagnated;

    // New direction, conjugate to the previous ones.
    const double rz = preconditioner.apply_dot(work.residual, work.preconditioned);
    if (!std::isfinite(rz)) return StopReason::not_finite;
    if (rz <= 0) return StopReason::nonpositive_curvature;
    turn(first ? 0 : rz / rz_before, work);
    first = false;
    rz_before = rz;

    // Step to the minimum along it.
    const double curvature = a.apply_dot(work.direction, work.product);
    if (!std::isfinite(curvature)) return StopReason::not_finite;
    if (curvature <= 0) return StopReason::nonpositive_curvature;
    const double alpha = rz / curvature;
    if (!std::isfinite(alpha)) return StopReason::not_finite;
    r_norm = std::sqrt(advance(alpha, x, work));
    ++report.iterations;
    if (options.keep_history) report.history.push_back(r_norm / b_norm);
    if (!std::isfinite(r_norm)) return StopReason::not_finite;
    since_best = r_norm < best ? 0 : since_best + 1;
    best = std::min(best, r_norm);
  }
  return StopReason::converged;
}

SolveReport Iteration::run() {
  SolveReport report;
  if (options.keep_history) report.history.reserve(static_cast<std::size_t>(options.max_iterations) + 1);
  double r_norm = std::sqrt(first_residual(a, b, x, b_norm * b_norm, work));
  report.initial_residual = report.residual = r_norm / b_norm;
  if (options.keep_history) report.history.push_back(report.residual);
  if (!std::isfinite(r_norm)) {
    report.reason = StopReason::not_finite;
    return report;
  }
  for (int restart = 0;; ++restart) {
    const int iterations_before = report.iterations;
    report.reason = descend(report, r_norm);
    const bool claims = report.reason == StopReason::converged && report.iterations > iterations_before;
    if (!claims || !options.verify_residual) break;

    // The claim rests on the recursion; look at the equation itself, and go on from there if it disagrees.
    r_norm = std::sqrt(true_residual(a, b, x, work));
    if (r_norm <= target) break;
    if (restart == kMaxRestarts) {
      report.reason = StopReason::stagnated;
      break;
    }
  }
  report.residual = r_norm / b_norm;
  return report;
}

}  // namespace

SolveReport pcg(const Operator& a, const Preconditioner& preconditioner, std::span<const double> b,
                std::span<double> x, const PcgOptions& options, PcgWork& work) {
  SELKIE_CHECK(b.size() == a.size() && x.size() == a.size(), "vectors of the operator's size");
  SELKIE_CHECK(options.max_iterations >= 0, "an iteration cap is not negative");
  resize(work, a.size());
  const double b_norm = std::sqrt(detail::squared_norm(b));
  if (b_norm == 0) {
    std::fill(x.begin(), x.end(), 0.0);
    SolveReport report;
    if (options.keep_history) report.history.push_back(0);
    return report;
  }
  if (!std::isfinite(b_norm))
    return {.reason = StopReason::not_finite, .initial_residual = b_norm, .residual = b_norm};
  const double target = std::max(options.tolerance * b_norm, options.absolute_tolerance);
  return Iteration{a, preconditioner, b, x, options, work, b_norm, target}.run();
}

}  // namespace selkie::linalg
