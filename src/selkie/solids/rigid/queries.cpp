// See queries.h.
#include "selkie/solids/rigid/queries.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "selkie/contact/manifold.h"
#include "selkie/core/check.h"

namespace selkie::rigid {

geometry::SurfaceDistance distance_to(const Model& model, const State& state, std::size_t i, const Vec3& point) {
  const contact::Pose pose = pose_of(state, i);
  geometry::SurfaceDistance d = contact::distance(shape_of(model, state, i), pose.local(point));
  d.normal = pose.axes * d.normal;
  return d;
}

Vec3 nearest_point(const Model& model, const State& state, std::size_t i, const Vec3& point) {
  const geometry::SurfaceDistance d = distance_to(model, state, i, point);
  return d.distance <= 0 ? point : Vec3(point - d.distance * d.normal);
}

std::size_t nearest_body(const Model& model, const State& state, const Vec3& point) {
  SELKIE_CHECK(state.count() > 0, "a body to be near to");
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  bool movable = false;
  for (std::size_t i = 0; i < state.count(); ++i) {
    const bool moves = is_dynamic(state, i);
    if (movable && !moves) continue;
    const double d = distance_to(model, state, i, point).distance;
    if (d < least || (moves && !movable)) least = d, best = i;
    movable = movable || moves;
  }
  return best;
}

std::optional<RayHit> ray_cast(const Model& model, const State& state, const Vec3& origin, const Vec3& direction) {
  const double length = direction.norm();
  if (!(length > 0)) return std::nullopt;
  const Vec3 d = direction / length;
  std::optional<RayHit> nearest;
  for (std::size_t i = 0; i < state.count(); ++i) {
    const contact::Pose pose = pose_of(state, i);
    const double radius = bounding_radius(state, i);
    const Vec3 o = origin - pose.position;
    if (std::isfinite(radius) && (o - o.dot(d) * d).squaredNorm() > radius * radius) continue;
    const auto hit = contact::ray_cast(shape_of(model, state, i), pose.local(origin), pose.axes.transpose() * d);
    if (hit && (!nearest || hit->distance < nearest->distance))
      nearest = RayHit{i, hit->distance, origin + hit->distance * d, pose.axes * hit->normal};
  }
  return nearest;
}

std::vector<std::size_t> overlapping(const Model& model, const State& state, const contact::Shape& shape,
                                     const contact::Pose& pose) {
  std::vector<std::size_t> found;
  std::vector<contact::Manifold> manifolds;
  const contact::Bounds box = contact::bounds(shape, pose);
  for (std::size_t i = 0; i < state.count(); ++i) {
    const contact::Shape other = shape_of(model, state, i);
    const contact::Pose there = pose_of(state, i);
    if (!contact::bounds(other, there).meets(box)) continue;
    manifolds.clear();
    contact::collide(shape, pose, other, there, 0, manifolds);
    if (!manifolds.empty()) found.push_back(i);
  }
  return found;
}

std::vector<std::size_t> within(const Model& model, const State& state, const Vec3& point, double radius) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < state.count(); ++i)
    if (distance_to(model, state, i, point).distance <= radius) found.push_back(i);
  return found;
}

double depth_of(const State& state, std::size_t c) {
  const TouchPair pair = state.contact_pairs[c];
  TouchMemory m;
  std::memcpy(&m, state.contact_values[c].data(), sizeof m);
  const contact::Pose a = pose_of(state, pair[0]);
  const contact::Pose b = pair[1] < kCollider ? pose_of(state, pair[1]) : contact::Pose{};
  const Vec3 n = a.axes * Vec3(m.normal[0], m.normal[1], m.normal[2]);
  double deepest = -std::numeric_limits<double>::infinity();
  for (std::uint32_t k = 0; k < pair[2]; ++k) {
    const Vec3 on_a = a * Vec3(m.on_a[k][0], m.on_a[k][1], m.on_a[k][2]);
    const Vec3 on_b = b * Vec3(m.on_b[k][0], m.on_b[k][1], m.on_b[k][2]);
    deepest = std::max(deepest, (on_b - on_a).dot(n));
  }
  return deepest;
}

Diagnostics diagnose(const State& state, const Vec3& gravity) {
  Diagnostics d;
  for (std::size_t i = 0; i < state.count(); ++i) {
    if (!is_dynamic(state, i)) continue;
    const Vec3 p = state.masses[i] * state.velocities[i], spin = state.angular_momenta[i];
    d.kinetic_energy += 0.5 * p.dot(state.velocities[i]) + 0.5 * spin.dot(angular_velocity(state, i));
    d.gravitational_energy -= state.masses[i] * gravity.dot(state.positions[i]);
    d.momentum += p;
    d.angular_momentum += spin + state.positions[i].cross(p);
    d.max_speed = std::max(d.max_speed, state.velocities[i].norm());
    d.asleep += state.asleep[i];
  }
  for (std::size_t c = 0; c < state.contact_pairs.size(); ++c) d.deepest = std::max(d.deepest, depth_of(state, c));
  return d;
}

}  // namespace selkie::rigid
