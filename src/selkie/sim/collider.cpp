// See collider.h.
#include "selkie/sim/collider.h"

namespace selkie::sim {
namespace {

class ShapeCollider final : public ports::FieldSampler {
 public:
  explicit ShapeCollider(const ColliderDescription& d) : shape_(d.shape) {
    if (d.motion) motion_ = Motion(*d.motion);
    friction = d.friction;
    restitution = d.restitution;
  }

  ports::FieldSample sample(const Vec3& point, double time) const override {
    if (!motion_.moves()) return at_rest(geometry::signed_distance(shape_, point));
    const Eigen::Isometry3d world_from_rest = motion_.pose(time);
    const Vec3 rest_point = world_from_rest.inverse() * point;
    return in_motion(geometry::signed_distance(shape_, rest_point), world_from_rest, point, time);
  }

  std::size_t sample_sides(const Vec3& point, double time,
                           std::span<ports::FieldSample, kMostSides> sides) const override {
    const Eigen::Isometry3d world_from_rest =
        motion_.moves() ? motion_.pose(time) : Eigen::Isometry3d::Identity();
    const auto found = geometry::side_distances(shape_, world_from_rest.inverse() * point);
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

  geometry::AnalyticShape shape_;
  Motion motion_;
};

}  // namespace

std::shared_ptr<ports::FieldSampler> make_collider(const ColliderDescription& description) {
  return std::make_shared<ShapeCollider>(description);
}

}  // namespace selkie::sim
