// See scenery.h.
#include "selkie/sim/scenery.h"

#include "selkie/geometry/generators.h"
#include "selkie/geometry/mesh.h"

namespace selkie::sim {
namespace {

// Half a side of the square that stands for a plane: beyond what a camera near the scene can see of it.
constexpr double kPlaneReach = 50;  // m

geometry::TriangleMesh plane_mesh(const geometry::Plane& plane) {
  const Vec3 normal = plane.normal.normalized();
  const Vec3 u = normal.unitOrthogonal();
  const double side = 2 * kPlaneReach;
  return geometry::sheet({.center = plane.point,
                          .size = {side, side},
                          .divisions = {1, 1},
                          .u = u,
                          .v = normal.cross(u),
                          .pattern = geometry::SheetPattern::regular});
}

// A cylinder whose caps are pulled out to half balls: rows of the ball's upper half at one end, lower at the
// other.
geometry::TriangleMesh capsule_mesh(const geometry::Capsule& capsule) {
  geometry::TriangleMesh mesh = geometry::ball_surface({Vec3::Zero(), capsule.radius, {48, 32}});
  const Vec3 axis = capsule.end - capsule.start;
  const Quat turn = Quat::FromTwoVectors(Vec3::UnitY(), axis);
  for (Vec3& x : mesh.positions) x = turn * x + (x.y() > 0 ? capsule.end : capsule.start);
  return mesh;
}

geometry::TriangleMesh mesh_of(const geometry::AnalyticShape& shape) {
  if (shape.plane) return plane_mesh(*shape.plane);
  if (shape.ball) return geometry::icosphere({shape.ball->center, shape.ball->radius, 24});
  if (shape.box) return geometry::box_surface({shape.box->min, shape.box->max, {1, 1, 1}});
  if (shape.cylinder)
    return geometry::cylinder_surface(
        {shape.cylinder->start, shape.cylinder->end, shape.cylinder->radius, 96, 1, 1});
  if (shape.capsule) return capsule_mesh(*shape.capsule);
  return geometry::torus_surface({shape.torus->center,
                                  shape.torus->axis,
                                  shape.torus->major_radius,
                                  shape.torus->minor_radius,
                                  {96, 48}});
}

}  // namespace

struct Scenery::Piece {
  std::string name;
  bool backdrop = false;
  Motion motion;
  geometry::TriangleMesh rest;
  std::vector<Vec3> positions;
};

Scenery::~Scenery() = default;
Scenery::Scenery(Scenery&&) noexcept = default;
Scenery& Scenery::operator=(Scenery&&) noexcept = default;

Scenery::Scenery(std::span<const ColliderDescription> colliders) {
  for (const ColliderDescription& collider : colliders) {
    auto piece = std::make_unique<Piece>();
    piece->name = collider.name.empty() ? "collider-" + std::to_string(pieces_.size()) : collider.name;
    piece->backdrop = collider.shape && collider.shape->plane.has_value();
    if (collider.motion) piece->motion = Motion(*collider.motion);
    piece->rest = collider.mesh ? read_collider_mesh(*collider.mesh) : mesh_of(*collider.shape);
    piece->positions = {piece->rest.positions.begin(), piece->rest.positions.end()};
    pieces_.push_back(std::move(piece));
  }
}

std::vector<ports::Drawable> Scenery::drawables(double time) {
  std::vector<ports::Drawable> all;
  for (const auto& piece : pieces_) {
    if (piece->motion.moves()) {
      const Eigen::Isometry3d pose = piece->motion.pose(time);
      for (std::size_t i = 0; i < piece->positions.size(); ++i)
        piece->positions[i] = pose * Vec3(piece->rest.positions[i]);
    }
    ports::Drawable drawable;
    drawable.name = piece->name;
    drawable.colour = Vec3(0.6, 0.6, 0.6);
    drawable.backdrop = piece->backdrop;
    drawable.shape = ports::TriangleSurface{piece->positions, piece->rest.triangles, {}};
    all.push_back(std::move(drawable));
  }
  return all;
}

}  // namespace selkie::sim
