// Convex shapes by their support functions: the distance of two of them (Gilbert, Johnson and Keerthi), how deep
// they overlap (expanding polytope), and the faces that look at each other. Round shapes are a core with a radius:
// the core of a ball is a point, that of a capsule a segment. [Gilbert88; Bergen01; Ericson04 §9.5]
#pragma once

#include <array>

#include "selkie/contact/shape.h"

namespace selkie::contact {

// A convex shape in its place.
struct Convex {
  Kind kind = Kind::ball;
  Vec3 size = Vec3::Ones();
  const Hull* hull = nullptr;
  double radius = 0;  // m, of the rounding around the core
  Pose pose;
  std::array<Vec3, 3> corners = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};  // triangle: in the world
};
Convex make_convex(const Shape& shape, const Pose& pose);
Convex make_triangle(const Vec3& a, const Vec3& b, const Vec3& c);

// The point of the core furthest along a direction of the world.
Vec3 support(const Convex& shape, const Vec3& direction);

// A polygon (3 and more points, counter-clockwise about `direction`), segment (2) or point of the core: the feature
// furthest along `direction`, and for polygons its outward normal.
inline constexpr int kMostFacePoints = 32;
struct Face {
  int count = 0;
  std::array<Vec3, kMostFacePoints> points;
  Vec3 normal = Vec3::Zero();
};
void supporting_face(const Convex& shape, const Vec3& direction, Face& face);

// How two convex shapes lie, radii included: nearest points where they are apart, else the shortest way out.
struct Gap {
  double distance = 0;             // m; negative: overlap
  Vec3 normal = Vec3::UnitY();     // unit, from b to a
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
};
// Beyond `limit` the distance is only known to be larger, and returned as such.
Gap gap(const Convex& a, const Convex& b, double limit);

}  // namespace selkie::contact
