// When moving shapes meet: conservative advancement. A distance can always be closed safely at the greatest speed at
// which points of the shapes can approach. [Mirtich96; Ericson04 §5.5]
#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/contact/manifold.h"
#include "selkie/math/rotation.h"

namespace selkie::contact {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Approach {
  double distance;
  Vec3 normal;  // from b to a
};

// `measure(pose_a, pose_b)` tells how far apart the shapes are.
template <class Measure>
std::optional<double> advance(const Sweep& a, double radius_a, const Sweep& b, double radius_b, double target,
                              Measure&& measure) {
  const Vec3 closing = b.displacement - a.displacement;
  const double turning = a.turn.norm() * radius_a + b.turn.norm() * radius_b;
  double share = 0;
  for (int n = 0; n < 64; ++n) {
    const Approach now = measure(a.at(share), b.at(share));
    const double left = now.distance - target;
    if (left <= 1e-3 * target) return share;
    // While the shapes stay apart along this normal, only motion along it and turning close the gap.
    const double speed = closing.dot(now.normal) + turning;
    if (speed <= 0) return std::nullopt;
    share += left / speed;
    if (share > 1) return std::nullopt;
  }
  return share;  // a graze that converges slowly counts as a meeting
}

Sweep child_sweep(const Sweep& way, const Child& child) {
  Sweep moved = way;
  moved.start = {way.start * Vec3(child.pose.translation()), way.start.axes * child.pose.linear()};
  // The chord of a part off the middle; between its ends the part is off by the square of the turn.
  const Vec3 arm = moved.start.position - way.start.position;
  moved.displacement += rotation_from_vector(way.turn) * arm - arm;
  return moved;
}

std::optional<double> earlier(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// Convex a moving, mesh b: the earliest of all triangles within the box of the whole way.
std::optional<double> against_mesh(const Shape& a, const Sweep& way_a, const Form& mesh, const Sweep& way_b,
                                   double target) {
  const double radius = bounding_radius(a) + target + way_b.displacement.norm() + way_b.turn.norm() * mesh.half_size.norm();
  geometry::BoundingBox region;
  for (const double share : {0.0, 1.0}) {
    const Vec3 at = way_b.start.local(way_a.at(share).position);
    region.extend(at - Vec3::Constant(radius));
    region.extend(at + Vec3::Constant(radius));
  }
  std::optional<double> first;
  mesh.tree.descend(
      [&](const geometry::BoundingBox& box) { return box.intersects(region); },
      [&](std::uint32_t index) {
        const geometry::Triangle& t = mesh.mesh.triangles[index];
        first = earlier(first, advance(way_a, bounding_radius(a), way_b, mesh.half_size.norm(), target,
                                       [&](const Pose& pa, const Pose& pb) {
                                         Convex triangle =
                                             make_triangle(pb * mesh.mesh.positions[t[0]], pb * mesh.mesh.positions[t[1]],
                                                           pb * mesh.mesh.positions[t[2]]);
                                         triangle.size = Vec3::Constant(a.size.minCoeff());
                                         const Gap g = gap(make_convex(a, pa), triangle, kInfinity);
                                         return Approach{g.distance, g.normal};
                                       }));
      });
  return first;
}

Shape hull_of(const Shape& solid) {
  Shape hull = solid;
  hull.kind = Kind::hull;
  return hull;
}

// Points of a on their ways through the distance field of b, from `first` on: when the first of them is as near as
// `target`. The field is not convex, so a distance is safe at the full speed of the point only.
std::optional<double> points_meet(std::span<const Vec3> points, const Sweep& way_a, const Shape& b, const Sweep& way_b,
                                  double target, double first) {
  constexpr int kMostSteps = 64;  // a graze that converges slowly counts as a meeting
  // A distance to a moving set changes no faster than the fastest of its points.
  const double of_field = (way_a.displacement - way_b.displacement).norm() + way_b.turn.norm() * bounding_radius(b);
  std::optional<double> earliest;
  for (const Vec3& local : points) {
    const double speed = of_field + way_a.turn.norm() * local.norm();
    double share = first;
    for (int n = 0;; ++n) {
      if (share > earliest.value_or(1)) break;
      const double left = distance(b, way_b.at(share).local(way_a.at(share) * local)).distance - target;
      if (left <= 1e-3 * target || n == kMostSteps) {
        earliest = share;
        break;
      }
      if (!(speed > 0)) break;
      share += left / speed;
    }
  }
  return earliest;
}

// A closed mesh that moves against a convex shape or another such mesh, as contacts find them: points of each in the
// distance field of the other. No point gets there before the hulls meet.
std::optional<double> solids_meet(const Shape& a, const Sweep& way_a, const Shape& b, const Sweep& way_b, double target) {
  auto as_hull = [](const Shape& s) { return s.kind == Kind::solid_mesh ? hull_of(s) : s; };
  const auto first = time_of_impact(as_hull(a), way_a, as_hull(b), way_b, target);
  if (!first) return std::nullopt;
  return earlier(points_meet(surface_points(a), way_a, b, way_b, target, *first),
                 points_meet(surface_points(b), way_b, a, way_a, target, *first));
}

}  // namespace

Pose Sweep::at(double share) const {
  Pose pose = start;
  pose.position += share * displacement;
  if (!turn.isZero(0)) pose.axes = rotation_from_vector(share * turn) * start.axes;
  return pose;
}

std::optional<double> time_of_impact(const Shape& a, const Sweep& way_a, const Shape& b, const Sweep& way_b,
                                     double target) {
  std::optional<double> first;
  if (a.kind == Kind::compound) {
    for (const Child& child : a.form->children)
      first = earlier(first, time_of_impact(child.shape, child_sweep(way_a, child), b, way_b, target));
    return first;
  }
  if (b.kind == Kind::compound || (!is_convex(a.kind) && is_convex(b.kind)))
    return time_of_impact(b, way_b, a, way_a, target);
  // Open meshes and planes feel the hull of a closed mesh.
  if (a.kind == Kind::solid_mesh && (b.kind == Kind::mesh || b.kind == Kind::plane))
    return time_of_impact(hull_of(a), way_a, b, way_b, target);
  if (b.kind == Kind::solid_mesh && (a.kind == Kind::mesh || a.kind == Kind::plane))
    return time_of_impact(b, way_b, a, way_a, target);
  if (b.kind == Kind::solid_mesh) return solids_meet(a, way_a, b, way_b, target);
  if (b.kind == Kind::mesh && is_convex(a.kind)) return against_mesh(a, way_a, *b.form, way_b, target);
  if (b.kind == Kind::plane && is_convex(a.kind))
    return advance(way_a, bounding_radius(a), way_b, 0, target, [&](const Pose& pa, const Pose& pb) {
      const Convex c = make_convex(a, pa);
      const Vec3 n = pb.axes.col(1);
      return Approach{(support(c, -n) - pb.position).dot(n) - c.radius, n};
    });
  if (!is_convex(a.kind) || !is_convex(b.kind)) return 0;  // neither moves: two meshes, or a mesh and a plane
  return advance(way_a, bounding_radius(a), way_b, bounding_radius(b), target, [&](const Pose& pa, const Pose& pb) {
    const Gap g = gap(make_convex(a, pa), make_convex(b, pb), kInfinity);
    return Approach{g.distance, g.normal};
  });
}

}  // namespace selkie::contact
