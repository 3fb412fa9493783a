// The step: an integrator, then what all of them share.
#include "selkie/solids/fem/step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/solids/fem/constraints.h"
#include "selkie/solids/fem/contacts.h"
#include "selkie/solids/fem/integrators.h"

namespace selkie::fem {
namespace {

// Bodies of triangles stay in their plane, whatever pushes them.
void keep_in_plane(const State& from, State& to) {
  parallel_for(to.positions.size(), [&](std::size_t i) {
    to.positions[i].z() = from.positions[i].z();
    to.velocities[i].z() = 0;
  });
}

void check_finite(const State& to, StepReport& report) {
  auto bad = [&](std::size_t i) { return !to.positions[i].allFinite() || !to.velocities[i].allFinite(); };
  if (deterministic_max(to.positions.size(), 0, [&](std::size_t i) { return bad(i) ? 1.0 : 0.0; }) == 0)
    return;
  std::size_t first = 0;
  while (!bad(first)) ++first;
  report.merge(StepReport::failure("vertex " + std::to_string(first) +
                                   " has a position or velocity that is not finite"));
}

}  // namespace

// The end velocity of average acceleration mirrors the one it solves for, so a held contact would bounce; its
// contacts, like those of the explicit integrator, are resolved after the step.
Scheme scheme_of(Integrator integrator) {
  switch (integrator) {
    case Integrator::backward_euler:
      return {backward_euler, constraint_impulses};
    case Integrator::backward_euler_newton:
      return {backward_euler_newton, constraint_impulses};
    case Integrator::newmark:
      return {average_acceleration};
    case Integrator::symplectic_euler:
      return {symplectic_euler};
  }
  return {};
}

StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work) {
  return step_by(scheme_of(params.integrator), model, params, inputs, interval, from, to, work);
}

StepReport step_by(Scheme scheme, const Model& model, const Params& params, const Inputs& inputs,
                   Interval interval, const State& from, State& to, Work& work) {
  const ProfileZone zone("fem.step");
  SELKIE_CHECK(from.positions.size() == model.vertex_count && from.velocities.size() == model.vertex_count &&
                   from.pinned.size() == model.vertex_count && to.positions.size() == model.vertex_count,
               "the state belongs to this model");
  SELKIE_CHECK(inputs.forces.empty() || inputs.forces.size() == model.vertex_count, "one force per vertex");
  const double h = interval.dt();
  begin_constraints(model, params, inputs, interval, from, work);
  collect_loads(model, params, inputs, from, work);
  StepReport report = scheme.advance(model, params, h, from, to, work);
  if (const double gain = report.ok && scheme.gain ? scheme.gain(model, params, h, from, to, work) : 0;
      gain > 1) {
    scheme = scheme_of(Integrator::backward_euler);
    report = scheme.advance(model, params, h, from, to, work);
    report.cfl = gain;
  }
  const bool inside = scheme.impulses != nullptr;
  if (report.ok && !(inputs.colliders.empty() && inputs.bodies.empty()) && inside)
    report.merge(settle_contacts(scheme, model, params, inputs, interval, from, to, work));
  if (!report.ok) return report;
  place_kinematics(inputs, interval, from, work, to);
  if (!inputs.bodies.empty())
    report.contacts = part_bodies(model, params, inputs, interval, inside, from, to, work);
  report.contacts += project_contacts(model, params, inputs, interval, from, to, work);
  if (model.dimension == 2) keep_in_plane(from, to);
  check_finite(to, report);
  return report;
}

// Half the thinnest height over the speed c = √((λ+2μ)/ρ) of pressure waves. Stiffness damping shortens it:
// the recurrence of a mode ω = 2/h₀ is stable while h²ω² + 2hτω² ≤ 4.
double stability_limit(const Model& model, const Params& params) {
  if (params.integrator != Integrator::symplectic_euler) return std::numeric_limits<double>::infinity();
  const Lame constants = lame(params.young, params.poisson);
  const double speed = std::sqrt((constants.lambda + 2 * constants.mu) / model.density);
  const double undamped = 0.5 * model.least_altitude / speed, tk = params.stiffness_damping;
  return std::sqrt(tk * tk + undamped * undamped) - tk;
}

double step_limit(const Model& model, const Params& params) { return 0.9 * stability_limit(model, params); }

}  // namespace selkie::fem
