// See coupled_step.h.
#include "selkie/solids/fem/coupled_step.h"

#include "selkie/core/parallel.h"

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

}  // namespace

StepReport begin_coupled(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                         Answer answer, const State& from, State& to, State& moved, Work& work) {
  const double h = interval.dt();
  moved = from;
  parallel_for(model.vertex_count, [&](std::size_t i) { moved.positions[i] += h * from.velocities[i]; });
  to = moved;
  Params free = params;
  if (answer == Answer::damped) free.mass_damping = free.stiffness_damping = 0;
  StepReport report = step(model, free, inputs, interval, moved, to, work);
  if (!report.ok) return report;
  to.positions = moved.positions;
  // Conjugate gradients around it want the same matrix every time: a factor.
  Params exact = params;
  exact.solver = Solver::cholesky;
  report.merge(prepare_response(model, exact, h, moved, {}, work, answer));
  if (report.ok && answer == Answer::damped) report.merge(damp(model, exact, h, to, work));
  return report;
}

}  // namespace selkie::fem
