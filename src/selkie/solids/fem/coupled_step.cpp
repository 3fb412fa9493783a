// See coupled_step.h.
#include "selkie/solids/fem/coupled_step.h"

#include "selkie/core/parallel.h"
#include "selkie/ports/hand.h"
#include "selkie/solids/fem/integrators.h"

namespace selkie::fem {
namespace {

// v ← A⁻¹ M v of the vertices that are free; where nothing is damped A is M.
StepReport damp(const Model& model, const Params& params, double h, State& to, Work& work) {
  if (params.mass_damping == 0 && params.stiffness_damping == 0) return {};
  std::vector<Vec3> momenta(model.vertex_count), damped(model.vertex_count);
  for (std::size_t i = 0; i < model.vertex_count; ++i) momenta[i] = model.masses[i] * to.velocities[i];
  const StepReport report = respond(model, params, h, momenta, damped, work, Answer::damped);
  for (std::size_t i = 0; i < model.vertex_count; ++i)
    if (work.kinematic[i] == 0) to.velocities[i] = damped[i];
  return report;
}

// v ← v − A⁻¹ h f.
StepReport take_back(const Model& model, const Params& params, double h, Answer answer,
                     std::span<const Vec3> forces, State& to, Work& work) {
  std::vector<Vec3> impulses(forces.begin(), forces.end()), changes(model.vertex_count);
  for (Vec3& impulse : impulses) impulse *= h;
  const StepReport report = respond(model, params, h, impulses, changes, work, answer);
  parallel_for(model.vertex_count, [&](std::size_t i) { to.velocities[i] -= changes[i]; });
  return report;
}

std::vector<ports::HeldVertex> held_contacts(const Work& work) {
  std::vector<ports::HeldVertex> held;
  for (const ContactCandidate& contact : work.contacts)
    if (contact.hold != ContactCandidate::Hold::open)
      held.push_back({contact.vertex, contact.normal, contact.hold == ContactCandidate::Hold::stick});
  return held;
}

// How the free velocity is found and what answers beside it.
struct Part {
  Scheme scheme;
  Answer answer;
};
Part part_of(Integrator integrator, Answer wanted) {
  if (integrator == Integrator::backward_euler || integrator == Integrator::backward_euler_newton)
    return {scheme_of(integrator), wanted};
  if (wanted == Answer::damped) return {scheme_of(Integrator::backward_euler), wanted};
  if (integrator == Integrator::newmark)
    return {{staggered_step, staggered_impulses, staggered_gain}, Answer::staggered};
  return {scheme_of(integrator), Answer::inert};
}

}  // namespace

StepReport begin_coupled(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                         Answer& answer, const State& from, State& to, State& moved, Work& work) {
  const double h = interval.dt();
  moved = from;
  parallel_for(model.vertex_count, [&](std::size_t i) { moved.positions[i] += h * from.velocities[i]; });
  // Pins are where they should be at the end of the step; the velocity that is solved for is that of the next one.
  auto ahead = [&](std::uint32_t vertex, double time) { return inputs.pinned_motion(vertex, time + h); };
  if (inputs.pinned_motion)
    for (std::uint32_t i = 0; i < model.vertex_count; ++i)
      if (from.pinned[i] != 0 && !ports::is_led(from, i))
        moved.positions[i] = inputs.pinned_motion(i, interval.t1());
  to = moved;
  // Conjugate gradients around the answer want the same matrix every time: a factor. One step by such a
  // matrix is quick with a factor, too; Newton's many are the user's choice.
  Params exact = params;
  exact.solver = Solver::cholesky;
  Params free = params.integrator == Integrator::backward_euler_newton ? params : exact;
  const bool damped = answer == Answer::damped, pushed = !damped && !from.group_forces.empty();
  if (damped) free.mass_damping = free.stiffness_damping = 0;
  Inputs known = inputs;
  if (inputs.pinned_motion) known.pinned_motion = ahead;
  std::vector<Vec3> forces;
  if (pushed) {
    forces.assign(from.group_forces.begin(), from.group_forces.end());
    for (std::size_t i = 0; i < inputs.forces.size(); ++i) forces[i] += inputs.forces[i];
    known.forces = forces;
  }
  const Part part = part_of(params.integrator, answer);
  StepReport report = step_by(part.scheme, model, free, known, interval, moved, to, work);
  if (!report.ok) return report;
  answer = part.scheme.gain && report.cfl > 1 ? Answer::elastic : part.answer;
  to.positions = moved.positions;
  // Newton's method goes on from where it has come to, with the law's own tangent where that has a factor;
  // the others answer as they stepped, from the start.
  const bool newton = params.integrator == Integrator::backward_euler_newton && !damped;
  if (newton)
    parallel_for(model.vertex_count, [&](std::size_t i) { moved.positions[i] += h * to.velocities[i]; });
  const std::vector<ports::HeldVertex> held = damped ? std::vector<ports::HeldVertex>{} : held_contacts(work);
  StepReport prepared;
  if (newton) prepared = prepare_response(model, exact, h, moved, held, work, answer, TangentKind::exact);
  if (!newton || !prepared.ok)
    prepared = prepare_response(model, exact, h, moved, held, work, answer,
                                newton ? TangentKind::positive : TangentKind::frozen);
  report.merge(prepared);
  if (report.ok && damped) report.merge(damp(model, exact, h, to, work));
  if (report.ok && pushed)
    report.merge(take_back(model, exact, h, answer, from.group_forces.span(), to, work));
  return report;
}

}  // namespace selkie::fem
