// Rigid bodies as a liquid wets them: one surface made of all of theirs, one distance, and six unknowns a
// body, velocity and angular velocity. What acts on vertices of the surface acts on the body as force and
// torque about its centre. (LE-39)
//
// In a flat liquid a body is its section with the liquid's plane, as deep as the body has volume over the
// section's area; forces and fluxes count per metre of depth, as the liquid's do, and turn the body about z
// alone.
#pragma once

#include <optional>
#include <vector>

#include "selkie/contact/shape.h"
#include "selkie/coupling/held_rigid.h"
#include "selkie/coupling/wet_field.h"

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
  // `plane`: z of a flat liquid; absent: the liquid has a depth.
  void place(std::vector<WetRigidBody> bodies, std::optional<double> plane = std::nullopt);
  // Velocity and spin of each body, where it is: what a joint solve has made of them. Bodies that nothing moves keep theirs.
  void set_velocities(std::span<const double> unknowns);
  const std::vector<WetRigidBody>& bodies() const { return bodies_; }
  int unknowns() const { return 6 * static_cast<int>(bodies_.size()); }

  ports::FieldSample sample(const Vec3& point, double time) const override;
  grid::SurfaceElements surface() const {
    return {.positions = positions_, .triangles = triangles_, .segments = segments_};
  }
  const ports::SparseRows& reduction() const { return reduction_; }
  // Directions in which joints hold the bodies that were placed, while answer() is asked; place() forgets
  // them.
  void hold(std::span<const RigidHold> holds);
  // m, by which forces per metre of a flat liquid become those on the body; 1 in space.
  double depth(std::size_t body) const { return depths_[body]; }
  // Change of the unknowns by forces on them over dt.
  void answer(double dt, std::span<const double> forces, std::span<double> changes) const;

 private:
  std::vector<WetRigidBody> bodies_;
  void add_space(std::size_t body);
  void add_section(std::size_t body, double plane);
  void place_outline(bool flat);
  void find_point_velocities();

  HeldRigid held_;
  std::vector<double> radii_;   // m, around the centres
  std::vector<double> depths_;  // m, of the bodies in a flat liquid; 1 in space
  std::vector<Vec3> positions_;
  std::vector<geometry::Triangle> triangles_;
  std::vector<geometry::Segment> segments_;
  std::vector<Eigen::Triplet<double>> entries_;
  bool flat_ = false;
  std::vector<std::size_t> body_of_point_;  // in the plane
  std::vector<Vec3> point_velocities_;      // in the plane
  std::unique_ptr<WetOutline> outline_;     // in the plane, where there is any section
  ports::SparseRows reduction_;
};

}  // namespace selkie::coupling
