// Explicit Euler, symplectic Euler and Verlet (RT-04, RT-05, RT-08). [Müller08 §3.2, §3.4; E2, E3, E5, E6]
#include "selkie/core/parallel.h"
#include "selkie/solids/mass_spring/forces.h"
#include "selkie/solids/mass_spring/integrators.h"
#include "selkie/solids/mass_spring/tangent.h"

namespace selkie::mass_spring {
namespace {

// v⁺ = v + kick·a(x, v), then x⁺ = x + h·(old or new velocity).
void advance(const Model& model, const Params& params, const Inputs& inputs, double h, double kick,
             bool new_velocity_moves, const State& from, State& to, Work& work) {
  accumulate_forces(model, params, from.positions, from.velocities, work.forces, work);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    const Vec3 force = work.forces[i].head<3>() + load_on(model, inputs, i);
    const Vec3 v = from.velocities[i];
    const Vec3 v_next = v + kick * model.inverse_masses[i] * force;
    to.velocities[i] = v_next;
    to.positions[i] = from.positions[i] + h * (new_velocity_moves ? v_next : v);
  });
}

}  // namespace

StepReport explicit_euler(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                          const State& from, State& to, Work& work) {
  advance(model, params, inputs, interval.dt(), interval.dt(), false, from, to, work);
  return {};
}

StepReport symplectic_euler(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                            const State& from, State& to, Work& work) {
  advance(model, params, inputs, interval.dt(), interval.dt(), true, from, to, work);
  return {};
}

// The velocity is the difference quotient of the step before, (x − x⁻)/h⁻. Kicking it by (h⁻ + h)/2 is
// Verlet for equal steps and stays second order when the step changes; h⁻ = 0 is the start from a true
// velocity that order 2 needs (RT-08).
StepReport verlet(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                  const State& from, State& to, Work& work) {
  const double h = interval.dt();
  advance(model, params, inputs, h, (from.previous_step + h) / 2, true, from, to, work);
  to.previous_step = h;
  return {};
}

}  // namespace selkie::mass_spring
