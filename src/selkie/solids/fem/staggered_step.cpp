// Newmark's family in staggered form, γ = ½ and β = ¼; see integrators.h. Positions are known where the step
// ends and velocities half a step later: eliminating v from x⁺ = x + hv and
//   (M + βh²K)(v⁺ − v)/h = F(x⁺)
// leaves Newmark's own recurrence of positions, (M + βh²K)(x⁺ − 2x + x⁻) = −h²Kx [Newmark59]. A joint solve
// with a liquid needs that form: the liquid's markers and the body move first, with the velocities of the last
// solve, and forces follow where they are.
//
// With β = ¼ it keeps ½vᵀMv + E(x̄), x̄ = x + ½hv, exactly where forces are linear: what the pressure does to
// the body is then h (Jp)·½(v + v⁺), and what it does to the liquid the opposite, as both ends of the step
// satisfy the same condition at the surface.
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/solids/fem/constraints.h"
#include "selkie/solids/fem/elements.h"
#include "selkie/solids/fem/integrators.h"
#include "selkie/solids/fem/solve.h"

namespace selkie::fem {
namespace {

// What K multiplies in all: the lead of the implicit part and the damping of the mean velocity, into
// work.sums times K. m
void stiff_part(const Model& model, const Params& params, double h, const Buffer<Vec3>& before,
                const Buffer<Vec3>& after, Work& work) {
  const double tk = params.stiffness_damping, change = staggered_weights(params, h).stiffness;
  Buffer<Vec3>& d = work.stage_velocities;
  d.resize(model.vertex_count);
  parallel_for(model.vertex_count,
               [&](std::size_t i) { d[i] = change * (after[i] - before[i]) + h * tk * before[i]; });
  stiffness_product(model, work.tangent, d.data()->data(), work);
}

double energy_half_a_step_on(const Model& model, const Params& params, double half, const Buffer<Vec3>& x,
                             const Buffer<Vec3>& v, Work& work) {
  Buffer<Vec3>& middle = work.stage_positions;
  middle.resize(model.vertex_count);
  parallel_for(model.vertex_count, [&](std::size_t i) { middle[i] = x[i] + half * v[i]; });
  return elastic_energy(model, params, middle) + deterministic_sum(model.vertex_count, [&](std::size_t i) {
           return 0.5 * model.masses[i] * v[i].squaredNorm();
         });
}

}  // namespace

SystemWeights staggered_weights(const Params& params, double h) {
  constexpr double kBeta = 0.25;
  return {1 + 0.5 * h * params.mass_damping, kBeta * h * h + 0.5 * h * params.stiffness_damping};
}

StepReport staggered_step(const Model& model, const Params& params, double h, const State& from, State& to,
                          Work& work) {
  const double tm = params.mass_damping;
  const SystemWeights weights = staggered_weights(params, h);
  work.forces.resize(model.vertex_count);
  work.rhs.resize(3 * std::size_t{model.vertex_count});
  elastic_forces(model, params, from.positions, work);
  parallel_for(model.vertex_count,
               [&](std::size_t i) { work.forces[i] = work.sums[i].head<3>() + work.loads[i]; });
  find_tangents(model, params, from.positions, TangentKind::frozen, work.tangent);

  // Solve for the change from v, the velocities with what is given set.
  Buffer<Vec3>& v = to.velocities;
  v = from.velocities;
  set_given_velocities(work, v);
  stiff_part(model, params, h, from.velocities, v, work);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    const Vec3& v0 = from.velocities[i];
    Eigen::Map<Vec3>(work.rhs.data() + 3 * i) =
        h * work.forces[i] - model.masses[i] * (weights.mass * (v[i] - v0) + h * tm * v0) -
        work.sums[i].head<3>() + attached_impulse(work, i, v[i]);
  });
  const StepReport report = solve_change(model, params, weights, work);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    v[i] += Eigen::Map<const Vec3>(work.solution.data() + 3 * i);
    to.positions[i] = from.positions[i] + h * v[i];
  });
  return report;
}

void staggered_impulses(const Model& model, const Params& params, double h, const State& from,
                        const State& to, Work& work) {
  const double tm = params.mass_damping;
  const SystemWeights weights = staggered_weights(params, h);
  stiff_part(model, params, h, from.velocities, to.velocities, work);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    const Vec3 &v0 = from.velocities[i], &v1 = to.velocities[i];
    work.forces[i] = model.masses[i] * (weights.mass * (v1 - v0) + h * tm * v0) + work.sums[i].head<3>() -
                     h * work.forces[i] - attached_impulse(work, i, v1);
  });
}

double staggered_gain(const Model& model, const Params& params, double h, const State& from, const State& to,
                      Work& work) {
  staggered_impulses(model, params, h, from, to, work);
  auto done = [&](std::size_t i) {  // J: by loads, and by the hand that guides a kinematic vertex
    Vec3 impulse = h * work.loads[i];
    if (work.kinematic[i] != 0) impulse += work.forces[i];
    return impulse.dot(0.5 * (from.velocities[i] + to.velocities[i]));
  };
  const double sum = deterministic_sum(model.vertex_count, done);
  const double size =
      deterministic_sum(model.vertex_count, [&](std::size_t i) { return std::abs(done(i)); });
  const double before =
      energy_half_a_step_on(model, params, -0.5 * h, from.positions, from.velocities, work);
  const double after = energy_half_a_step_on(model, params, 0.5 * h, from.positions, to.velocities, work);
  return gain_over_allowed(model, params, after - before - sum, before + size);
}

}  // namespace selkie::fem
