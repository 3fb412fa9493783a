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
    if (!motion_.moves()) {
      const geometry::SurfaceDistance d = geometry::signed_distance(shape_, point);
      return {d.distance, d.normal, Vec3::Zero()};
    }
    const Eigen::Isometry3d world_from_rest = motion_.pose(time);
    const geometry::SurfaceDistance d = geometry::signed_distance(shape_, world_from_rest.inverse() * point);
    const Vec3 normal = world_from_rest.linear() * d.normal;
    Vec3 velocity = motion_.velocity(point - d.distance * normal, time);
    if (!(velocity.norm() <= ports::kJumpSpeed)) velocity.setZero();
    return {d.distance, normal, velocity};
  }
  bool still() const override { return !motion_.moves(); }

 private:
  geometry::AnalyticShape shape_;
  Motion motion_;
};

}  // namespace

std::shared_ptr<ports::FieldSampler> make_collider(const ColliderDescription& description) {
  return std::make_shared<ShapeCollider>(description);
}

}  // namespace selkie::sim
