// See coupled_step.h.
#include "selkie/solids/fem/coupled_step.h"

#include "selkie/core/parallel.h"
#include "selkie/solids/fem/response.h"

namespace selkie::fem {

StepReport begin_coupled(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                         const State& from, State& to, State& moved, Work& work) {
  const double h = interval.dt();
  moved = from;
  parallel_for(model.vertex_count, [&](std::size_t i) { moved.positions[i] += h * from.velocities[i]; });
  to = moved;
  StepReport report = step(model, params, inputs, interval, moved, to, work);
  if (!report.ok) return report;
  to.positions = moved.positions;
  // Conjugate gradients around it want the same matrix every time: a factor.
  Params exact = params;
  exact.solver = Solver::cholesky;
  report.merge(prepare_response(model, exact, h, moved, {}, work));
  return report;
}

}  // namespace selkie::fem
