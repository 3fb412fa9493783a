// Implicit Euler iterated to tolerance (RT-10): F(v) = M(v − vⁿ) − h f(xⁿ + h v, v) = 0 by Newton's method
// with step halving until |F| falls or, where that never happens, the energy Φ of step_equation.h does.
// [Müller08 §3.5.1; E8] The Jacobian leaves out how damping changes with the spring's
// direction, so convergence is quadratic without damping and fast linear with it.
#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/core/text.h"
#include "selkie/solids/mass_spring/integrators.h"
#include "selkie/solids/mass_spring/inversion_guard.h"
#include "selkie/solids/mass_spring/kinematics.h"
#include "selkie/solids/mass_spring/step_equation.h"
#include "selkie/solids/mass_spring/tangent.h"

namespace selkie::mass_spring {
namespace {

constexpr int kMostHalvings = 12;

// What |F| is measured against: momenta, impulses of the loads, and the impulses inside the springs, which
// set the round-off of F.
double impulse_scale(const StepEquation& p, double first_residual) {
  const double outer = deterministic_sum(p.model.vertex_count, [&](std::size_t i) {
    return (p.model.masses[i] * p.from.velocities[i]).squaredNorm() +
           (p.h * load_on(p.model, p.inputs, i)).squaredNorm();
  });
  const double inner = deterministic_sum(p.model.spring_count(), [&](std::size_t s) {
    const auto [i, j] = p.model.springs[s];
    const double k = p.params.stiffness * p.model.relative_stiffness[s];
    return (p.h * k * (p.from.positions[j] - p.from.positions[i])).squaredNorm();
  });
  constexpr double kRoundOff = 64 * std::numeric_limits<double>::epsilon();
  return std::sqrt(outer) + first_residual + kRoundOff / p.params.newton_tolerance * std::sqrt(inner);
}

// One Newton direction into work.solution: with the true Jacobian, or, where that is not positive definite,
// with its positive part; `carefully` with its absolute value, which gives shorter directions [Chen24].
StepReport find_direction(const StepEquation& p, bool carefully, Work& work) {
  TangentWeights weights{.stiffness = p.h * p.h, .damping = p.h, .geometric = Geometric::exact};
  if (carefully) weights.geometric = Geometric::absolute;
  assemble_tangent(p.model, p.params, work.stage_positions, weights, work);
  StepReport report = solve_change(p.model, p.params, work);
  if (report.ok || carefully) return report;
  const int wasted = report.iterations;
  weights.geometric = Geometric::positive;
  assemble_tangent(p.model, p.params, work.stage_positions, weights, work);
  report = solve_change(p.model, p.params, work);
  report.iterations += wasted;
  return report;
}

// A crushed body (some of its tetrahedra squeezed) has forces with corners, which Newton's iteration may not
// settle between at any length of the step. Such a step is as good as one of implicit Euler with one
// linearisation where its energy lies below that of standing still.
bool is_calm_though_crushed(const StepEquation& p, const Buffer<Vec3>& v, Work& work) {
  if (!has_guard(p.model, p.params)) return false;
  Buffer<Vec3>& still = work.sum_velocities;
  still.assign(v.size(), Vec3::Zero());
  set_kinematic_velocities(work, still);
  if (!(step_energy(p, v, work) <= step_energy(p, still, work))) return false;
  Buffer<Vec3>& x = work.stage_positions;
  parallel_for(v.size(), [&](std::size_t i) { x[i] = p.from.positions[i] + p.h * v[i]; });
  return !find_squeezed_at_once(p.model, p.from.positions, p.params.inversion_threshold, work).empty() ||
         !find_squeezed_at_once(p.model, x, p.params.inversion_threshold, work).empty();
}

}  // namespace

StepReport implicit_euler_newton(const Model& model, const Params& params, const Inputs& inputs,
                                 Interval interval, const State& from, State& to, Work& work) {
  const StepEquation problem{model, params, inputs, from, interval.dt()};
  StepReport report;
  Buffer<Vec3>& v = to.velocities;
  v = from.velocities;
  set_kinematic_velocities(work, v);
  double residual = step_imbalance(problem, v, work);
  const double scale = impulse_scale(problem, residual);
  work.newton_residuals.assign(1, scale > 0 ? residual / scale : 0);

  bool carefully = false;
  for (int n = 0; n < params.newton_iterations && residual > params.newton_tolerance * scale; ++n) {
    const StepReport solved = find_direction(problem, carefully, work);
    report.merge(solved);
    if (!solved.ok) return report;

    // Halve the step until |F| falls, or the step's energy does: |F| may have to rise on the way to the
    // solution.
    Buffer<Vec3>& trial = work.stage_velocities;
    trial.resize(v.size());
    double share = 1, found = residual;
    bool better = false;
    const double energy = step_energy(problem, v, work);
    for (int halvings = 0; halvings <= kMostHalvings && !better; ++halvings, share /= 2) {
      parallel_for(model.vertex_count, [&](std::size_t i) {
        trial[i] = v[i] + share * Eigen::Map<const Vec3>(work.solution.data() + 3 * i);
      });
      found = step_imbalance(problem, trial, work);
      better = found < residual || step_energy(problem, trial, work) < energy;
    }
    if (!better && carefully) break;
    carefully = !better;
    if (!better) {
      residual = step_imbalance(problem, v, work);
      continue;
    }
    v = trial;
    residual = found;
    work.newton_residuals.push_back(residual / scale);
  }
  report.residual = scale > 0 ? residual / scale : 0;
  if (!(residual <= params.newton_tolerance * scale) && !is_calm_though_crushed(problem, v, work)) {
    report.ok = false;
    report.trouble = "Newton's iteration stopped at a relative force imbalance of " +
                     number_text(report.residual) + " after " +
                     std::to_string(work.newton_residuals.size() - 1) + " iterations";
  }
  parallel_for(model.vertex_count,
               [&](std::size_t i) { to.positions[i] = from.positions[i] + problem.h * v[i]; });
  return report;
}

}  // namespace selkie::mass_spring
