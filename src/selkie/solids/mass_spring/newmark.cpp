// Semi-implicit Newmark (HY-30) and its implicit-spring forms (HY-31):
//   1 solve v½ = v + Δt/2 a(x, v½)            elastic force at x, damping implicit
//   2 x' = x + Δt v½
//   3 solve v½ = v + Δt/2 a((x + x')/2, v½)   afresh from v
//   4 v' = 2 v½ − v
// An interval τ > 0 adds the linear spring term τ·k (v_j − v_i)·d̂ to a solve, its direction d̂ frozen.
// [Selle08 §5.4, §5.5; E13]
#include "selkie/core/parallel.h"
#include "selkie/solids/mass_spring/integrators.h"
#include "selkie/solids/mass_spring/kinematics.h"
#include "selkie/solids/mass_spring/tangent.h"

namespace selkie::mass_spring {

StepReport newmark(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                   const State& from, State& to, Work& work, NewmarkIntervals intervals) {
  const double h = interval.dt();
  auto weights = [&](double tau) {
    return TangentWeights{.stiffness = h / 2 * tau, .damping = h / 2, .geometric = Geometric::none};
  };
  Buffer<Vec3>&v_half = work.stage_velocities, &x_mid = work.stage_positions;

  // 1, 2: positions move with the first half velocity.
  StepReport report = solve_velocity(model, params, inputs, from.positions, from.velocities, h / 2,
                                     weights(intervals.first), v_half, work);
  if (!report.ok) return report;
  x_mid.resize(model.vertex_count);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    to.positions[i] = from.positions[i] + h * v_half[i];
    x_mid[i] = from.positions[i] + h / 2 * v_half[i];
  });
  Buffer<Vec3>& unused = work.sum_velocities;
  unused.resize(model.vertex_count);
  place_kinematics(inputs, interval, h / 2, from, work, x_mid, unused);

  // 3, 4: the step-1 velocity is discarded.
  report.merge(solve_velocity(model, params, inputs, x_mid, from.velocities, h / 2, weights(intervals.second),
                              v_half, work));
  parallel_for(model.vertex_count,
               [&](std::size_t i) { to.velocities[i] = 2 * v_half[i] - from.velocities[i]; });
  return report;
}

}  // namespace selkie::mass_spring
