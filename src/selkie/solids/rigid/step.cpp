// See step.h.
#include "selkie/solids/rigid/step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "selkie/core/check.h"
#include "selkie/core/profile.h"
#include "selkie/math/rotation.h"
#include "selkie/solids/rigid/contacts.h"

namespace selkie::rigid {

double step_limit(const Params& params, const State& state) {
  double smallest = std::numeric_limits<double>::infinity(), fastest = 0;
  int boxes = 0;
  for (std::size_t i = 0; i < state.count(); ++i) {
    if (shape_of(state, i) != Shape::box) continue;
    ++boxes;
    smallest = std::min(smallest, state.half_sizes[i].minCoeff());
    fastest = std::max(fastest, state.velocities[i].norm());
  }
  if (boxes < 2 || fastest == 0) return params.longest_step;
  return std::clamp(0.5 * smallest / fastest, params.longest_step / 16, params.longest_step);
}

void apply_loads(const Params& params, const Inputs& inputs, double dt, State& state) {
  constexpr double kHeldSpinRate = 5;  // 1/s: what is held by one point must not dangle for ever
  const double kept = std::exp(-params.drag * dt);
  for (std::size_t i = 0; i < state.count(); ++i) {
    state.velocities[i] = kept * (state.velocities[i] + dt * inputs.gravity);
    state.angular_velocities[i] *= kept;
    if (static_cast<std::int64_t>(i) == state.grabbed_body)
      state.angular_velocities[i] *= std::exp(-kHeldSpinRate * dt);
  }
}

void move(double dt, const Work& work, State& state) {
  for (std::size_t i = 0; i < state.count(); ++i) {
    state.positions[i] += dt * (state.velocities[i] + work.push_velocities[i]);
    Quat q = orientation(state, i);
    rotate_freely(dt, state.inertias[i], q, state.angular_velocities[i]);
    if (!work.push_rotations[i].isZero(0)) q = integrate(q, work.push_rotations[i], dt).normalized();
    state.orientations[i] = q.coeffs();
  }
}

StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work) {
  const ProfileZone zone("rigid.step");
  SELKIE_CHECK(from.count() == to.count() && from.count() <= model.most_bodies,
               "the state belongs to this model");
  const double dt = interval.dt();
  apply_loads(params, inputs, dt, to);
  find_contacts(params, inputs, interval, to, work.contacts);
  solve_contacts(params, inputs, dt, to, work);
  move(dt, work, to);

  StepReport report;
  report.contacts = static_cast<int>(std::count_if(work.contacts.begin(), work.contacts.end(),
                                                   [](const Contact& c) { return c.normal_impulse > 0; }));
  for (std::size_t i = 0; i < to.count(); ++i)
    if (!to.positions[i].allFinite() || !to.velocities[i].allFinite() || !to.orientations[i].allFinite() ||
        !to.angular_velocities[i].allFinite())
      report.merge(StepReport::failure("body " + std::to_string(to.identities[i]) +
                                       " has a position or velocity that is not finite"));
  return report;
}

void poison(Work& work) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (Contact& c : work.contacts) c.normal = c.arm_a = c.arm_b = Vec3::Constant(kNan);
  std::fill(work.inverse_inertias.begin(), work.inverse_inertias.end(), Mat3::Constant(kNan));
  std::fill(work.push_velocities.begin(), work.push_velocities.end(), Vec3::Constant(kNan));
  std::fill(work.push_rotations.begin(), work.push_rotations.end(), Vec3::Constant(kNan));
}

}  // namespace selkie::rigid
