// The step; see step.h.
#include "selkie/solids/pbd/step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/ports/hand.h"
#include "selkie/solids/pbd/body_contacts.h"
#include "selkie/solids/pbd/contacts.h"
#include "selkie/solids/pbd/damping.h"
#include "selkie/solids/pbd/energy.h"
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
  if (ports::is_led(to, i)) {
    const Vec3 way = to.grab_target - to.positions[static_cast<std::size_t>(to.grabbed_vertex)];
    end = x + ports::way_of_hand(way, params.grab_speed, interval.dt());
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
  work.driven = false;
  for (std::size_t i = 0; i < model.vertex_count; ++i) {
    if (!kinematic(i)) continue;
    place_kinematic(params, inputs, interval, to, i, work.points[i]);
    work.driven = work.driven || work.points[i].head<3>() != to.positions[i];
  }
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
  for (int round = 0; round < kBodyRounds && find_body_crossings(model, params, inputs, interval, to, work);
       ++round)
    hold();
  // What the sweeps pushed through a triangle is found and held, too; if that does not help, it stays behind.
  for (int round = 0; round < kSelfRounds && find_crossings(model, params, to, work); ++round) hold();
  freeze_crossings(model, params, to, work);
}

void take_positions(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                    State& to, Work& work) {
  const ProfileZone zone("pbd.velocities");
  const double h = interval.dt();
  const bool gained = !work.driven && energy_gained(model, h, to, work) > 0;
  EnergyAllowed allowed;
  if (gained) {
    allowed = energy_allowed(model, params, inputs, interval, to, work);
    work.free_velocities = to.velocities;
  }
  parallel_for(model.vertex_count, [&](std::size_t i) {
    const Vec3 end = work.points[i].head<3>();
    to.velocities[i] = (end - to.positions[i]) / h;
    to.positions[i] = end;
  });
  if (gained) bound_motion(model, allowed, work.free_velocities.span(), to);
  contact_velocities(inputs, interval, to, work);
  push_bodies(inputs, interval, to, work);
  if (params.damping > 0) damp(model, params.damping, h, to);
}

StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State&, State& to, Work& work) {
  const ProfileZone zone("pbd.step");
  StepReport report;
  const int substeps = substep_count(model, params, inputs, interval, to);
  for (int n = 0; n < substeps; ++n) {
    const Interval part = part_of(interval, n, substeps);
    leave_bodies(model, params, inputs, part, to);
    predict(model, params, inputs, part, to, work);
    project(model, params, inputs, part, to, work);
    take_positions(model, params, inputs, part, to, work);
  }
  report.iterations = substeps * params.iterations;
  report.contacts =
      static_cast<int>(work.contacts.size() + work.body_contacts.size() + work.self_contacts.size());
  check_finite(to, report);
  return report;
}

int substep_count(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                  const State& state) {
  constexpr double kDeep = 0.25, kSag = 2e-3;               // of an edge
  constexpr double kShortest = 1e-4, kMostForWeight = 250;  // s; 1/s
  if (model.volumes.batch.count == 0) return params.substeps;
  const double deep = kDeep * model.mean_edge;
  const double rate = deterministic_max(model.vertex_count, 0, [&](std::size_t i) {  // 1/s
    double largest = 0;
    for (const ports::FieldSampler* collider : inputs.colliders) {
      const ports::FieldSample met = collider->sample(state.positions[i], interval.t0());
      if (met.velocity.norm() > ports::kJumpSpeed) continue;
      const double approach = -(state.velocities[i] - met.velocity).dot(met.normal);
      largest = std::max(largest, approach / (std::max(0.0, met.distance - params.contact_thickness) + deep));
    }
    return largest;
  });
  // Short steps would keep the energy that a gravity far beyond the earth's presses into a body.
  const double falls = std::min(std::sqrt(inputs.gravity.norm() / (kSag * model.mean_edge)), kMostForWeight);
  const double wanted = interval.dt() * std::max(std::min(rate, 1 / kShortest), falls);
  if (!(wanted < 1e6)) return params.substeps;  // a state that is not finite, or a clock without end
  return std::max(params.substeps, static_cast<int>(std::ceil(wanted)));
}

}  // namespace selkie::pbd
