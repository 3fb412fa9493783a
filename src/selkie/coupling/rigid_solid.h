// A rigid body on its way through one sync step, as other solvers meet it: they see a distance field
// that moves, test the paths of their points against it, and push it. What it receives is what they give
// away, to the bit. Between two pushes it goes on as its own solver predicted; after a push from time t on,
// the change of velocity is added. [docs/methods/interaction.md]
#pragma once

#include "selkie/contact/shape.h"
#include "selkie/ports/surface.h"

namespace selkie::coupling {

struct RigidMotion {
  contact::Shape shape;                  // its form outlives the solid
  bool movable = true;                   // false: it takes no notice of pushes
  double mass = 1;                       // kg; of one that is not movable: much
  Vec3 inertia = Vec3::Ones();           // kg·m², principal
  Eigen::Isometry3d start = Eigen::Isometry3d::Identity(), end = Eigen::Isometry3d::Identity();
  Vec3 velocity = Vec3::Zero(), angular_velocity = Vec3::Zero();  // at the end
  double t0 = 0, t1 = 0;                                          // s
};

class RigidSolid final : public ports::MovableSolid {
 public:
  RigidSolid(const RigidMotion& motion, double friction);

  ports::FieldSample sample(const Vec3& point, double time) const override;
  ports::BoundingBall bounds(double t0, double t1) const override;
  ports::SweptSample sweep(const Vec3& x0, double t0, const Vec3& x1, double t1,
                           double thickness) const override;
  double inverse_mass(const Vec3& point, const Vec3& direction, double time) const override;
  void push(const Vec3& point, const Vec3& impulse, double time) override;
  void shift(const Vec3& displacement, double time) override;
  ports::BoundingBall way() const override { return bounds(motion_.t0, motion_.t1); }
  double size() const override;
  Vec3 velocity() const override { return motion_.velocity + change_; }

  Eigen::Isometry3d pose(double time) const;
  Vec3 angular_velocity() const { return motion_.angular_velocity + spin_change_; }
  double end_time() const { return motion_.t1; }
  Vec3 received() const { return motion_.mass * change_; }  // N·s in all
  bool was_pushed() const { return !shift_.isZero(0) || !change_.isZero(0) || !spin_change_.isZero(0); }

 private:
  Mat3 inverse_inertia(const Mat3& axes) const;

  RigidMotion motion_;
  // Σ Δv and Σ Δv·(time of the push since t0): displacement at τ is change_·τ − delay_.
  Vec3 change_ = Vec3::Zero(), delay_ = Vec3::Zero();
  Vec3 spin_change_ = Vec3::Zero(), spin_delay_ = Vec3::Zero();
  // All shifts, all but those of the latest time, and that time.
  Vec3 shift_ = Vec3::Zero(), earlier_shift_ = Vec3::Zero();
  double shift_time_ = 0;
};

}  // namespace selkie::coupling
