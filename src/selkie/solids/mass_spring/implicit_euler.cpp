// Implicit Euler with one linearisation (RT-09) and with frozen spring directions (HY-31).
//   (M + h²K + hD) v⁺ = M v + h F_e(x),  x⁺ = x + h v⁺        [Müller08 eq. 3.28; E7]
// In the matrix, compressed springs lose their (negative) stiffness across the spring, so that it is positive
// definite for any step (RT-09 "trap"); the force itself is unchanged.
#include "selkie/core/parallel.h"
#include "selkie/solids/mass_spring/integrators.h"
#include "selkie/solids/mass_spring/tangent.h"

namespace selkie::mass_spring {
namespace {

StepReport backward_euler(const Model& model, const Params& params, const Inputs& inputs, double h,
                          Geometric geometric, const State& from, State& to, Work& work) {
  const TangentWeights weights{.stiffness = h * h, .damping = h, .geometric = geometric};
  const StepReport report =
      solve_velocity(model, params, inputs, from.positions, from.velocities, h, weights, to.velocities, work);
  parallel_for(model.vertex_count,
               [&](std::size_t i) { to.positions[i] = from.positions[i] + h * to.velocities[i]; });
  return report;
}

}  // namespace

StepReport implicit_euler(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                          const State& from, State& to, Work& work) {
  return backward_euler(model, params, inputs, interval.dt(), Geometric::positive, from, to, work);
}

StepReport implicit_springs(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                            const State& from, State& to, Work& work) {
  return backward_euler(model, params, inputs, interval.dt(), Geometric::none, from, to, work);
}

}  // namespace selkie::mass_spring
