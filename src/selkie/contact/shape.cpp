// Forms and what can be asked of a single shape: surface, bounds, distance, rays. See shape.h.
#include "selkie/contact/shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "selkie/contact/convex.h"
#include "selkie/geometry/generators.h"

namespace selkie::contact {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Vec3 half_size_of(std::span<const Vec3> points) {
  Vec3 half = Vec3::Constant(1e-12);
  for (const Vec3& p : points) half = half.cwiseMax(p.cwiseAbs());
  return half;
}

Pose pose_of(const Eigen::Isometry3d& pose) { return {pose.translation(), pose.linear()}; }

// An edge stands out where the surface bends away by more than a degree; a rim always does.
std::vector<std::uint8_t> sharp_edges(const geometry::TriangleMesh& mesh) {
  std::vector<std::uint8_t> sharp(mesh.triangles.size(), 7);
  auto normal = [&](std::uint32_t t) {
    const geometry::Triangle& c = mesh.triangles[t];
    return Vec3((mesh.positions[c[1]] - mesh.positions[c[0]]).cross(mesh.positions[c[2]] - mesh.positions[c[0]]).normalized());
  };
  for (const geometry::EdgePair& pair : geometry::edge_pairs(mesh.triangles)) {
    const Vec3 across = mesh.positions[pair.opposite[1]] - mesh.positions[pair.edge[0]];
    if (normal(pair.triangles[0]).dot(across) < -0.02 * across.norm()) continue;
    for (const std::uint32_t t : pair.triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t u = mesh.triangles[t][k], v = mesh.triangles[t][(k + 1) % 3];
        if (std::min(u, v) == pair.edge[0] && std::max(u, v) == pair.edge[1])
          sharp[t] = static_cast<std::uint8_t>(sharp[t] & ~(1u << k));
      }
  }
  return sharp;
}

geometry::SurfaceDistance hull_distance(const Shape& shape, const Vec3& point) {
  const Hull& hull = shape.form->hull;
  geometry::SurfaceDistance inside{-kInfinity, Vec3::UnitY()};
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const double d = hull.normals[f].dot(point - hull.points[hull.face(f)[0]]);
    if (d > inside.distance) inside = {d, hull.normals[f]};
  }
  if (inside.distance <= 0) return inside;
  Convex dot;
  dot.kind = Kind::ball;
  dot.size.setZero();
  dot.pose.position = point;
  Shape as_hull = shape;
  as_hull.kind = Kind::hull;
  const Gap g = gap(dot, make_convex(as_hull, {}), kInfinity);
  return g.distance > 0 ? geometry::SurfaceDistance{g.distance, g.normal} : inside;
}

geometry::SurfaceDistance mesh_distance(const Form& form, const Vec3& point) {
  const auto found = form.triangles.nearest(form.mesh.positions, point);
  if (!found) return {kInfinity, Vec3::UnitY()};
  const Vec3 away = point - found->point;
  const double distance = away.norm();
  if (distance > 0) return {distance, away / distance};
  const geometry::Triangle& t = form.mesh.triangles[found->triangle];
  const auto& p = form.mesh.positions;
  return {0, (p[t[1]] - p[t[0]]).cross(p[t[2]] - p[t[0]]).normalized()};
}

// Along the ray by what is known to be free; exact for flat faces after few steps, and a graze counts as a miss.
std::optional<RayHit> march(const Shape& shape, const Vec3& origin, const Vec3& direction) {
  const double reach = origin.norm() + 2 * bounding_radius(shape), tolerance = 1e-12 * (reach + 1);
  const bool inside = distance(shape, origin).distance < 0;
  double s = 0;
  for (int n = 0; n < 500 && s <= reach; ++n) {
    const auto d = distance(shape, origin + s * direction);
    const double left = inside ? -d.distance : d.distance;
    if (left <= tolerance) return RayHit{s, d.normal};
    s += left;
  }
  return std::nullopt;
}

std::optional<RayHit> hit_ball(const Vec3& o, const Vec3& d, double radius) {
  const double b = o.dot(d), c = o.squaredNorm() - radius * radius;
  // The foot of the perpendicular on the ray gives the discriminant without cancellation.
  const double discriminant = radius * radius - (o - b * d).squaredNorm();
  if (discriminant < 0) return std::nullopt;
  const double root = std::sqrt(discriminant);
  const double first = c > 0 ? -b - root : -b + root;
  if (first < 0) return std::nullopt;
  return RayHit{first, (o + first * d) / radius};
}

// The slabs of the three axes: the last entry and the first exit.
std::optional<RayHit> hit_box(const Vec3& o, const Vec3& d, const Vec3& half) {
  double entry = -kInfinity, exit = kInfinity;
  Vec3 in = Vec3::Zero(), out = Vec3::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    if (d[axis] == 0) {
      if (std::abs(o[axis]) > half[axis]) return std::nullopt;
      continue;
    }
    const double side = d[axis] > 0 ? 1 : -1;
    const double near = (-side * half[axis] - o[axis]) / d[axis], far = (side * half[axis] - o[axis]) / d[axis];
    if (near > entry) entry = near, in = -side * Vec3::Unit(axis);
    if (far < exit) exit = far, out = side * Vec3::Unit(axis);
  }
  if (entry > exit || exit < 0) return std::nullopt;
  return entry >= 0 ? RayHit{entry, in} : RayHit{exit, out};
}

std::optional<RayHit> hit_mesh(const Form& form, const Vec3& origin, const Vec3& direction) {
  const double reach = origin.norm() + 2 * form.half_size.norm();
  const auto found = form.triangles.first_hit(form.mesh.positions, origin, direction, reach, geometry::Facing::any);
  if (!found) return std::nullopt;
  const geometry::Triangle& t = form.mesh.triangles[found->triangle];
  const auto& p = form.mesh.positions;
  Vec3 n = (p[t[1]] - p[t[0]]).cross(p[t[2]] - p[t[0]]).normalized();
  if (form.two_sided && n.dot(direction) > 0) n = -n;
  return RayHit{found->distance, n};
}

}  // namespace

std::shared_ptr<Form> hull_form(Hull hull) {
  auto form = std::make_shared<Form>();
  form->kind = Kind::hull;
  form->hull = std::move(hull);
  form->mesh = surface_of(form->hull);
  form->half_size = half_size_of(form->hull.points);
  return form;
}

std::shared_ptr<Form> compound_form(std::vector<Child> children, std::vector<std::shared_ptr<const Form>> owned) {
  auto form = std::make_shared<Form>();
  form->kind = Kind::compound;
  form->children = std::move(children);
  form->owned = std::move(owned);
  for (const Child& child : form->children) {
    const geometry::TriangleMesh part = surface_of(child.shape);
    const auto first = static_cast<std::uint32_t>(form->mesh.positions.size());
    for (const Vec3& p : part.positions) form->mesh.positions.push_back(child.pose * p);
    for (const geometry::Triangle& t : part.triangles)
      form->mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
  form->half_size = half_size_of(form->mesh.positions);
  return form;
}

std::shared_ptr<Form> mesh_form(geometry::TriangleMesh mesh, bool two_sided) {
  auto form = std::make_shared<Form>();
  form->kind = Kind::mesh;
  form->mesh = std::move(mesh);
  form->two_sided = two_sided;
  form->half_size = half_size_of(form->mesh.positions);
  form->sharp_edges = sharp_edges(form->mesh);
  form->triangles = geometry::TriangleTree(form->mesh.positions, form->mesh.triangles);
  std::vector<geometry::BoundingBox> boxes;
  for (const geometry::Triangle& t : form->mesh.triangles) {
    geometry::BoundingBox box;
    for (const std::uint32_t corner : t) box.extend(form->mesh.positions[corner]);
    boxes.push_back(box);
  }
  form->tree = geometry::BoxTree(boxes);
  return form;
}

std::shared_ptr<Form> solid_mesh_form(geometry::TriangleMesh mesh) {
  auto form = std::make_shared<Form>();
  form->kind = Kind::solid_mesh;
  form->half_size = half_size_of(mesh.positions);
  if (auto hull = make_hull(mesh.positions)) form->hull = std::move(*hull);
  form->samples = mesh.positions;
  // Middles of large triangles: a vertex every fifth of the size is close enough.
  for (const geometry::Triangle& t : mesh.triangles) {
    const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
    if (std::max({(a - b).norm(), (b - c).norm(), (c - a).norm()}) > 0.2 * form->half_size.minCoeff())
      form->samples.push_back((a + b + c) / 3);
  }
  form->triangles = geometry::TriangleTree(mesh.positions, mesh.triangles);
  form->mesh = mesh;
  form->distance = std::make_shared<geometry::MeshDistance>(std::move(mesh));
  return form;
}

geometry::TriangleMesh surface_of(const Shape& shape) {
  switch (shape.kind) {
    case Kind::ball: return geometry::icosphere({Vec3::Zero(), shape.size.x(), 6});
    case Kind::box: return geometry::box_surface({-shape.size, shape.size, {1, 1, 1}});
    case Kind::cylinder:
      return geometry::cylinder_surface(
          {Vec3(0, -shape.size.y(), 0), Vec3(0, shape.size.y(), 0), shape.size.x(), 32, 1, 1});
    case Kind::capsule: {
      std::vector<Vec3> points;
      for (Vec3 p : geometry::ball_surface({Vec3::Zero(), shape.size.x(), {24, 12}}).positions) {
        for (const double side : {-1.0, 1.0})
          if (side * p.y() >= -1e-12) points.push_back(p + Vec3(0, side * (shape.size.y() - shape.size.x()), 0));
      }
      return surface_of(make_hull(points).value());
    }
    case Kind::plane: {
      constexpr double kFar = 100;  // m
      geometry::SheetShape sheet;
      sheet.size = {2 * kFar, 2 * kFar};
      sheet.divisions = {1, 1};
      return geometry::sheet(sheet);
    }
    default: return shape.form->mesh;
  }
}

double bounding_radius(const Shape& shape) {
  switch (shape.kind) {
    case Kind::ball: return shape.size.x();
    case Kind::capsule: return shape.size.y();
    case Kind::cylinder: return std::hypot(shape.size.x(), shape.size.y());
    case Kind::plane: return kInfinity;
    default: return shape.size.norm();
  }
}

geometry::SurfaceDistance distance(const Shape& shape, const Vec3& point) {
  const Vec3& s = shape.size;
  switch (shape.kind) {
    case Kind::ball: return geometry::signed_distance(geometry::Ball{Vec3::Zero(), s.x()}, point);
    case Kind::box: return geometry::signed_distance(geometry::Box{-s, s}, point);
    case Kind::capsule: {
      const Vec3 end(0, s.y() - s.x(), 0);
      return geometry::signed_distance(geometry::Capsule{-end, end, s.x()}, point);
    }
    case Kind::cylinder:
      return geometry::signed_distance(geometry::Cylinder{Vec3(0, -s.y(), 0), Vec3(0, s.y(), 0), s.x()}, point);
    case Kind::compound: {
      geometry::SurfaceDistance best{kInfinity, Vec3::UnitY()};
      for (const Child& child : shape.form->children) {
        const auto d = distance(child.shape, child.pose.inverse() * point);
        if (d.distance < best.distance) best = {d.distance, child.pose.linear() * d.normal};
      }
      return best;
    }
    case Kind::mesh: return mesh_distance(*shape.form, point);
    case Kind::solid_mesh: return shape.form->distance->at(point);
    case Kind::plane: return {point.y(), Vec3::UnitY()};
    default: return hull_distance(shape, point);
  }
}

Bounds bounds(const Shape& shape, const Pose& pose) {
  Vec3 reach;
  switch (shape.kind) {
    case Kind::ball: reach = shape.size; break;
    case Kind::capsule:
      reach = (pose.axes.col(1) * (shape.size.y() - shape.size.x())).cwiseAbs() + Vec3::Constant(shape.size.x());
      break;
    case Kind::plane: reach = Vec3::Constant(kInfinity); break;
    default: reach = pose.axes.cwiseAbs() * shape.size;
  }
  return {pose.position - reach, pose.position + reach};
}

std::optional<RayHit> ray_cast(const Shape& shape, const Vec3& origin, const Vec3& direction) {
  switch (shape.kind) {
    case Kind::ball: return hit_ball(origin, direction, shape.size.x());
    case Kind::box: return hit_box(origin, direction, shape.size);
    case Kind::mesh:
    case Kind::solid_mesh: return hit_mesh(*shape.form, origin, direction);
    case Kind::compound: {
      std::optional<RayHit> first;
      for (const Child& child : shape.form->children) {
        const Pose pose = pose_of(child.pose);
        const auto hit = ray_cast(child.shape, pose.local(origin), pose.axes.transpose() * direction);
        if (hit && (!first || hit->distance < first->distance)) first = RayHit{hit->distance, pose.axes * hit->normal};
      }
      return first;
    }
    case Kind::plane: {
      if (!(origin.y() * direction.y() < 0)) return std::nullopt;
      return RayHit{-origin.y() / direction.y(), Vec3::UnitY()};
    }
    default: return march(shape, origin, direction);
  }
}

}  // namespace selkie::contact
