// See collider.h.
#include "selkie/sim/collider.h"

#include "selkie/core/check.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/geometry/mesh_distance.h"
#include "selkie/io/read_mesh.h"

namespace selkie::sim {
namespace {

// A form that is asked in its rest position.
class ShapeForm {
 public:
  explicit ShapeForm(const geometry::AnalyticShape& shape) : shape_(shape) {}
  geometry::SurfaceDistance distance(const Vec3& point) const {
    return geometry::signed_distance(shape_, point);
  }
  geometry::SideDistances sides(const Vec3& point) const { return geometry::side_distances(shape_, point); }

 private:
  geometry::AnalyticShape shape_;
};

class MeshForm {
 public:
  explicit MeshForm(geometry::TriangleMesh mesh) : distance_(std::move(mesh)) {}
  geometry::SurfaceDistance distance(const Vec3& point) const { return distance_.at(point); }
  geometry::SideDistances sides(const Vec3& point) const {
    geometry::SideDistances one;
    one.sides[0] = distance_.at(point);
    one.count = 1;
    return one;
  }

 private:
  geometry::MeshDistance distance_;
};

template <class Form>
class MovedCollider final : public ports::FieldSampler {
 public:
  MovedCollider(const ColliderDescription& d, Form form) : form_(std::move(form)) {
    if (d.motion) motion_ = Motion(*d.motion);
    friction = d.friction;
    restitution = d.restitution;
  }

  ports::FieldSample sample(const Vec3& point, double time) const override {
    if (!motion_.moves()) return at_rest(form_.distance(point));
    const Eigen::Isometry3d world_from_rest = motion_.pose(time);
    const Vec3 rest_point = world_from_rest.inverse() * point;
    return in_motion(form_.distance(rest_point), world_from_rest, point, time);
  }

  std::size_t sample_sides(const Vec3& point, double time,
                           std::span<ports::FieldSample, kMostSides> sides) const override {
    const Eigen::Isometry3d world_from_rest =
        motion_.moves() ? motion_.pose(time) : Eigen::Isometry3d::Identity();
    const auto found = form_.sides(world_from_rest.inverse() * point);
    for (std::size_t k = 0; k < found.size(); ++k)
      sides[k] = motion_.moves() ? in_motion(found[k], world_from_rest, point, time) : at_rest(found[k]);
    return found.size();
  }

 private:
  static ports::FieldSample at_rest(const geometry::SurfaceDistance& d) {
    return {d.distance, d.normal, Vec3::Zero()};
  }
  ports::FieldSample in_motion(const geometry::SurfaceDistance& d, const Eigen::Isometry3d& world_from_rest,
                               const Vec3& point, double time) const {
    const Vec3 normal = world_from_rest.linear() * d.normal;
    Vec3 velocity = motion_.velocity(point - d.distance * normal, time);
    if (!(velocity.norm() <= ports::kJumpSpeed)) velocity.setZero();
    return {d.distance, normal, velocity};
  }
  bool still() const override { return !motion_.moves(); }

  Form form_;
  Motion motion_;
};

}  // namespace

std::vector<Problem> validate(const ColliderDescription& collider) {
  if (collider.shape.has_value() != collider.mesh.has_value()) return {};
  if (collider.shape) return {{"mesh", "and 'shape' exclude each other", "keep one of the two"}};
  return {{"", "has neither 'shape' nor 'mesh'", "for example shape = { ball = { radius = 0.5 } }"}};
}

geometry::TriangleMesh read_collider_mesh(const ColliderMesh& description) {
  geometry::TriangleMesh mesh = io::read_triangle_mesh(description.file);
  if (description.place) geometry::place(mesh, *description.place);
  geometry::require_valid(mesh, description.file, geometry::kWatertight);
  return mesh;
}

std::shared_ptr<ports::FieldSampler> make_collider(const ColliderDescription& description) {
  if (description.mesh)
    return std::make_shared<MovedCollider<MeshForm>>(description,
                                                     MeshForm(read_collider_mesh(*description.mesh)));
  SELKIE_CHECK(description.shape.has_value(), "a collider has a form");
  return std::make_shared<MovedCollider<ShapeForm>>(description, ShapeForm(*description.shape));
}

}  // namespace selkie::sim
