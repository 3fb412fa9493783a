// See rigid_solid.h.
#include "selkie/coupling/rigid_solid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "selkie/geometry/shapes.h"
#include "selkie/math/rotation.h"

namespace selkie::coupling {
namespace {

// How deep a point may be, as a share of the solid's size, and still be known to have come from the nearest
// side.
constexpr double kShallow = 0.3;

// What depths and tolerances are a share of, m. A mesh is a surface, which may be flat.
double thickness_of(const contact::Shape& shape) {
  return shape.kind == contact::Kind::mesh ? shape.size.maxCoeff() : shape.size.minCoeff();
}

struct Entry {
  Vec3 point, normal;
};

// Distance to a shape that is thicker by `thickness` all round; boxes keep their edges.
geometry::SurfaceDistance distance_of(const contact::Shape& shape, double thickness, const Vec3& p) {
  if (shape.kind == contact::Kind::box) {
    const Vec3 half = shape.size + Vec3::Constant(thickness);
    return geometry::signed_distance(geometry::Box{-half, half}, p);
  }
  geometry::SurfaceDistance d = contact::distance(shape, p);
  d.distance -= thickness;
  return d;
}

// Where the segment from outside point p to q enters a ball or box about the origin.
std::optional<Entry> entry_of_ball(const Vec3& p, const Vec3& q, double radius) {
  const Vec3 d = q - p;
  const double a = d.squaredNorm(), b = p.dot(d), c = p.squaredNorm() - radius * radius;
  if (b >= 0 || a == 0) return std::nullopt;
  const double discriminant = b * b - a * c;
  if (discriminant < 0) return std::nullopt;
  const double s = c / (-b + std::sqrt(discriminant));  // the smaller root, without cancellation
  if (s > 1) return std::nullopt;
  const Vec3 point = p + s * d;
  return Entry{point, point.normalized()};
}

std::optional<Entry> entry_of_box(const Vec3& p, const Vec3& q, const Vec3& half) {
  const Vec3 d = q - p;
  double entry = -1, exit = 1;
  Vec3 normal = Vec3::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    if (d[axis] == 0) {
      if (std::abs(p[axis]) > half[axis]) return std::nullopt;
      continue;
    }
    const double side = d[axis] > 0 ? 1 : -1;
    const double in = (-side * half[axis] - p[axis]) / d[axis], out = (side * half[axis] - p[axis]) / d[axis];
    if (in > entry) entry = in, normal = -side * Vec3::Unit(axis);
    exit = std::min(exit, out);
  }
  if (entry < 0 || entry > exit) return std::nullopt;
  return Entry{p + entry * d, normal};
}

// Any shape: along the segment by what is known to be free; a graze counts as a miss.
std::optional<Entry> entry_of_any(const contact::Shape& shape, double thickness, const Vec3& p, const Vec3& q) {
  const Vec3 d = q - p;
  const double length = d.norm(), tolerance = 1e-6 * thickness_of(shape);
  double s = 0;
  for (int n = 0; n < 64 && s <= length && length > 0; ++n) {
    const Vec3 at = p + s / length * d;
    const auto there = distance_of(shape, thickness, at);
    if (there.distance <= tolerance) {
      if (d.dot(there.normal) >= 0) return std::nullopt;
      return Entry{at, there.normal};
    }
    s += there.distance;
  }
  return std::nullopt;
}

std::optional<Entry> entry_of(const contact::Shape& shape, double thickness, const Vec3& p, const Vec3& q) {
  if (shape.kind == contact::Kind::ball) return entry_of_ball(p, q, shape.size.x() + thickness);
  if (shape.kind == contact::Kind::box) return entry_of_box(p, q, shape.size + Vec3::Constant(thickness));
  return entry_of_any(shape, thickness, p, q);
}

}  // namespace

RigidSolid::RigidSolid(const RigidMotion& motion, double friction_) : motion_(motion) {
  friction = friction_;
}

double RigidSolid::size() const { return thickness_of(motion_.shape); }

Eigen::Isometry3d RigidSolid::pose(double time) const {
  const double tau = time - motion_.t0, length = motion_.t1 - motion_.t0;
  const double share = length > 0 ? std::clamp(tau / length, 0.0, 1.0) : 1;
  const Vec3 x = (1 - share) * motion_.start.translation() + share * motion_.end.translation();
  Quat q = Quat(motion_.start.linear()).slerp(share, Quat(motion_.end.linear()));
  if (!spin_change_.isZero(0)) q = quaternion_from_vector(spin_change_ * tau - spin_delay_) * q;
  return Eigen::Translation3d(x + change_ * tau - delay_ + (time < shift_time_ ? earlier_shift_ : shift_)) *
         q.normalized();
}

Mat3 RigidSolid::inverse_inertia(const Mat3& axes) const {
  return axes * motion_.inertia.cwiseInverse().asDiagonal() * axes.transpose();
}

ports::FieldSample RigidSolid::sample(const Vec3& point, double time) const {
  const Eigen::Isometry3d world_from_body = pose(time);
  const auto d = distance_of(motion_.shape, 0, world_from_body.inverse() * point);
  const Vec3 normal = world_from_body.linear() * d.normal;
  const Vec3 arm = point - d.distance * normal - world_from_body.translation();
  return {d.distance, normal, velocity() + angular_velocity().cross(arm)};
}

ports::BoundingBall RigidSolid::bounds(double t0, double t1) const {
  const Vec3 a = pose(t0).translation(), b = pose(t1).translation();
  const double size = contact::bounding_radius(motion_.shape);
  return {0.5 * (a + b), 0.5 * (b - a).norm() + size};
}

ports::SweptSample RigidSolid::sweep(const Vec3& x0, double t0, const Vec3& x1, double t1,
                                     double thickness) const {
  const Eigen::Isometry3d now = pose(t1);
  const Vec3 p = pose(t0).inverse() * x0, q = now.inverse() * x1;
  ports::SweptSample result;
  auto fill = [&](double distance, const Vec3& normal, const Vec3& point) {
    result.distance = distance;
    result.normal = now.linear() * normal;
    result.velocity = velocity() + angular_velocity().cross(now.linear() * point);
  };
  const auto before = distance_of(motion_.shape, thickness, p);
  result.start_distance = before.distance;
  auto meets = [&](const Entry& entry) {
    result.entered = true;
    fill((q - entry.point).dot(entry.normal), entry.normal, entry.point);
  };
  if (before.distance > 0) {
    if (const auto entry = entry_of(motion_.shape, thickness, p, q)) {
      meets(*entry);
      return result;
    }
  } else if (before.distance > -kShallow * thickness_of(motion_.shape)) {
    // A point that lies on the surface, or a little below it, goes in where it is: the surface nearest to
    // where it ends may be that of the other side.
    const Entry entry{p - before.distance * before.normal, before.normal};
    if ((q - entry.point).dot(entry.normal) < 0) {
      meets(entry);
      return result;
    }
  }
  const auto d = distance_of(motion_.shape, thickness, q);
  fill(d.distance, d.normal, q - d.distance * d.normal);
  return result;
}

double RigidSolid::inverse_mass(const Vec3& point, const Vec3& direction, double time) const {
  const Eigen::Isometry3d now = pose(time);
  const Vec3 lever = (point - now.translation()).cross(direction);
  return 1 / motion_.mass + lever.dot(inverse_inertia(now.linear()) * lever);
}

void RigidSolid::push(const Vec3& point, const Vec3& impulse, double time) {
  if (!motion_.movable) return;
  const Eigen::Isometry3d now = pose(time);
  const double tau = time - motion_.t0;
  const Vec3 dv = impulse / motion_.mass;
  const Vec3 dw = inverse_inertia(now.linear()) * (point - now.translation()).cross(impulse);
  change_ += dv, delay_ += dv * tau;
  spin_change_ += dw, spin_delay_ += dw * tau;
}

void RigidSolid::shift(const Vec3& displacement, double time) {
  if (!motion_.movable) return;
  if (time != shift_time_) earlier_shift_ = shift_, shift_time_ = time;
  shift_ += displacement;
}

}  // namespace selkie::coupling
