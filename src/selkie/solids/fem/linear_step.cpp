// Integrators with at most one linearisation; see integrators.h.
#include "selkie/core/parallel.h"
#include "selkie/solids/fem/constraints.h"
#include "selkie/solids/fem/elements.h"
#include "selkie/solids/fem/integrators.h"
#include "selkie/solids/fem/solve.h"

namespace selkie::fem {
namespace {

// Inner pressure pushes each triangle it meets along its normal, a third to each corner (a follower load,
// taken where the step begins).
void add_inner_pressure(const Model& model, double pressure, const Buffer<Vec3>& x, Buffer<Vec3>& loads) {
  for (const auto& [a, b, c] : model.pressed) {
    const Vec3 third = pressure / 6 * (x[b] - x[a]).cross(x[c] - x[a]);
    for (const std::uint32_t i : {a, b, c}) loads[i] += third;
  }
}

Eigen::Map<Vec3> entry(Buffer<double>& vector, std::size_t i) {
  return Eigen::Map<Vec3>(vector.data() + 3 * i);
}

}  // namespace

void collect_loads(const Model& model, const Params& params, const Inputs& inputs, const State& from,
                   Work& work) {
  Vec3 gravity = inputs.gravity;
  if (model.dimension == 2) gravity.z() = 0;
  work.loads.resize(model.vertex_count);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    work.loads[i] = model.masses[i] * gravity;
    if (!inputs.forces.empty()) work.loads[i] += inputs.forces[i];
    if (model.dimension == 2) work.loads[i].z() = 0;
  });
  if (params.pressure != 0 && model.dimension == 3)
    add_inner_pressure(model, params.pressure, from.positions, work.loads);
  for (const ContactCandidate& contact : work.contacts)
    if (contact.hold == ContactCandidate::Hold::slide) work.loads[contact.vertex] += contact.load;
}

StepReport linear_step(const Model& model, const Params& params, double h, double theta, const State& from,
                       State& to, Work& work) {
  const double tm = params.mass_damping, tk = params.stiffness_damping;
  work.forces.resize(model.vertex_count);
  work.rhs.resize(3 * std::size_t{model.vertex_count});
  elastic_forces(model, params, from.positions, work);
  parallel_for(model.vertex_count,
               [&](std::size_t i) { work.forces[i] = work.sums[i].head<3>() + work.loads[i]; });
  find_tangents(model, params, from.positions, TangentKind::frozen, work.tangent);

  // Solve for the change from v, the velocities with what is given set: the tolerance is then relative to it.
  Buffer<Vec3>& v = to.velocities;
  v = from.velocities;
  set_given_velocities(work, v);
  stiffness_product(model, work.tangent, v.data()->data(), work);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    entry(work.rhs, i) = model.masses[i] * (from.velocities[i] - (1 + h * tm) * v[i]) + h * work.forces[i] -
                         (theta * h * h + h * tk) * work.sums[i].head<3>() + attached_impulse(work, i, v[i]);
  });
  const SystemWeights weights{1 + theta * h * tm, theta * theta * h * h + theta * h * tk};
  const StepReport report = solve_change(model, params, weights, work);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    const Vec3 before = v[i];
    v[i] += entry(work.solution, i);
    to.positions[i] = from.positions[i] + h * ((1 - theta) * before + theta * v[i]);
  });
  return report;
}

StepReport symplectic_euler(const Model& model, const Params& params, double h, const State& from, State& to,
                            Work& work) {
  const double tm = params.mass_damping, tk = params.stiffness_damping;
  work.forces.resize(model.vertex_count);
  if (tk > 0) {
    find_tangents(model, params, from.positions, TangentKind::frozen, work.tangent);
    stiffness_product(model, work.tangent, from.velocities.data()->data(), work);
  }
  parallel_for(model.vertex_count, [&](std::size_t i) {
    work.forces[i] = work.loads[i] - tm * model.masses[i] * from.velocities[i];
    if (tk > 0) work.forces[i] -= tk * work.sums[i].head<3>();
  });
  elastic_forces(model, params, from.positions, work);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    to.velocities[i] =
        from.velocities[i] + h * model.inverse_masses[i] * (work.forces[i] + work.sums[i].head<3>());
    to.positions[i] = from.positions[i] + h * to.velocities[i];
  });
  return {};
}

}  // namespace selkie::fem
