// See state.h.
#include "selkie/solids/rigid/state.h"

#include <numbers>

#include "selkie/core/check.h"
#include "selkie/solids/rigid/queries.h"

namespace selkie::rigid {

std::size_t add(State& state, const Body& body) {
  const bool ball = body.shape == Shape::ball;
  const Vec3 half = ball ? Vec3(Vec3::Constant(body.half_size.x())) : body.half_size;
  SELKIE_CHECK(half.minCoeff() > 0 && body.density > 0, "a body has a size and a mass");
  const double volume = (ball ? 4.0 / 3 * std::numbers::pi : 8.0) * half.prod(), mass = body.density * volume;
  const Vec3 squares = half.cwiseAbs2();
  const Vec3 inertia =
      ball ? Vec3(0.4 * mass * squares) : Vec3(mass / 3 * (Vec3::Constant(squares.sum()) - squares));
  state.positions.push_back(body.position);
  state.orientations.push_back(body.orientation.normalized().coeffs());
  state.velocities.push_back(body.velocity);
  state.angular_velocities.push_back(body.angular_velocity);
  state.shapes.push_back(static_cast<std::uint8_t>(body.shape));
  state.half_sizes.push_back(half);
  state.masses.push_back(mass);
  state.inertias.push_back(inertia);
  state.identities.push_back(state.next_identity++);
  return state.count() - 1;
}

void clear(State& state) {
  state.positions.resize(0), state.orientations.resize(0);
  state.velocities.resize(0), state.angular_velocities.resize(0);
  state.shapes.resize(0), state.half_sizes.resize(0);
  state.masses.resize(0), state.inertias.resize(0), state.identities.resize(0);
  release(state);
}

Eigen::Isometry3d world_from_body(const State& state, std::size_t i) {
  return Eigen::Translation3d(state.positions[i]) * orientation(state, i);
}

double bounding_radius(const State& state, std::size_t i) {
  return shape_of(state, i) == Shape::ball ? state.half_sizes[i].x() : state.half_sizes[i].norm();
}

Mat3 inverse_inertia(const State& state, std::size_t i) {
  const Mat3 r = orientation(state, i).toRotationMatrix();
  return r * state.inertias[i].cwiseInverse().asDiagonal() * r.transpose();
}

Vec3 velocity_at(const State& state, std::size_t i, const Vec3& point) {
  return state.velocities[i] + state.angular_velocities[i].cross(point - state.positions[i]);
}

void apply_impulse(State& state, std::size_t i, const Vec3& point, const Vec3& impulse) {
  state.velocities[i] += impulse / state.masses[i];
  state.angular_velocities[i] += inverse_inertia(state, i) * (point - state.positions[i]).cross(impulse);
}

void grab(State& state, std::size_t i, const Vec3& point, const Vec3& target) {
  SELKIE_CHECK(i < state.count(), "a body that exists");
  state.grabbed_body = static_cast<std::int64_t>(i);
  state.grab_point = world_from_body(state, i).inverse() * nearest_point(state, i, point);
  state.grab_target = target;
}

void release(State& state) {
  state.grabbed_body = -1;
  state.grab_point = state.grab_target = Vec3::Zero();
}

}  // namespace selkie::rigid
