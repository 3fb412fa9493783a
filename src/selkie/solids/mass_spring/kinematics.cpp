// Prescribed and held vertices; a held vertex is drawn at a capped speed, whatever it weighs (RT-48).
#include "selkie/solids/mass_spring/kinematics.h"

#include <algorithm>

#include "selkie/core/check.h"
#include "selkie/ports/hand.h"

namespace selkie::mass_spring {
namespace {

double time_at(Interval interval, double offset) {
  return offset == interval.dt() ? interval.t1() : interval.t0() + offset;
}

// Velocity of a path at t0 + offset, by the parabola through three points within the step: what a path does
// before and after, a jump or nothing, is not asked. Its error is ε² x‴/3; round-off is 1e-16 x/ε.
Vec3 path_velocity(const PinnedMotion& path, std::uint32_t vertex, Interval interval, double offset) {
  const double epsilon = std::min(1e-5, interval.dt() / 4);  // s
  const double middle = std::clamp(offset, epsilon, interval.dt() - epsilon);
  const Vec3 before = path(vertex, time_at(interval, middle - epsilon)),
             between = path(vertex, time_at(interval, middle)),
             after = path(vertex, time_at(interval, middle + epsilon));
  const Vec3 curvature = (after - between - (between - before)) / (epsilon * epsilon);
  return (after - before) / (2 * epsilon) + (offset - middle) * curvature;
}

}  // namespace

void begin_kinematics(const Params& params, const Inputs& inputs, Interval interval, const State& from,
                      Work& work) {
  SELKIE_CHECK(from.grabbed_vertex < static_cast<std::int64_t>(from.positions.size()),
               "the hand holds a vertex of this body");
  work.kinematic = from.pinned;
  if (from.grabbed_vertex >= 0) work.kinematic[static_cast<std::size_t>(from.grabbed_vertex)] = 1;
  work.kinematic_vertices.resize(0);
  work.kinematic_velocities.resize(0);
  work.sliding.of_vertex.resize(0);
  work.bodies.attached.clear();
  const double dt = interval.dt();
  Vec3 hand = Vec3::Zero();
  if (from.grabbed_vertex >= 0) {
    const Vec3& x = from.positions[static_cast<std::size_t>(from.grabbed_vertex)];
    hand = ports::way_of_hand(from.grab_target - x, params.grab_speed, dt) / dt;
  }
  for (std::uint32_t i = 0; i < work.kinematic.size(); ++i) {
    if (work.kinematic[i] == 0) continue;
    Vec3 velocity = Vec3::Zero();
    if (ports::is_led(from, i)) {
      velocity = hand;
    } else if (inputs.pinned_motion) {
      velocity = (inputs.pinned_motion(i, interval.t1()) - from.positions[i]) / dt;
    }
    work.kinematic_vertices.push_back(i);
    work.kinematic_velocities.push_back(velocity);
  }
}

void place_kinematics(const Inputs& inputs, Interval interval, double offset, const State& from,
                      const Work& work, Buffer<Vec3>& x, Buffer<Vec3>& v) {
  const double time = time_at(interval, offset);
  for (std::size_t n = 0; n < work.kinematic_vertices.size(); ++n) {
    const std::uint32_t i = work.kinematic_vertices[n];
    v[i] = work.kinematic_velocities[n];
    if (inputs.pinned_motion && !ports::is_led(from, i))
      x[i] = inputs.pinned_motion(i, time);
    else
      x[i] = from.positions[i] + offset * v[i];
  }
}

void place_kinematics_in_stage(const Inputs& inputs, Interval interval, double offset, const State& from,
                               const Work& work, Buffer<Vec3>& x, Buffer<Vec3>& v) {
  place_kinematics(inputs, interval, offset, from, work, x, v);
  if (!inputs.pinned_motion) return;
  for (const std::uint32_t i : work.kinematic_vertices)
    if (!ports::is_led(from, i)) v[i] = path_velocity(inputs.pinned_motion, i, interval, offset);
}

void set_kinematic_velocities(const Work& work, Buffer<Vec3>& v) {
  for (std::size_t n = 0; n < work.kinematic_vertices.size(); ++n)
    v[work.kinematic_vertices[n]] = work.kinematic_velocities[n];
  for (std::size_t i = 0; i < work.sliding.of_vertex.size(); ++i)
    if (const std::int32_t c = work.sliding.of_vertex[i]; c >= 0) {
      const Vec3& n = work.sliding.normals[static_cast<std::size_t>(c)];
      v[i] += (work.sliding.speeds[static_cast<std::size_t>(c)] - v[i].dot(n)) * n;
    }
}

}  // namespace selkie::mass_spring
