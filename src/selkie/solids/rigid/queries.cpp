// See queries.h.
#include "selkie/solids/rigid/queries.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/check.h"

namespace selkie::rigid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Roots of |o + s d|² = r², |d| = 1: entry, or exit when the origin is inside.
std::optional<double> hit_ball(const Vec3& o, const Vec3& d, double radius) {
  const double b = o.dot(d), c = o.squaredNorm() - radius * radius;
  // The foot of the perpendicular on the ray gives the discriminant without cancellation.
  const double discriminant = radius * radius - (o - b * d).squaredNorm();
  if (discriminant < 0) return std::nullopt;
  const double root = std::sqrt(discriminant);
  const double first = c > 0 ? -b - root : -b + root;
  if (first < 0) return std::nullopt;
  return first;
}

struct BoxHit {
  double distance;
  Vec3 normal;
};

// The slabs of the three axes: the last entry and the first exit.
std::optional<BoxHit> hit_box(const Vec3& o, const Vec3& d, const Vec3& half) {
  double entry = -kInfinity, exit = kInfinity;
  Vec3 in = Vec3::Zero(), out = Vec3::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    if (d[axis] == 0) {
      if (std::abs(o[axis]) > half[axis]) return std::nullopt;
      continue;
    }
    const double side = d[axis] > 0 ? 1 : -1;
    const double near = (-side * half[axis] - o[axis]) / d[axis],
                 far = (side * half[axis] - o[axis]) / d[axis];
    if (near > entry) entry = near, in = -side * Vec3::Unit(axis);
    if (far < exit) exit = far, out = side * Vec3::Unit(axis);
  }
  if (entry > exit || exit < 0) return std::nullopt;
  return entry >= 0 ? BoxHit{entry, in} : BoxHit{exit, out};
}

}  // namespace

geometry::SurfaceDistance distance_to(const State& state, std::size_t i, const Vec3& point) {
  if (shape_of(state, i) == Shape::ball)
    return geometry::signed_distance(geometry::Ball{state.positions[i], state.half_sizes[i].x()}, point);
  const Eigen::Isometry3d pose = world_from_body(state, i);
  geometry::SurfaceDistance d = geometry::signed_distance(
      geometry::Box{-state.half_sizes[i], state.half_sizes[i]}, pose.inverse() * point);
  d.normal = pose.linear() * d.normal;
  return d;
}

Vec3 nearest_point(const State& state, std::size_t i, const Vec3& point) {
  const geometry::SurfaceDistance d = distance_to(state, i, point);
  return d.distance <= 0 ? point : Vec3(point - d.distance * d.normal);
}

std::size_t nearest_body(const State& state, const Vec3& point) {
  SELKIE_CHECK(state.count() > 0, "a body to be near to");
  std::size_t best = 0;
  double least = kInfinity;
  for (std::size_t i = 0; i < state.count(); ++i)
    if (const double d = distance_to(state, i, point).distance; d < least) least = d, best = i;
  return best;
}

std::optional<RayHit> ray_cast(const State& state, const Vec3& origin, const Vec3& direction) {
  const double length = direction.norm();
  if (!(length > 0)) return std::nullopt;
  const Vec3 d = direction / length;
  std::optional<RayHit> nearest;
  auto offer = [&](std::size_t i, double distance, const Vec3& normal) {
    if (!nearest || distance < nearest->distance)
      nearest = RayHit{i, distance, origin + distance * d, normal};
  };
  for (std::size_t i = 0; i < state.count(); ++i) {
    const Vec3 o = origin - state.positions[i];
    if (shape_of(state, i) == Shape::ball) {
      const double radius = state.half_sizes[i].x();
      if (const auto s = hit_ball(o, d, radius)) offer(i, *s, (o + *s * d) / radius);
    } else {
      const Mat3 r = orientation(state, i).toRotationMatrix();
      if (const auto hit = hit_box(r.transpose() * o, r.transpose() * d, state.half_sizes[i]))
        offer(i, hit->distance, r * hit->normal);
    }
  }
  return nearest;
}

Diagnostics diagnose(const State& state, const Vec3& gravity) {
  Diagnostics d;
  for (std::size_t i = 0; i < state.count(); ++i) {
    const Mat3 r = orientation(state, i).toRotationMatrix();
    const Vec3 spin = r * state.inertias[i].cwiseProduct(r.transpose() * state.angular_velocities[i]);
    const Vec3 p = state.masses[i] * state.velocities[i];
    d.kinetic_energy += 0.5 * p.dot(state.velocities[i]) + 0.5 * spin.dot(state.angular_velocities[i]);
    d.gravitational_energy -= state.masses[i] * gravity.dot(state.positions[i]);
    d.momentum += p;
    d.angular_momentum += spin + state.positions[i].cross(p);
    d.max_speed = std::max(d.max_speed, state.velocities[i].norm());
  }
  return d;
}

}  // namespace selkie::rigid
