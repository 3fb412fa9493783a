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
#include "selkie/solids/rigid/detail/groups.h"

namespace selkie::rigid {

double step_limit(const Params& params, const State&) { return params.longest_step; }

void drive_kinematic(const Inputs& inputs, double dt, State& state) {
  for (std::size_t i = 0; i < state.count(); ++i)
    if (state.roles[i] == static_cast<std::uint8_t>(Role::kinematic))
      state.velocities[i].setZero(), state.angular_momenta[i].setZero();
  for (const Target& target : inputs.targets) {
    Vec3 v = (target.position - state.positions[target.body]) / dt;
    Vec3 w = rotation_vector(target.orientation * orientation(state, target.body).conjugate()) / dt;
    // A solid that seems this fast has jumped: it pushes things out of itself, but lends no velocity (RT-02).
    if (!(v.norm() <= ports::kJumpSpeed)) v.setZero(), w.setZero();
    state.velocities[target.body] = v, state.angular_momenta[target.body] = w;
  }
}

namespace {

void arrive(const Inputs& inputs, State& state) {
  for (const Target& target : inputs.targets) {
    state.positions[target.body] = target.position;
    state.orientations[target.body] = target.orientation.normalized().coeffs();
  }
}

StepReport report_on(const State& state, const Work& work) {
  StepReport report;
  for (const Touch* touch : work.touches)
    report.contacts += touch->pressed;
  for (std::size_t i = 0; i < state.count(); ++i)
    if (!state.positions[i].allFinite() || !state.velocities[i].allFinite() || !state.orientations[i].allFinite() ||
        !state.angular_momenta[i].allFinite())
      report.merge(StepReport::failure("body " + std::to_string(state.identities[i]) +
                                       " has a position or velocity that is not finite"));
  return report;
}

}  // namespace

StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work) {
  const ProfileZone zone("rigid.step");
  SELKIE_CHECK(from.count() == to.count() && from.count() <= model.most_bodies,
               "the state belongs to this model");
  const double dt = interval.dt();
  to.joint_forces.resize(model.joints.size()), to.joints_broken.resize(model.joints.size());
  if (const Vec3 pull = inputs.gravity + params.drag * params.wind; to.gravity != pull) {
    to.gravity = pull;
    for (std::size_t i = 0; i < to.count(); ++i) wake(to, i);
  }
  drive_kinematic(inputs, dt, to);
  if (const std::int64_t held = to.grabbed_body; held >= 0 && is_dynamic(to, static_cast<std::size_t>(held))) {
    // What it will meet depends on where the hand leads it.
    const auto i = static_cast<std::size_t>(held);
    Vec3 spin = angular_velocity(to, i);
    hold(params, dt / params.substeps, to, to.positions[i], orientation(to, i), Vec3::Zero(), to.velocities[i],
         spin);
    set_angular_velocity(to, i, spin);
    wake(to, i);
  }
  wake_moving(params, to);
  place_bodies(model, params, inputs, dt, to, work);
  find_pairs(model, to, work);
  find_touches(model, params, inputs, interval, to, work);
  wake_islands(model, to, work);
  solve(model, params, inputs, dt, to, work);
  arrive(inputs, to);
  rest(params, dt, to, work);
  remember_touches(work, to);
  return report_on(to, work);
}

void poison(Work& work) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Vec3 nan = Vec3::Constant(kNan);
  std::fill(work.poses.begin(), work.poses.end(), contact::Pose{nan, Mat3::Constant(kNan)});
  std::fill(work.boxes.begin(), work.boxes.end(), contact::Bounds{nan, nan});
  std::fill(work.reaches.begin(), work.reaches.end(), kNan);
  std::fill(work.spins.begin(), work.spins.end(), nan);
  std::fill(work.turns.begin(), work.turns.end(), Quat(kNan, kNan, kNan, kNan));
  std::fill(work.pairs.begin(), work.pairs.end(), std::pair<std::uint32_t, std::uint32_t>{~0u, ~0u});
  Row8 row;
  std::fill_n(row.v, 8, kNan);
  for (auto* buffer : {&work.velocities, &work.deltas, &work.pushes, &work.before, &work.masses})
    std::fill(buffer->begin(), buffer->end(), row);
  for (auto& block : work.found_touches)
    for (Touch& touch : block) touch.normal = nan, touch.count = -1;
  work.touches.clear(), work.joints.clear(), work.lanes.clear(), work.colour_begin.clear();
  work.joint_numbers.clear(), work.joint_colour_begin.clear(), work.joint_order.clear();
  work.phases.clear(), work.tasks.clear();
  work.near = {};
  work.groups.reset();
}

}  // namespace selkie::rigid
