// Implicit Euler with one linearisation (RT-09) and with frozen spring directions (HY-31).
//   (M + h²K + hD) v⁺ = M v + h F_e(x),  x⁺ = x + h v⁺        [Müller08 eq. 3.28; E7]
// In the matrix, compressed springs lose their (negative) stiffness across the spring, so that it is positive
// definite for any step (RT-09 "trap"); the force itself is unchanged.
#include "selkie/core/parallel.h"
#include "selkie/solids/mass_spring/integrators.h"
#include "selkie/solids/mass_spring/kinematics.h"
#include "selkie/solids/mass_spring/step_equation.h"
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

// One linearisation is trusted while it lowers the step's energy Φ below that of standing still. Where
// springs are so stiff, or turn so far in one step, that it does not, more of them follow, each shortened
// until Φ falls.
StepReport implicit_euler(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                          const State& from, State& to, Work& work) {
  StepReport report =
      backward_euler(model, params, inputs, interval.dt(), Geometric::positive, from, to, work);
  if (!report.ok) return report;
  const StepEquation equation{model, params, inputs, from, interval.dt()};
  Buffer<Vec3>& still = work.sum_velocities;
  still.assign(model.vertex_count, Vec3::Zero());
  set_kinematic_velocities(work, still);
  const double standing = step_energy(equation, still, work);
  if (step_energy(equation, to.velocities, work) <= standing) return report;

  // Start again from the better of moving on and standing still.
  to.velocities = from.velocities;
  set_kinematic_velocities(work, to.velocities);
  if (standing < step_energy(equation, to.velocities, work)) to.velocities = still;
  report.merge(lower_step_energy(equation, to.velocities, work));
  parallel_for(model.vertex_count,
               [&](std::size_t i) { to.positions[i] = from.positions[i] + equation.h * to.velocities[i]; });
  return report;
}

StepReport implicit_springs(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                            const State& from, State& to, Work& work) {
  return backward_euler(model, params, inputs, interval.dt(), Geometric::none, from, to, work);
}

}  // namespace selkie::mass_spring
