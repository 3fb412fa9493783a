// The step; see step.h.
#include "selkie/solids/pbd/step.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/solids/pbd/body_contacts.h"
#include "selkie/solids/pbd/contacts.h"
#include "selkie/solids/pbd/damping.h"
#include "selkie/solids/pbd/project.h"
#include "selkie/solids/pbd/self_contacts.h"

namespace selkie::pbd {
namespace {

// Sub-step n of `count`, on a clock of so much finer ticks.
Interval part_of(const Interval& whole, int n, int count) {
  const Tick length = whole.end - whole.begin, first = whole.begin * count;
  return {first + n * length, first + (n + 1) * length, whole.seconds_per_tick / count};
}

void place_kinematic(const Params& params, const Inputs& inputs, Interval interval, const State& to,
                     std::size_t i, Vec4& point) {
  const Vec3& x = to.positions[i];
  Vec3 end = x;
  if (static_cast<std::int64_t>(i) == to.grabbed_vertex) {
    Vec3 way = to.grab_target - x;
    const double longest = params.grab_speed * interval.dt(), length = way.norm();
    if (length > longest) way *= longest / length;
    end = x + way;
  } else if (inputs.pinned_motion) {
    end = inputs.pinned_motion(static_cast<std::uint32_t>(i), interval.t1());
  }
  point << end, 0;
}

// What a lane without a constraint works on: points of no mass in no special position.
void place_idle_points(const Model& model, Work& work) {
  work.points.resize(model.point_count());
  for (std::size_t k = model.vertex_count; k < work.points.size(); ++k) {
    const std::size_t corner = (k - model.vertex_count) % kIdlePoints;
    work.points[k] =
        corner == 0 ? Vec4(Vec4::Zero()) : Vec4(Vec4::Unit(static_cast<Eigen::Index>(corner) - 1));
    work.points[k].w() = 0;
  }
}

void check_finite(const State& to, StepReport& report) {
  auto bad = [&](std::size_t i) { return !to.positions[i].allFinite() || !to.velocities[i].allFinite(); };
  if (deterministic_max(to.positions.size(), 0, [&](std::size_t i) { return bad(i) ? 1.0 : 0.0; }) == 0)
    return;
  std::size_t first = 0;
  while (!bad(first)) ++first;
  report.merge(StepReport::failure("vertex " + std::to_string(first) +
                                   " has a position or velocity that is not finite"));
}

// Gravity less what the displaced air carries.
Vec3 felt_gravity(const Model& model, const Params& params, const Inputs& inputs, const State& to) {
  if (params.air_density == 0 || !model.closed.holds_volume()) return inputs.gravity;
  const double lifted = params.air_density * enclosed_volume(model, to.positions);
  return (1 - lifted / total_mass(model)) * inputs.gravity;
}

}  // namespace

void predict(const Model& model, const Params& params, const Inputs& inputs, Interval interval, State& to,
             Work& work) {
  const ProfileZone zone("pbd.predict");
  const double h = interval.dt(), kept = std::exp(-params.drag * h);
  const Vec3 gravity = felt_gravity(model, params, inputs, to);
  place_idle_points(model, work);
  auto kinematic = [&](std::size_t i) {
    return to.pinned[i] != 0 || static_cast<std::int64_t>(i) == to.grabbed_vertex;
  };
  parallel_for(model.vertex_count, [&](std::size_t i) {
    if (kinematic(i)) return;
    Vec3 change = h * gravity;
    if (!inputs.forces.empty()) change += h * model.inverse_masses[i] * inputs.forces[i];
    to.velocities[i] = kept * to.velocities[i] + change;
    work.points[i] << to.positions[i] + h * to.velocities[i], model.inverse_masses[i];
  });
  for (std::size_t i = 0; i < model.vertex_count; ++i)
    if (kinematic(i)) place_kinematic(params, inputs, interval, to, i, work.points[i]);
}

void project(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
             const State& to, Work& work) {
  const SweepRule rule = sweep_rule(params, interval.dt());
  reset_multipliers(model, rule, work);
  find_contacts(model, params, inputs, interval, to, work);
  find_body_contacts(model, params, inputs, interval, to, work);
  find_self_contacts(model, params, to, work);
  auto hold = [&] {
    project_self_contacts(model, params, to, work);
    project_body_contacts(to, work);
    project_contacts(to, work);
  };
  for (int n = 0; n < params.iterations; ++n) {
    sweep(model, params, rule, work);
    hold();
  }
  leave_colliders(model, params, inputs, interval, work);
  // What the sweeps pushed through a triangle is found and held, too; if that does not help, it stays behind.
  for (int round = 0; round < kSelfRounds && find_crossings(model, params, to, work); ++round) hold();
  freeze_crossings(model, params, to, work);
}

void take_positions(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                    State& to, Work& work) {
  const ProfileZone zone("pbd.velocities");
  const double h = interval.dt();
  parallel_for(model.vertex_count, [&](std::size_t i) {
    const Vec3 end = work.points[i].head<3>();
    to.velocities[i] = (end - to.positions[i]) / h;
    to.positions[i] = end;
  });
  contact_velocities(inputs, interval, to, work);
  push_bodies(inputs, interval, to, work);
  if (params.damping > 0) damp(model, params.damping, h, to);
}

StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State&, State& to, Work& work) {
  const ProfileZone zone("pbd.step");
  StepReport report;
  for (int n = 0; n < params.substeps; ++n) {
    const Interval part = part_of(interval, n, params.substeps);
    predict(model, params, inputs, part, to, work);
    project(model, params, inputs, part, to, work);
    take_positions(model, params, inputs, part, to, work);
  }
  report.iterations = params.substeps * params.iterations;
  report.contacts =
      static_cast<int>(work.contacts.size() + work.body_contacts.size() + work.self_contacts.size());
  check_finite(to, report);
  return report;
}

}  // namespace selkie::pbd
