// Signed distances. Round shapes reduce to two coordinates around their axis: r across it and y along it.
#include "selkie/geometry/shapes.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/check.h"

namespace selkie::geometry {
namespace {

Vec3 unit_or(const Vec3& vector, const Vec3& otherwise) {
  const double size = vector.norm();
  return size > 0 ? Vec3(vector / size) : otherwise;
}

// A point relative to an axis: point = origin + y axis + r outward.
struct AroundAxis {
  double r, y;
  Vec3 outward;
};
AroundAxis around_axis(const Vec3& origin, const Vec3& axis, const Vec3& point) {
  const Vec3 offset = point - origin;
  const double y = offset.dot(axis);
  const Vec3 across = offset - y * axis;
  return {across.norm(), y, unit_or(across, axis.unitOrthogonal())};
}

}  // namespace

std::vector<Problem> validate(const Plane& shape) {
  if (shape.normal.norm() > 0) return {};
  return {{"normal", "has no direction", "give a vector that is not zero"}};
}

std::vector<Problem> validate(const Box& shape) {
  if ((shape.min.array() <= shape.max.array()).all()) return {};
  return {{"min", "lies above max along some axis", "swap the coordinates so that min <= max"}};
}

std::vector<Problem> validate(const Cylinder& shape) {
  if ((shape.end - shape.start).norm() > 0) return {};
  return {{"end", "equals start, so the cylinder has no length", "move one of the ends"}};
}

std::vector<Problem> validate(const Torus& shape) {
  std::vector<Problem> problems;
  if (!(shape.axis.norm() > 0))
    problems.push_back({"axis", "has no direction", "give a vector that is not zero"});
  if (shape.minor_radius > shape.major_radius)
    problems.push_back({"minor_radius", "exceeds major_radius, so the ring cuts itself",
                        "make minor_radius smaller than major_radius"});
  return problems;
}

SurfaceDistance signed_distance(const Plane& shape, const Vec3& point) {
  const Vec3 normal = unit_or(shape.normal, Vec3::UnitY());
  return {(point - shape.point).dot(normal), normal};
}

SurfaceDistance signed_distance(const Ball& shape, const Vec3& point) {
  const Vec3 offset = point - shape.center;
  return {offset.norm() - shape.radius, unit_or(offset, Vec3::UnitY())};
}

SurfaceDistance signed_distance(const Box& shape, const Vec3& point) {
  const Vec3 offset = point - 0.5 * (shape.min + shape.max);
  const Vec3 beyond = offset.cwiseAbs() - 0.5 * (shape.max - shape.min);  // > 0 outside the slab
  auto sign = [](double value) { return value < 0 ? -1.0 : 1.0; };
  const Vec3 outside = beyond.cwiseMax(0.0);
  const double distance = outside.norm();
  if (distance > 0)
    return {distance, Vec3(sign(offset.x()) * outside.x(), sign(offset.y()) * outside.y(),
                           sign(offset.z()) * outside.z()) /
                          distance};
  int nearest = 0;  // inside: the face with the thinnest cover
  beyond.maxCoeff(&nearest);
  Vec3 normal = Vec3::Zero();
  normal[nearest] = sign(offset[nearest]);
  return {beyond[nearest], normal};
}

SurfaceDistance signed_distance(const Cylinder& shape, const Vec3& point) {
  const Vec3 along = shape.end - shape.start;
  const Vec3 axis = unit_or(along, Vec3::UnitY());
  const AroundAxis at = around_axis(0.5 * (shape.start + shape.end), axis, point);
  const Vec3 cap_normal = at.y < 0 ? Vec3(-axis) : axis;
  const double beyond_side = at.r - shape.radius;
  const double beyond_cap = std::abs(at.y) - 0.5 * along.norm();
  if (beyond_side > 0 && beyond_cap > 0) {
    const double distance = std::hypot(beyond_side, beyond_cap);
    return {distance, (beyond_side * at.outward + beyond_cap * cap_normal) / distance};
  }
  if (beyond_side > beyond_cap) return {beyond_side, at.outward};
  return {beyond_cap, cap_normal};
}

SurfaceDistance signed_distance(const Capsule& shape, const Vec3& point) {
  const Vec3 along = shape.end - shape.start;
  const double length_squared = along.squaredNorm();
  const double t =
      length_squared > 0 ? std::clamp((point - shape.start).dot(along) / length_squared, 0.0, 1.0) : 0.0;
  const Vec3 offset = point - (shape.start + t * along);
  return {offset.norm() - shape.radius, unit_or(offset, unit_or(along, Vec3::UnitY()).unitOrthogonal())};
}

SurfaceDistance signed_distance(const Torus& shape, const Vec3& point) {
  const Vec3 axis = unit_or(shape.axis, Vec3::UnitY());
  const AroundAxis at = around_axis(shape.center, axis, point);
  const double across = at.r - shape.major_radius;
  const double from_core = std::hypot(across, at.y);
  if (!(from_core > 0)) return {-shape.minor_radius, axis};
  return {from_core - shape.minor_radius, (across * at.outward + at.y * axis) / from_core};
}

SurfaceDistance signed_distance(const AnalyticShape& shape, const Vec3& point) {
  if (shape.plane) return signed_distance(*shape.plane, point);
  if (shape.ball) return signed_distance(*shape.ball, point);
  if (shape.box) return signed_distance(*shape.box, point);
  if (shape.cylinder) return signed_distance(*shape.cylinder, point);
  if (shape.capsule) return signed_distance(*shape.capsule, point);
  SELKIE_CHECK(shape.torus, "exactly one shape must be set");
  return signed_distance(*shape.torus, point);
}

SideDistances side_distances(const AnalyticShape& shape, const Vec3& point) {
  SideDistances found;
  auto add = [&](double distance, const Vec3& normal) { found.sides[found.count++] = {distance, normal}; };
  if (shape.box) {
    for (int c = 0; c < 3; ++c) {
      add(shape.box->min[c] - point[c], -Vec3::Unit(c));
      add(point[c] - shape.box->max[c], Vec3::Unit(c));
    }
  } else if (shape.cylinder) {
    const Cylinder& cylinder = *shape.cylinder;
    const Vec3 axis = unit_or(cylinder.end - cylinder.start, Vec3::UnitY());
    const AroundAxis at = around_axis(cylinder.start, axis, point);
    add(-at.y, -axis);
    add((point - cylinder.end).dot(axis), axis);
    add(at.r - cylinder.radius, at.outward);
  } else {
    found.sides[found.count++] = signed_distance(shape, point);
  }
  return found;
}

bool contains(const Box& shape, const Vec3& point) {
  return (point.array() >= shape.min.array()).all() && (point.array() <= shape.max.array()).all();
}

bool contains(const Region& region, const Vec3& point) {
  if (region.box) return contains(*region.box, point);
  if (region.ball) return signed_distance(*region.ball, point).distance <= 0;
  if (region.cylinder) return signed_distance(*region.cylinder, point).distance <= 0;
  SELKIE_CHECK(region.half_space, "exactly one kind of region must be set");
  return signed_distance(*region.half_space, point).distance <= 0;
}

}  // namespace selkie::geometry
