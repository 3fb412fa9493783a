// Rigid bodies as a liquid wets them: one surface made of all of theirs, one distance, and six unknowns a body,
// velocity and angular velocity. What acts on vertices of the surface acts on the body as force and torque about
// its centre. (LE-39)
#pragma once

#include <vector>

#include "selkie/contact/shape.h"
#include "selkie/ports/wet_body.h"

namespace selkie::coupling {

struct WetRigidBody {
  contact::Shape shape;
  const geometry::TriangleMesh* surface = nullptr;  // in the body's frame, closed, outwards
  contact::Pose pose;
  Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();  // m/s, rad/s
  double inverse_mass = 0;                            // 1/kg; 0: nothing moves it
  Mat3 inverse_inertia = Mat3::Zero();                // in the world's frame
};

class WetRigid final : public ports::FieldSampler {
 public:
  void place(std::vector<WetRigidBody> bodies);
  const std::vector<WetRigidBody>& bodies() const { return bodies_; }
  int unknowns() const { return 6 * static_cast<int>(bodies_.size()); }

  ports::FieldSample sample(const Vec3& point, double time) const override;
  grid::SurfaceElements surface() const { return {.positions = positions_, .triangles = triangles_}; }
  const ports::SparseRows& reduction() const { return reduction_; }
  // Change of the unknowns by forces on them over dt.
  void answer(double dt, std::span<const double> forces, std::span<double> changes) const;

 private:
  std::vector<WetRigidBody> bodies_;
  std::vector<double> radii_;  // m, around the centres
  std::vector<Vec3> positions_;
  std::vector<geometry::Triangle> triangles_;
  ports::SparseRows reduction_;
};

}  // namespace selkie::coupling
