// Exact signed distances of simple solids, as pure functions of a point: negative inside, with the unit
// gradient as normal. On the medial axis, where the gradient jumps, the normal is one of the candidates and
// always of length one. Regions select vertices (pins) and space (fills).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/math/types.h"

namespace selkie::geometry {

struct SurfaceDistance {
  double distance;  // m, negative inside
  Vec3 normal;      // gradient of the distance
};

// Solid on the side opposite to the normal.
struct Plane {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitY();
};
constexpr auto describe(Plane*) {
  return Members{member("point", &Plane::point, "m", "any point of the plane"),
                 member("normal", &Plane::normal, "", "direction out of the solid side; of any length")};
}
static_assert(complete<Plane>());

struct Ball {
  Vec3 center = Vec3::Zero();
  double radius = 0.5;
};
constexpr auto describe(Ball*) {
  return Members{member("center", &Ball::center, "m", "middle"),
                 member("radius", &Ball::radius, "m", "radius").above(0)};
}
static_assert(complete<Ball>());

struct Box {
  Vec3 min = Vec3(-0.5, -0.5, -0.5);
  Vec3 max = Vec3(0.5, 0.5, 0.5);
};
constexpr auto describe(Box*) {
  return Members{member("min", &Box::min, "m", "lowest corner"),
                 member("max", &Box::max, "m", "highest corner")};
}
static_assert(complete<Box>());

struct Cylinder {
  Vec3 start = Vec3(0, -0.5, 0);
  Vec3 end = Vec3(0, 0.5, 0);
  double radius = 0.25;
};
constexpr auto describe(Cylinder*) {
  return Members{member("start", &Cylinder::start, "m", "middle of one flat end"),
                 member("end", &Cylinder::end, "m", "middle of the other flat end"),
                 member("radius", &Cylinder::radius, "m", "radius").above(0)};
}
static_assert(complete<Cylinder>());

struct Capsule {
  Vec3 start = Vec3(0, -0.25, 0);
  Vec3 end = Vec3(0, 0.25, 0);
  double radius = 0.25;
};
constexpr auto describe(Capsule*) {
  return Members{member("start", &Capsule::start, "m", "middle of one round end"),
                 member("end", &Capsule::end, "m", "middle of the other round end"),
                 member("radius", &Capsule::radius, "m", "radius").above(0)};
}
static_assert(complete<Capsule>());

struct Torus {
  Vec3 center = Vec3::Zero();
  Vec3 axis = Vec3::UnitY();
  double major_radius = 0.4;
  double minor_radius = 0.15;
};
constexpr auto describe(Torus*) {
  return Members{
      member("center", &Torus::center, "m", "middle"),
      member("axis", &Torus::axis, "", "direction through the hole"),
      member("major_radius", &Torus::major_radius, "m", "from the middle to the middle of the tube").above(0),
      member("minor_radius", &Torus::minor_radius, "m", "of the tube").above(0)};
}
static_assert(complete<Torus>());

std::vector<Problem> validate(const Plane& shape);
std::vector<Problem> validate(const Box& shape);
std::vector<Problem> validate(const Cylinder& shape);
std::vector<Problem> validate(const Torus& shape);

SurfaceDistance signed_distance(const Plane& shape, const Vec3& point);
SurfaceDistance signed_distance(const Ball& shape, const Vec3& point);
SurfaceDistance signed_distance(const Box& shape, const Vec3& point);
SurfaceDistance signed_distance(const Cylinder& shape, const Vec3& point);
SurfaceDistance signed_distance(const Capsule& shape, const Vec3& point);
SurfaceDistance signed_distance(const Torus& shape, const Vec3& point);

// One solid of those above, for obstacles. Exactly one member is set.
struct AnalyticShape {
  std::optional<Plane> plane = {};
  std::optional<Ball> ball = {};
  std::optional<Box> box = {};
  std::optional<Cylinder> cylinder = {};
  std::optional<Capsule> capsule = {};
  std::optional<Torus> torus = {};
};
constexpr auto describe(AnalyticShape*) {
  using S = AnalyticShape;
  return Members{member("plane", &S::plane, "", "everything behind a plane"),
                 member("ball", &S::ball, "", "a ball"),
                 member("box", &S::box, "", "a box along the axes"),
                 member("cylinder", &S::cylinder, "", "a cylinder with flat ends"),
                 member("capsule", &S::capsule, "", "a cylinder with round ends"),
                 member("torus", &S::torus, "", "a ring")};
}
static_assert(complete<AnalyticShape>());
constexpr bool describes_one_of(AnalyticShape*) { return true; }
SurfaceDistance signed_distance(const AnalyticShape& shape, const Vec3& point);
// Distances to the planes and mantles a shape is the intersection of: six for a box, three for a cylinder,
// one for the others. The largest is that of the shape to a point inside it.
struct SideDistances {
  std::array<SurfaceDistance, 6> sides;
  std::size_t count = 0;

  std::size_t size() const { return count; }
  const SurfaceDistance* begin() const { return sides.data(); }
  const SurfaceDistance* end() const { return sides.data() + count; }
  const SurfaceDistance& operator[](std::size_t k) const { return sides[k]; }
};
SideDistances side_distances(const AnalyticShape& shape, const Vec3& point);

// The part of space that a pin or a fill applies to; its surface belongs to it. Exactly one member is set.
struct Region {
  std::optional<Box> box = {};
  std::optional<Ball> ball = {};
  std::optional<Cylinder> cylinder = {};
  std::optional<Plane> half_space = {};
};
constexpr auto describe(Region*) {
  using R = Region;
  return Members{member("box", &R::box, "", "inside a box along the axes"),
                 member("ball", &R::ball, "", "inside a ball"),
                 member("cylinder", &R::cylinder, "", "inside a cylinder"),
                 member("half_space", &R::half_space, "", "behind a plane")};
}
static_assert(complete<Region>());
constexpr bool describes_one_of(Region*) { return true; }

bool contains(const Box& shape, const Vec3& point);  // exact comparisons; a flat box (min = max) is allowed
bool contains(const Region& region, const Vec3& point);

}  // namespace selkie::geometry
