// The integrators behind step(): each advances the free vertices from `from` to `to` under springs, gravity
// and given loads. Contacts, drag and the exact placing of kinematic vertices follow in step().
#pragma once

#include "selkie/solids/mass_spring/step.h"

namespace selkie::mass_spring {

StepReport explicit_euler(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                          const State& from, State& to, Work& work);
StepReport symplectic_euler(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                            const State& from, State& to, Work& work);
StepReport verlet(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                  const State& from, State& to, Work& work);
StepReport rk2(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
               const State& from, State& to, Work& work);
StepReport rk4(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
               const State& from, State& to, Work& work);
StepReport implicit_euler(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                          const State& from, State& to, Work& work);
StepReport implicit_springs(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                            const State& from, State& to, Work& work);
// Leaves its residuals in work.newton_residuals.
StepReport implicit_euler_newton(const Model& model, const Params& params, const Inputs& inputs,
                                 Interval interval, const State& from, State& to, Work& work);

// The interval τ (s) over which each of Newmark's two solves lets velocity move positions (HY-31, E13):
// {0, 0} is HY-30, {Δt/2, Δt/2} the stable default, {Δt/2, 0} the conserving pair.
struct NewmarkIntervals {
  double first = 0;
  double second = 0;
};
StepReport newmark(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                   const State& from, State& to, Work& work, NewmarkIntervals intervals);

}  // namespace selkie::mass_spring
