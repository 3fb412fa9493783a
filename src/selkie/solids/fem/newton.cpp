// Backward Euler as a minimisation; see integrators.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/core/text.h"
#include "selkie/solids/fem/constraints.h"
#include "selkie/solids/fem/elements.h"
#include "selkie/solids/fem/integrators.h"
#include "selkie/solids/fem/solve.h"

namespace selkie::fem {
namespace {

constexpr int kMostHalvings = 20;
constexpr double kArmijo = 1e-4;       // share of the predicted decrease that a step must reach [Armijo66]
constexpr double kSmallChange = 1e-7;  // of Φ: below, round-off of strains decides

struct StepEnergy {
  const Model& model;
  const Params& params;
  double h;
  const State& from;
  const TangentField& damping;  // at x

  double value(const Buffer<Vec3>& v, Work& work) const;
  // −∇Φ into work.rhs, constrained parts removed; returns its norm.
  double downhill(const Buffer<Vec3>& v, Work& work) const;
  void move(const Buffer<Vec3>& v, Buffer<Vec3>& x) const {
    x.resize(v.size());
    parallel_for(v.size(), [&](std::size_t i) { x[i] = from.positions[i] + h * v[i]; });
  }
};

double StepEnergy::value(const Buffer<Vec3>& v, Work& work) const {
  const double tm = params.mass_damping, tk = params.stiffness_damping;
  if (tk > 0) stiffness_product(model, damping, v.data()->data(), work);
  const double motion = deterministic_sum(model.vertex_count, [&](std::size_t i) {
    const double m = model.masses[i];
    double sum = 0.5 * m * (v[i] - from.velocities[i]).squaredNorm() - h * v[i].dot(work.loads[i]) +
                 0.5 * h * tm * m * v[i].squaredNorm();
    if (tk > 0) sum += 0.5 * h * tk * v[i].dot(work.sums[i].head<3>());
    if (const std::int32_t c = work.attached.at(i); c >= 0) {
      const auto k = static_cast<std::size_t>(c);
      sum += v[i].dot(0.5 * work.attached.masses[k] * v[i] - work.attached.momenta[k]);
    }
    return sum;
  });
  move(v, work.stage_positions);
  return motion + elastic_energy(model, params, work.stage_positions);
}

double StepEnergy::downhill(const Buffer<Vec3>& v, Work& work) const {
  const double tm = params.mass_damping, tk = params.stiffness_damping;
  work.damping.resize(v.size());
  if (tk > 0) {
    stiffness_product(model, damping, v.data()->data(), work);
    parallel_for(v.size(), [&](std::size_t i) { work.damping[i] = h * tk * work.sums[i].head<3>(); });
  }
  move(v, work.stage_positions);
  elastic_forces(model, params, work.stage_positions, work);
  work.rhs.resize(3 * v.size());
  return std::sqrt(deterministic_sum(v.size(), [&](std::size_t i) {
    Vec3 down = h * (work.sums[i].head<3>() + work.loads[i]) -
                model.masses[i] * (v[i] - from.velocities[i] + h * tm * v[i]);
    if (tk > 0) down -= work.damping[i];
    down += attached_impulse(work, i, v[i]);
    down = project(work.constraints, i, down);
    Eigen::Map<Vec3>(work.rhs.data() + 3 * i) = down;
    return down.squaredNorm();
  }));
}

// What |∇Φ| is measured against: momenta, impulses of the loads and of the first imbalance, and the round-off
// of the elastic forces.
double impulse_scale(const StepEnergy& p, double first, const Work& work) {
  const double outer = deterministic_sum(p.model.vertex_count, [&](std::size_t i) {
    return (p.model.masses[i] * p.from.velocities[i]).squaredNorm() + (p.h * work.loads[i]).squaredNorm();
  });
  const Lame constants = lame(p.params.young, p.params.poisson);
  const double far = deterministic_max(
      p.model.vertex_count, 0, [&](std::size_t i) { return p.from.positions[i].lpNorm<Eigen::Infinity>(); });
  const double size = std::cbrt(p.model.volume / static_cast<double>(p.model.element_count));
  constexpr double kRoundOff = 64 * std::numeric_limits<double>::epsilon();
  return std::sqrt(outer) + first +
         kRoundOff / p.params.newton_tolerance * p.h * (constants.lambda + 2 * constants.mu) * size * far *
             std::sqrt(static_cast<double>(p.model.vertex_count));
}

// v += share·solution with the largest share of 1, ½, ¼ … that lowers Φ enough; false if none does. Where the
// change of Φ drowns in its round-off, a smaller imbalance than `residual` will do.
bool search_line(const StepEnergy& p, double residual, Buffer<Vec3>& v, Work& work) {
  const double slope = -dot(work.rhs, work.solution);
  const double before = p.value(v, work);
  const double size = std::abs(before) + deterministic_sum(v.size(), [&](std::size_t i) {
                        return p.model.masses[i] * (v[i].squaredNorm() + p.from.velocities[i].squaredNorm());
                      });
  const bool nearly_there = std::abs(slope) < kSmallChange * size;
  Buffer<Vec3>& trial = work.stage_velocities;
  trial.resize(v.size());
  double share = 1;
  for (int n = 0; n <= kMostHalvings; ++n, share /= 2) {
    parallel_for(v.size(), [&](std::size_t i) {
      trial[i] = v[i] + share * Eigen::Map<const Vec3>(work.solution.data() + 3 * i);
    });
    if (p.value(trial, work) <= before + kArmijo * share * slope ||
        (nearly_there && p.downhill(trial, work) < residual)) {
      v = trial;
      return true;
    }
  }
  return false;
}

// From v downhill; the report says how far the imbalance fell.
StepReport minimise(const StepEnergy& p, Buffer<Vec3>& v, Work& work) {
  const double h = p.h;
  StepReport report;
  double residual = p.downhill(v, work);
  const double scale = impulse_scale(p, residual, work);
  int n = 0;
  for (; n < p.params.newton_iterations && residual > p.params.newton_tolerance * scale; ++n) {
    find_tangents(p.model, p.params, work.stage_positions, TangentKind::positive, work.tangent);
    const SystemWeights weights{1 + h * p.params.mass_damping, h * h + h * p.params.stiffness_damping};
    const StepReport solved = solve_change(p.model, p.params, weights, work);
    report.merge(solved);
    if (!solved.ok) return report;
    if (!search_line(p, residual, v, work)) break;
    residual = p.downhill(v, work);
  }
  report.residual = scale > 0 ? residual / scale : 0;
  if (!(residual <= p.params.newton_tolerance * scale)) {
    report.ok = false;
    report.trouble = "Newton's iteration stopped at a relative force imbalance of " +
                     number_text(report.residual) + " after " + std::to_string(n) + " iterations";
  }
  return report;
}

void still_velocities(const Model& model, Work& work) {
  work.still.assign(model.vertex_count, Vec3::Zero());
  set_given_velocities(work, work.still);
}

}  // namespace

StepReport backward_euler_newton(const Model& model, const Params& params, double h, const State& from,
                                 State& to, Work& work) {
  if (params.stiffness_damping > 0)
    find_tangents(model, params, from.positions, TangentKind::positive, work.damping_tangent);
  const StepEnergy problem{model, params, h, from, work.damping_tangent};
  Buffer<Vec3>& v = to.velocities;
  v = from.velocities;
  set_given_velocities(work, v);
  StepReport report = minimise(problem, v, work);
  if (!report.ok && params.real_time && std::isfinite(report.residual))
    report = {.residual = report.residual};
  problem.move(v, to.positions);
  return report;
}

StepReport backward_euler(const Model& model, const Params& params, double h, const State& from, State& to,
                          Work& work) {
  StepReport report = linear_step(model, params, h, 1, from, to, work);
  if (!report.ok || params.law == Law::linear) return report;
  const StepEnergy before{model, params, h, from, work.tangent};
  still_velocities(model, work);
  const double standing = before.value(work.still, work);
  if (before.value(to.velocities, work) <= standing) return report;

  // The body turns or folds too far within the step for one linearisation. Start from the better of moving on
  // and standing still; any lower energy will do.
  if (params.stiffness_damping > 0)
    find_tangents(model, params, from.positions, TangentKind::positive, work.damping_tangent);
  const StepEnergy problem{model, params, h, from, work.damping_tangent};
  Buffer<Vec3>& v = to.velocities;
  v = from.velocities;
  set_given_velocities(work, v);
  if (problem.value(work.still, work) < problem.value(v, work)) v = work.still;
  StepReport more = minimise(problem, v, work);
  if (!more.ok && problem.value(v, work) <= standing) more.ok = true, more.trouble.clear();
  report.merge(more);
  problem.move(v, to.positions);
  return report;
}

void constraint_impulses(const Model& model, const Params& params, double h, const State& from,
                         const State& to, Work& work) {
  const double tm = params.mass_damping, tk = params.stiffness_damping;
  // The linearised forces for the linear integrator, which are what its solve balanced.
  const bool newton = params.integrator == Integrator::backward_euler_newton;
  work.forces.resize(model.vertex_count);
  work.damping.assign(model.vertex_count, Vec3::Zero());
  if (!newton || tk > 0) {
    stiffness_product(model, newton ? work.damping_tangent : work.tangent, to.velocities.data()->data(),
                      work);
    const double factor = newton ? h * tk : h * tk + h * h;
    parallel_for(model.vertex_count,
                 [&](std::size_t i) { work.damping[i] = factor * work.sums[i].head<3>(); });
  }
  elastic_forces(model, params, newton ? to.positions : from.positions, work);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    work.forces[i] = model.masses[i] * (to.velocities[i] - from.velocities[i] + h * tm * to.velocities[i]) -
                     h * (work.sums[i].head<3>() + work.loads[i]) + work.damping[i] -
                     attached_impulse(work, i, to.velocities[i]);
  });
}

}  // namespace selkie::fem
