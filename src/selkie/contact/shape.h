// Shapes of solid bodies as contact sees them, in the frame of the body: balls, boxes, capsules, cylinders, convex
// hulls, compounds of those, static triangle meshes, closed meshes by signed distance, planes. Primitives are a
// kind and a size; everything else is a Form that bodies share. The axis of capsules and cylinders is y.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "selkie/geometry/box_tree.h"
#include "selkie/geometry/mesh.h"
#include "selkie/geometry/mesh_distance.h"
#include "selkie/geometry/shapes.h"
#include "selkie/geometry/triangle_tree.h"
#include "selkie/math/types.h"

namespace selkie::contact {

enum class Kind : std::uint8_t { ball, box, capsule, cylinder, hull, compound, mesh, solid_mesh, plane, triangle };
constexpr bool is_primitive(Kind kind) { return kind <= Kind::cylinder; }
constexpr bool is_convex(Kind kind) { return kind <= Kind::hull || kind == Kind::triangle; }

// A convex polytope: corners and flat faces (counter-clockwise from outside).
struct Hull {
  std::vector<Vec3> points;
  std::vector<std::uint32_t> face_points;    // all faces one after the other
  std::vector<std::uint32_t> face_offsets;   // faces + 1
  std::vector<Vec3> normals;                 // of the faces, unit, outward

  std::size_t face_count() const { return normals.size(); }
  std::span<const std::uint32_t> face(std::size_t f) const {
    return std::span(face_points).subspan(face_offsets[f], face_offsets[f + 1] - face_offsets[f]);
  }
};

// The convex hull of points; coplanar triangles are merged. Nothing where the points enclose no volume.
std::optional<Hull> make_hull(std::span<const Vec3> points);
geometry::TriangleMesh surface_of(const Hull& hull);

struct Form;

// `size` holds the half extents of the bounding box: the radius of a ball three times, (r, half length, r) of
// capsules (round ends included) and cylinders.
struct Shape {
  Kind kind = Kind::ball;
  Vec3 size = Vec3::Constant(0.5);  // m
  const Form* form = nullptr;       // hull, compound, meshes
};

struct Child {
  Shape shape;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  // in the compound
};

// What several bodies share. Exactly what `kind` needs is filled.
struct Form {
  Kind kind = Kind::hull;
  Hull hull;                                      // hull; of a solid mesh: its convex hull
  std::vector<Child> children = {};               // compound: convex
  std::vector<std::shared_ptr<const Form>> owned = {};  // forms of the children
  geometry::TriangleMesh mesh = {};               // mesh, solid_mesh; of hulls and compounds: to be drawn
  geometry::BoxTree tree = {};                    // mesh: over its triangles
  geometry::TriangleTree triangles = {};          // mesh, solid_mesh: nearest points and rays
  std::vector<std::uint8_t> sharp_edges = {};     // mesh: bit k: the edge after corner k stands out
  bool two_sided = false;                         // mesh: stops bodies on both sides
  std::shared_ptr<const geometry::MeshDistance> distance = {};  // solid_mesh
  std::vector<Vec3> samples = {};                 // solid_mesh: points of its surface
  Vec3 half_size = Vec3::Ones();                  // of the bounding box about the origin
};

std::shared_ptr<Form> hull_form(Hull hull);
std::shared_ptr<Form> compound_form(std::vector<Child> children, std::vector<std::shared_ptr<const Form>> owned);
std::shared_ptr<Form> mesh_form(geometry::TriangleMesh mesh, bool two_sided);
std::shared_ptr<Form> solid_mesh_form(geometry::TriangleMesh mesh);  // watertight

// A surface to draw, or to measure.
geometry::TriangleMesh surface_of(const Shape& shape);

double bounding_radius(const Shape& shape);

// Signed distance of a point in the frame of the shape, with the outward normal. Open meshes: unsigned.
geometry::SurfaceDistance distance(const Shape& shape, const Vec3& point);

struct Pose {
  Vec3 position = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  // columns: axes of the body in the world

  Vec3 operator*(const Vec3& p) const { return position + axes * p; }
  Vec3 local(const Vec3& p) const { return axes.transpose() * (p - position); }
};

struct Bounds {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  bool meets(const Bounds& o) const {
    return low.x() <= o.high.x() && o.low.x() <= high.x() && low.y() <= o.high.y() && o.low.y() <= high.y() &&
           low.z() <= o.high.z() && o.low.z() <= high.z();
  }
};
Bounds bounds(const Shape& shape, const Pose& pose);  // planes: everything

struct RayHit {
  double distance = 0;  // m along the unit direction
  Vec3 normal = Vec3::UnitY();
};
// Where a ray in the frame of the shape (unit direction) first meets it; from inside: where it leaves.
std::optional<RayHit> ray_cast(const Shape& shape, const Vec3& origin, const Vec3& direction);

}  // namespace selkie::contact
