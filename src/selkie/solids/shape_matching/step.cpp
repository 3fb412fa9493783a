// See step.h.
#include "selkie/solids/shape_matching/step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/ports/hand.h"
#include "selkie/solids/shape_matching/contacts.h"
#include "selkie/solids/shape_matching/crowd.h"
#include "selkie/solids/shape_matching/damping.h"
#include "selkie/solids/shape_matching/matching.h"

namespace selkie::shape_matching {
namespace {

// What a user holds moves towards its target, at no more than the greatest speed.
Vec3 way_of_hand(const Params& params, const State& from, double dt) {
  if (from.grabbed_vertex < 0) return Vec3::Zero();
  const Vec3& x = from.positions[static_cast<std::size_t>(from.grabbed_vertex)];
  return ports::way_of_hand(from.grab_target - x, params.grab_speed, dt);
}

void list_kinematics(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                     const State& from, Work& work) {
  work.kinematic.assign(model.vertex_count, 0);
  work.kinematic_vertices.resize(0);
  work.kinematic_targets.resize(0);
  const Vec3 hand = way_of_hand(params, from, interval.dt());
  for (std::uint32_t i = 0; i < model.vertex_count; ++i) {
    const bool led = ports::is_led(from, i);
    if (!led && from.pinned[i] == 0) continue;
    work.kinematic[i] = 1;
    work.kinematic_vertices.push_back(i);
    work.kinematic_targets.push_back(led                    ? Vec3(from.positions[i] + hand)
                                     : inputs.pinned_motion ? inputs.pinned_motion(i, interval.t1())
                                                            : from.positions[i]);
  }
}

void predict(const Model& model, const Inputs& inputs, double dt, const State& from, Work& work) {
  work.predicted.resize(model.vertex_count);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    work.predicted[i] = from.positions[i] + dt * (from.velocities[i] + dt * inputs.gravity);
  });
  for (std::size_t n = 0; n < work.kinematic_vertices.size(); ++n)
    work.predicted[work.kinematic_vertices[n]] = work.kinematic_targets[n];
}

bool has_crowd(const Model& model, const Params& params) {
  return params.crowd_contacts && model.body_count() > 1;
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

}  // namespace

StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work) {
  const ProfileZone zone("shape_matching.step");
  SELKIE_CHECK(from.positions.size() == model.vertex_count && from.velocities.size() == model.vertex_count &&
                   from.pinned.size() == model.vertex_count && to.positions.size() == model.vertex_count &&
                   from.rotations.size() == model.cluster_count() &&
                   from.plastic.size() == model.cluster_count(),
               "the state belongs to this model");
  const double dt = interval.dt(), share = share_per_round(params, dt);
  const bool crowd = has_crowd(model, params);

  // Where everything would go, and what it may meet on the way.
  list_kinematics(model, params, inputs, interval, from, work);
  predict(model, inputs, dt, from, work);
  measure_bodies(model, from, work);
  find_near_colliders(model, inputs, interval, work);
  if (crowd) find_neighbours(model, inputs, dt, from, work);

  // Shapes, then contacts, which have the last word.
  for (int round = 0; round < params.iterations; ++round) {
    fit_clusters(model, params, from, to, work);
    draw_to_goals(model, params, share, work);
    if (crowd) part_neighbours(model, params, dt, from, work);
    keep_out_of_colliders(model, inputs, interval, from, work);
  }
  flow_all(model, params, dt, from, to, work);

  parallel_for(model.vertex_count, [&](std::size_t i) {
    to.positions[i] = work.predicted[i];
    to.velocities[i] = (work.predicted[i] - from.positions[i]) / dt;
  });
  bound_motion(model, inputs, dt, crowd, from, to, work);
  damp(model, params, dt, to, work);

  StepReport report;
  report.iterations = params.iterations;
  if (crowd) report.contacts += leave_neighbours(model, dt, from, to, work);
  if (!inputs.bodies.empty()) report.contacts += push_solids(model, inputs, interval, from, to, work);
  report.contacts += settle_on_colliders(model, inputs, interval, from, to, work);
  check_finite(to, report);
  return report;
}

double step_limit(const Model& model, const Params& params, const Vec3& gravity, const State& state) {
  constexpr double kShortest = 1e-3;  // s
  constexpr double kSag = 1e-3;       // of the size of a cluster, in free fall during a step
  double limit = std::numeric_limits<double>::infinity();
  const double g = gravity.norm();
  if (g > 0) {
    double size = limit;
    for (const ClusterRest& cluster : model.clusters) size = std::min(size, cluster.size);
    limit = std::sqrt(kSag * size / g);
  }
  if (has_crowd(model, params)) {
    const double keep = 2 * *std::min_element(model.radii.begin(), model.radii.end());
    const double fastest =
        deterministic_max(model.vertex_count, 0, [&](std::size_t i) { return state.velocities[i].norm(); });
    if (fastest > 0) limit = std::min(limit, keep / fastest);
  }
  return std::max(kShortest, limit);
}

}  // namespace selkie::shape_matching
