// Questions about rigid bodies as they are: distances, rays (SW-31, SW-47), overlaps, energies and momenta.
#pragma once

#include <optional>
#include <vector>

#include "selkie/contact/body_tree.h"
#include "selkie/geometry/shapes.h"
#include "selkie/solids/rigid/state.h"

namespace selkie::rigid {

// Signed distance of a world point to the surface of body i, with the outward normal.
geometry::SurfaceDistance distance_to(const Model& model, const State& state, std::size_t i, const Vec3& point);

// The point of body i (its inside included) that is nearest to `point`, and the body nearest to a point; the
// lower place wins among equals. There must be a body (one that moves, if any does).
Vec3 nearest_point(const Model& model, const State& state, std::size_t i, const Vec3& point);
std::size_t nearest_body(const Model& model, const State& state, const Vec3& point);

struct RayHit {
  std::size_t body = 0;
  double distance = 0;  // m along the ray
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  // outward
};

// Bodies in a tree of boxes, for many questions: each costs the logarithm of their number. Kept from step to step,
// the tree is refitted where bodies have moved.
class Lookup {
 public:
  // Makes it agree with the bodies as they are; both outlive the questions that follow.
  void update(const Model& model, const State& state);

  // The first body a ray meets. `direction` is of any length; a ray that starts inside a body hits where it leaves.
  // Empty: nothing is hit.
  std::optional<RayHit> ray_cast(const Vec3& origin, const Vec3& direction) const;
  // Bodies that a shape would overlap, by place; and those within `radius` of a point.
  std::vector<std::size_t> overlapping(const contact::Shape& shape, const contact::Pose& pose) const;
  std::vector<std::size_t> within(const Vec3& point, double radius) const;

 private:
  template <class Test>
  std::vector<std::size_t> each_near(const contact::Bounds& box, Test&& test) const;

  const Model* model_ = nullptr;
  const State* state_ = nullptr;
  contact::BodyTree tree_;
  std::vector<std::uint32_t> boxed_, planes_;  // who is in the tree, by item; who has no box
  std::vector<contact::Bounds> boxes_;
  std::vector<double> known_;  // places and shapes that the tree was fitted to
};

// The same for one question.
std::optional<RayHit> ray_cast(const Model& model, const State& state, const Vec3& origin, const Vec3& direction);

std::vector<std::size_t> overlapping(const Model& model, const State& state, const contact::Shape& shape,
                                     const contact::Pose& pose);
std::vector<std::size_t> within(const Model& model, const State& state, const Vec3& point, double radius);

struct Diagnostics {
  double kinetic_energy = 0;             // J
  double gravitational_energy = 0;       // J, zero at the origin
  Vec3 momentum = Vec3::Zero();          // kg·m/s
  Vec3 angular_momentum = Vec3::Zero();  // kg·m²/s about the origin
  double max_speed = 0;                  // m/s, of a centre
  double deepest = 0;                    // m, the deepest overlap of bodies in contact
  std::size_t asleep = 0;
};
Diagnostics diagnose(const State& state, const Vec3& gravity);

// How deep body `a` of contact record c overlaps its partner now, m; negative: apart.
double depth_of(const State& state, std::size_t c);

}  // namespace selkie::rigid
