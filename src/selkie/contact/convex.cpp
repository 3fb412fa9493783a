// Support functions and supporting faces. See convex.h; distances are in gap.cpp.
#include "selkie/contact/convex.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace selkie::contact {

Convex make_convex(const Shape& shape, const Pose& pose) {
  Convex c;
  c.kind = shape.kind;
  c.size = shape.size;
  c.pose = pose;
  if (shape.kind == Kind::ball || shape.kind == Kind::capsule) c.radius = shape.size.x();
  if (shape.form) c.hull = &shape.form->hull;
  if (shape.kind == Kind::solid_mesh) c.kind = Kind::hull;
  return c;
}

Convex make_triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
  Convex t;
  t.kind = Kind::triangle;
  t.corners = {a, b, c};
  t.pose.position = (a + b + c) / 3;
  return t;
}

Vec3 support(const Convex& s, const Vec3& direction) {
  if (s.kind == Kind::triangle) {
    const double d0 = direction.dot(s.corners[0]), d1 = direction.dot(s.corners[1]),
                 d2 = direction.dot(s.corners[2]);
    return d0 >= d1 ? (d0 >= d2 ? s.corners[0] : s.corners[2]) : (d1 >= d2 ? s.corners[1] : s.corners[2]);
  }
  if (s.kind == Kind::ball) return s.pose.position;
  const Vec3 d = s.pose.axes.transpose() * direction;
  Vec3 p = Vec3::Zero();
  switch (s.kind) {
    case Kind::box:
      p = Vec3(std::copysign(s.size.x(), d.x()), std::copysign(s.size.y(), d.y()), std::copysign(s.size.z(), d.z()));
      break;
    case Kind::capsule: p.y() = std::copysign(s.size.y() - s.size.x(), d.y()); break;
    case Kind::cylinder: {
      const double radial = std::hypot(d.x(), d.z());
      if (radial > 0) p = Vec3(d.x() / radial * s.size.x(), 0, d.z() / radial * s.size.x());
      p.y() = std::copysign(s.size.y(), d.y());
      break;
    }
    default: {
      std::size_t best = 0;
      double most = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < s.hull->points.size(); ++i)
        if (const double along = s.hull->points[i].dot(d); along > most) most = along, best = i;
      p = s.hull->points[best];
    }
  }
  return s.pose * p;
}

namespace {

void box_face(const Vec3& half, const Vec3& d, Face& face) {
  int axis = 0;
  d.cwiseAbs().maxCoeff(&axis);
  const double side = d[axis] >= 0 ? 1 : -1;
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  face.count = 4;
  face.normal = side * Vec3::Unit(axis);
  constexpr int kU[4] = {-1, 1, 1, -1}, kV[4] = {-1, -1, 1, 1};
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t from = side > 0 ? k : 3 - k;
    Vec3& p = face.points[k];
    p[axis] = side * half[axis];
    p[u] = kU[from] * half[u];
    p[v] = kV[from] * half[v];
  }
}

void cylinder_face(const Vec3& size, const Vec3& d, Face& face) {
  constexpr int kAround = 16;
  const double radial = std::hypot(d.x(), d.z()), r = size.x(), h = size.y();
  if (std::abs(d.y()) > 0.7 || radial == 0) {
    const double side = d.y() >= 0 ? 1 : -1;
    face.count = kAround;
    face.normal = side * Vec3::UnitY();
    for (int k = 0; k < kAround; ++k) {
      const double angle = -side * 2 * std::numbers::pi * k / kAround;
      face.points[static_cast<std::size_t>(k)] = Vec3(r * std::cos(angle), side * h, r * std::sin(angle));
    }
    return;
  }
  face.count = 2;
  face.points[0] = Vec3(r * d.x() / radial, -h, r * d.z() / radial);
  face.points[1] = Vec3(face.points[0].x(), h, face.points[0].z());
}

void hull_face(const Hull& hull, const Vec3& d, Face& face) {
  std::size_t best = 0;
  double most = -2;
  for (std::size_t f = 0; f < hull.face_count(); ++f)
    if (const double along = hull.normals[f].dot(d); along > most) most = along, best = f;
  face.normal = hull.normals[best];
  const auto corners = hull.face(best);
  // A face with very many corners is thinned out evenly.
  const std::size_t count = std::min<std::size_t>(corners.size(), kMostFacePoints);
  face.count = static_cast<int>(count);
  for (std::size_t k = 0; k < count; ++k) face.points[k] = hull.points[corners[k * corners.size() / count]];
}

}  // namespace

void supporting_face(const Convex& s, const Vec3& direction, Face& face) {
  face.normal.setZero();
  if (s.kind == Kind::triangle) {
    const Vec3 n = (s.corners[1] - s.corners[0]).cross(s.corners[2] - s.corners[0]);
    const bool along = n.dot(direction) >= 0;
    face.count = 3;
    face.normal = (along ? n : Vec3(-n)).normalized();
    for (std::size_t k = 0; k < 3; ++k) face.points[k] = s.corners[along ? k : 2 - k];
    return;
  }
  const Vec3 d = (s.pose.axes.transpose() * direction).normalized();
  switch (s.kind) {
    case Kind::ball: face.count = 1, face.points[0].setZero(); break;
    case Kind::box: box_face(s.size, d, face); break;
    case Kind::capsule: {
      const double h = s.size.y() - s.size.x();
      face.count = std::abs(d.y()) < 0.3 ? 2 : 1;
      face.points[0] = Vec3(0, face.count == 2 ? -h : std::copysign(h, d.y()), 0);
      face.points[1] = Vec3(0, h, 0);
      break;
    }
    case Kind::cylinder: cylinder_face(s.size, d, face); break;
    default: hull_face(*s.hull, d, face);
  }
  for (int k = 0; k < face.count; ++k) {
    Vec3& p = face.points[static_cast<std::size_t>(k)];
    p = s.pose * p;
  }
  face.normal = s.pose.axes * face.normal;
}

}  // namespace selkie::contact
