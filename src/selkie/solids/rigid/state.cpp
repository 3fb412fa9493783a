// See state.h.
#include "selkie/solids/rigid/state.h"

#include <algorithm>

#include "selkie/core/check.h"
#include "selkie/solids/rigid/mass.h"
#include "selkie/solids/rigid/queries.h"

namespace selkie::rigid {

std::size_t add(State& state, const Body& body) {
  Vec3 half = body.half_size;
  if (body.shape == Shape::ball) half.setConstant(half.x());
  double mass = body.mass;
  Vec3 inertia = body.inertia;
  if (body.role != Role::dynamic) {
    mass = 0, inertia.setOnes();
  } else if (!(mass > 0)) {
    const MassProperties p = mass_properties({body.shape, half, nullptr}, body.density);
    mass = p.mass, inertia = p.inertia.diagonal();
  }
  SELKIE_CHECK(half.minCoeff() > 0 && (body.role != Role::dynamic || (mass > 0 && inertia.minCoeff() > 0)),
               "a body has a size and a mass");
  state.positions.push_back(body.position);
  state.orientations.push_back(body.orientation.normalized().coeffs());
  state.velocities.push_back(body.role == Role::fixed ? Vec3(Vec3::Zero()) : body.velocity);
  state.angular_momenta.push_back(Vec3::Zero());
  state.shapes.push_back(static_cast<std::uint8_t>(body.shape));
  state.forms.push_back(body.form);
  state.half_sizes.push_back(half);
  state.roles.push_back(static_cast<std::uint8_t>(body.role));
  state.traits.push_back(body.traits);
  state.masses.push_back(mass);
  state.inertias.push_back(inertia);
  state.identities.push_back(state.next_identity++);
  state.rest_times.push_back(0);
  state.asleep.push_back(0);
  const std::size_t place = state.count() - 1;
  if (body.role != Role::fixed) set_angular_velocity(state, place, body.angular_velocity);
  return place;
}

void clear(State& state, std::size_t first) {
  if (first >= state.count()) return;
  // What leaned on the bodies that vanish must fall.
  std::size_t kept = 0;
  for (std::size_t c = 0; c < state.contact_pairs.size(); ++c) {
    const TouchPair pair = state.contact_pairs[c];
    const bool gone_a = pair[0] >= first, gone_b = pair[1] < kCollider && pair[1] >= first;
    if (gone_a && !gone_b && pair[1] < first) wake(state, pair[1]);
    if (gone_b && !gone_a) wake(state, pair[0]);
    if (gone_a || gone_b) continue;
    state.contact_pairs[kept] = pair;
    state.contact_values[kept++] = TouchValues(state.contact_values[c]);
  }
  state.contact_pairs.resize(kept), state.contact_values.resize(kept);
  state.positions.resize(first), state.orientations.resize(first);
  state.velocities.resize(first), state.angular_momenta.resize(first);
  state.shapes.resize(first), state.forms.resize(first), state.half_sizes.resize(first);
  state.roles.resize(first), state.traits.resize(first);
  state.masses.resize(first), state.inertias.resize(first), state.identities.resize(first);
  state.rest_times.resize(first), state.asleep.resize(first);
  if (state.grabbed_body >= static_cast<std::int64_t>(first)) release(state);
}

contact::Shape shape_of(const Model& model, const State& state, std::size_t i) {
  contact::Shape shape{shape_of(state, i), state.half_sizes[i], nullptr};
  if (state.forms[i] >= 0) shape.form = model.forms[static_cast<std::size_t>(state.forms[i])].get();
  return shape;
}

Eigen::Isometry3d world_from_body(const State& state, std::size_t i) {
  return Eigen::Translation3d(state.positions[i]) * orientation(state, i);
}

contact::Pose pose_of(const State& state, std::size_t i) {
  return {state.positions[i], orientation(state, i).toRotationMatrix()};
}

double bounding_radius(const State& state, std::size_t i) {
  return contact::bounding_radius({shape_of(state, i), state.half_sizes[i], nullptr});
}

double inverse_mass(const State& state, std::size_t i) { return is_dynamic(state, i) ? 1 / state.masses[i] : 0; }

Mat3 inverse_inertia(const State& state, std::size_t i) {
  if (!is_dynamic(state, i)) return Mat3::Zero();
  const Mat3 r = orientation(state, i).toRotationMatrix();
  return r * state.inertias[i].cwiseInverse().asDiagonal() * r.transpose();
}

Vec3 angular_velocity(const State& state, std::size_t i) {
  const Quat q = orientation(state, i);
  return q * Vec3(q.conjugate() * state.angular_momenta[i]).cwiseQuotient(state.inertias[i]);
}

void set_angular_velocity(State& state, std::size_t i, const Vec3& omega) {
  const Quat q = orientation(state, i);
  state.angular_momenta[i] = q * Vec3(q.conjugate() * omega).cwiseProduct(state.inertias[i]);
}

Vec3 velocity_at(const State& state, std::size_t i, const Vec3& point) {
  return state.velocities[i] + angular_velocity(state, i).cross(point - state.positions[i]);
}

void wake(State& state, std::size_t i) { state.asleep[i] = 0, state.rest_times[i] = 0; }

void apply_impulse(State& state, std::size_t i, const Vec3& point, const Vec3& impulse) {
  if (!is_dynamic(state, i)) return;
  state.velocities[i] += impulse / state.masses[i];
  state.angular_momenta[i] += (point - state.positions[i]).cross(impulse);
  wake(state, i);
}

void grab(const Model& model, State& state, std::size_t i, const Vec3& point, const Vec3& target) {
  SELKIE_CHECK(i < state.count(), "a body that exists");
  state.grabbed_body = static_cast<std::int64_t>(i);
  state.grab_point = world_from_body(state, i).inverse() * nearest_point(model, state, i, point);
  state.grab_target = target;
  wake(state, i);
}

void release(State& state) {
  state.grabbed_body = -1;
  state.grab_point = state.grab_target = Vec3::Zero();
}

}  // namespace selkie::rigid
