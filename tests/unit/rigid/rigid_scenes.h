// Small set-ups for tests of rigid bodies.
#pragma once

#include "selkie/geometry/shapes.h"
#include "selkie/solids/rigid/step.h"

namespace selkie::test {

class ShapeField final : public ports::FieldSampler {
 public:
  explicit ShapeField(geometry::AnalyticShape shape, double friction_ = 0.5, double restitution_ = 0)
      : shape_(std::move(shape)) {
    friction = friction_, restitution = restitution_;
  }
  ports::FieldSample sample(const Vec3& point, double) const override {
    const geometry::SurfaceDistance d = geometry::signed_distance(shape_, point);
    return {d.distance, d.normal, Vec3::Zero()};
  }
  bool still() const override { return never_moves; }

  bool never_moves = false;  // then contacts of what sleeps on it are not looked for again

 private:
  geometry::AnalyticShape shape_;
};

inline ShapeField floor_field(double friction = 0.5, double restitution = 0) {
  return ShapeField({.plane = geometry::Plane{}}, friction, restitution);
}

// Bodies with a clock of their own; steps of equal length.
struct Arena {
  rigid::Model model = {};
  rigid::Params params = {.friction = 0.5, .restitution = 0};
  rigid::State state = {};
  rigid::Work work = {};
  std::vector<const ports::FieldSampler*> colliders = {};
  std::vector<rigid::Target> targets = {};
  Vec3 gravity{0, -9.81, 0};
  double dt = 1.0 / 60;
  int steps = 0;

  StepReport step() {
    const rigid::State from = state;
    const Interval interval{steps, steps + 1, dt};
    ++steps;
    return rigid::step(model, params, {gravity, colliders, targets}, interval, from, state, work);
  }
  bool run(double seconds) {
    for (int n = static_cast<int>(seconds / dt + 0.5); n > 0; --n)
      if (!step().ok) return false;
    return true;
  }
};

inline rigid::Body ball_at(const Vec3& position, double radius = 0.1, const Vec3& velocity = Vec3::Zero()) {
  return {.shape = rigid::Shape::ball,
          .half_size = Vec3::Constant(radius),
          .position = position,
          .velocity = velocity};
}
inline rigid::Body box_at(const Vec3& position, const Vec3& half, const Vec3& velocity = Vec3::Zero()) {
  return {.shape = rigid::Shape::box, .half_size = half, .position = position, .velocity = velocity};
}

}  // namespace selkie::test
