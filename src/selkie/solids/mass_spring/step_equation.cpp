// See step_equation.h.
#include "selkie/solids/mass_spring/step_equation.h"

#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/solids/mass_spring/altitude_springs.h"
#include "selkie/solids/mass_spring/forces.h"
#include "selkie/solids/mass_spring/inversion_guard.h"
#include "selkie/solids/mass_spring/spring_law.h"
#include "selkie/solids/mass_spring/tangent.h"

namespace selkie::mass_spring {

double step_imbalance(const StepEquation& p, const Buffer<Vec3>& v, Work& work) {
  Buffer<Vec3>& x = work.stage_positions;
  x.resize(p.model.vertex_count);
  parallel_for(p.model.vertex_count, [&](std::size_t i) { x[i] = p.from.positions[i] + p.h * v[i]; });
  accumulate_forces(p.model, p.params, x, v, work.forces, work);
  work.rhs.resize(3 * std::size_t{p.model.vertex_count});
  parallel_for(p.model.vertex_count, [&](std::size_t i) {
    Vec3 residual = Vec3::Zero();
    if (work.kinematic[i] == 0)
      residual = p.model.masses[i] * (p.from.velocities[i] - v[i]) +
                 p.h * (work.forces[i].head<3>() + load_on(p.model, p.inputs, i));
    if (!work.sliding.of_vertex.empty() && work.sliding.of_vertex[i] >= 0)
      residual =
          (work.sliding.projectors[static_cast<std::size_t>(work.sliding.of_vertex[i])] * residual).eval();
    Eigen::Map<Vec3>(work.rhs.data() + 3 * i) = residual;
  });
  for (const ports::AttachedMass& piece : work.bodies.attached)
    if (work.kinematic[piece.vertex] == 0) {
      Vec3 residual = piece.mass * (piece.velocity - v[piece.vertex]);
      if (!work.sliding.of_vertex.empty() && work.sliding.of_vertex[piece.vertex] >= 0)
        residual = (work.sliding.projectors[static_cast<std::size_t>(work.sliding.of_vertex[piece.vertex])] *
                    residual)
                       .eval();
      Eigen::Map<Vec3>(work.rhs.data() + 3 * std::size_t{piece.vertex}) += residual;
    }
  return std::sqrt(dot(work.rhs, work.rhs));
}

double step_energy(const StepEquation& p, const Buffer<Vec3>& v, const Work& work) {
  const double inertia = deterministic_sum(p.model.vertex_count, [&](std::size_t i) {
    if (work.kinematic[i] != 0) return 0.0;
    return 0.5 * p.model.masses[i] * (v[i] - p.from.velocities[i]).squaredNorm() -
           p.h * load_on(p.model, p.inputs, i).dot(v[i]);
  });
  const DampingScale damping = damping_scale(p.model, p.params);
  const double springs = deterministic_sum(p.model.spring_count(), [&](std::size_t s) {
    const auto [i, j] = p.model.springs[s];
    const double k = p.params.stiffness * p.model.relative_stiffness[s], l0 = p.model.rest_lengths[s];
    const Vec3 apart = v[j] - v[i], d = p.from.positions[j] - p.from.positions[i] + p.h * apart;
    const double l = d.norm(), b = damping.factor * damping.relative[s];
    const double rate = !p.params.directional_damping ? apart.norm()
                        : l > kShortest * l0 && l > 0 ? apart.dot(d) / std::max(l, blunt_length(l0))
                                                      : 0;
    return elastic_energy(p.params, k, l0, l) + 0.5 * p.h * b * rate * rate;
  });
  double attached = 0;
  for (const ports::AttachedMass& piece : work.bodies.attached) {
    const Vec3 change = v[piece.vertex] - piece.velocity;
    if (work.kinematic[piece.vertex] == 0) attached += 0.5 * change.dot(piece.mass * change);
  }
  const double guard = guard_energy(
      p.model, p.params, [&](std::uint32_t i) -> Vec3 { return p.from.positions[i] + p.h * v[i]; });
  return inertia + springs + guard + attached + altitude_step_energy(p.model, p.from.positions, v, p.h, work);
}

StepReport lower_step_energy(const StepEquation& p, Buffer<Vec3>& v, Work& work) {
  constexpr int kMostHalvings = 40;
  constexpr double kSufficient =
      1e-4;  // share of the predicted gain that a shortened step must bring [Armijo66]
  constexpr double kWorthwhile =
      0.01;  // stop when the next direction promises less than this share of the gain so far
  TangentWeights weights{.stiffness = p.h * p.h, .damping = p.h, .geometric = Geometric::positive};
  constexpr double kShort = 0.1;  // a direction of which less is of use was too long [Chen24]
  StepReport report;
  const double start = step_energy(p, v, work);
  double energy = start;
  for (int n = 0; n < p.params.newton_iterations; ++n) {
    (void)step_imbalance(p, v, work);
    Buffer<double>& downhill = work.downhill;  // −F; the solve below uses rhs for itself
    downhill = work.rhs;
    assemble_tangent(p.model, p.params, work.stage_positions, weights, work);
    const StepReport solved = solve_change(p.model, p.params, work);
    report.merge(solved);
    if (!solved.ok) return report;
    const double promise = dot(downhill, work.solution);  // −Fᵀ Δv > 0, twice the gain of the quadratic model
    if (!(promise > 0) || promise < kWorthwhile * (start - energy)) break;

    Buffer<Vec3>& trial = work.stage_velocities;
    trial.resize(v.size());
    double share = 1, found = energy;
    for (int halvings = 0; halvings <= kMostHalvings; ++halvings, share /= 2) {
      parallel_for(p.model.vertex_count, [&](std::size_t i) {
        trial[i] = v[i] + share * Eigen::Map<const Vec3>(work.solution.data() + 3 * i);
      });
      found = step_energy(p, trial, work);
      if (found <= energy - kSufficient * share * promise) break;
    }
    if (!(found < energy)) break;
    if (share < kShort) weights.geometric = Geometric::absolute;
    v = trial;
    energy = found;
  }
  return report;
}

}  // namespace selkie::mass_spring
