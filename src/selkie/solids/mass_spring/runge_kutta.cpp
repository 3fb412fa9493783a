// RK2 (midpoint) and RK4 (RT-06, RT-07). Forces of a stage are complete before any vertex moves (E4: the
// printed loop updates while neighbours still read). [Müller08 §3.3]
#include "selkie/core/parallel.h"
#include "selkie/solids/mass_spring/forces.h"
#include "selkie/solids/mass_spring/integrators.h"
#include "selkie/solids/mass_spring/kinematics.h"
#include "selkie/solids/mass_spring/tangent.h"

namespace selkie::mass_spring {
namespace {

Vec3 acceleration(const Model& model, const Inputs& inputs, const Work& work, std::size_t i) {
  return model.inverse_masses[i] * (work.forces[i].head<3>() + load_on(model, inputs, i));
}

}  // namespace

StepReport rk2(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
               const State& from, State& to, Work& work) {
  const double h = interval.dt();
  Buffer<Vec3>&xm = work.stage_positions, &vm = work.stage_velocities;
  // Half an explicit step to the midpoint.
  xm = from.positions;
  vm = from.velocities;
  place_kinematics_in_stage(inputs, interval, 0, from, work, xm, vm);
  accumulate_forces(model, params, xm, vm, work.forces, work);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    xm[i] = from.positions[i] + h / 2 * from.velocities[i];
    vm[i] = from.velocities[i] + h / 2 * acceleration(model, inputs, work, i);
  });
  place_kinematics_in_stage(inputs, interval, h / 2, from, work, xm, vm);

  // A whole step with the midpoint's slopes.
  accumulate_forces(model, params, xm, vm, work.forces, work);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    to.positions[i] = from.positions[i] + h * vm[i];
    to.velocities[i] = from.velocities[i] + h * acceleration(model, inputs, work, i);
  });
  return {};
}

StepReport rk4(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
               const State& from, State& to, Work& work) {
  const double h = interval.dt();
  Buffer<Vec3>&xs = work.stage_positions, &vs = work.stage_velocities;
  Buffer<Vec3>&dx = work.sum_positions, &dv = work.sum_velocities;  // weighted slopes so far
  xs = from.positions;
  vs = from.velocities;
  place_kinematics_in_stage(inputs, interval, 0, from, work, xs, vs);
  dx.assign(model.vertex_count, Vec3::Zero());
  dv.assign(model.vertex_count, Vec3::Zero());
  constexpr double kWeight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  const double reach[4] = {h / 2, h / 2, h, 0};  // how far the next stage lies from the start

  for (int stage = 0; stage < 4; ++stage) {
    accumulate_forces(model, params, xs, vs, work.forces, work);
    parallel_for(model.vertex_count, [&](std::size_t i) {
      const Vec3 v = vs[i];
      const Vec3 a = acceleration(model, inputs, work, i);
      dx[i] += kWeight[stage] * v;
      dv[i] += kWeight[stage] * a;
      xs[i] = from.positions[i] + reach[stage] * v;
      vs[i] = from.velocities[i] + reach[stage] * a;
    });
    if (stage < 3) place_kinematics_in_stage(inputs, interval, reach[stage], from, work, xs, vs);
  }
  parallel_for(model.vertex_count, [&](std::size_t i) {
    to.positions[i] = from.positions[i] + h * dx[i];
    to.velocities[i] = from.velocities[i] + h * dv[i];
  });
  return {};
}

}  // namespace selkie::mass_spring
