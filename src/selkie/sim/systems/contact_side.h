// A deformable body's adapter as contacts between bodies see it: the port filled from a solver's State. Which
// vertices rest on colliders is found anew, since only the solver's scratch knew.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "selkie/ports/deformable_solid.h"
#include "selkie/sim/systems/deformable_body.h"
#include "selkie/sim/systems/rigid_answer.h"

namespace selkie::sim {

// What the last sub-step met.
struct ContactSurroundings {
  std::vector<const ports::FieldSampler*> colliders;
  double time = 0;       // s, end of the sub-step
  double fall = 0;       // m/s², of gravity
  double thickness = 0;  // m, kept from colliders

  void note(const Environment& environment, const Interval& interval, double contact_thickness);

  // Vertices at rest on a collider, or pressed against it.
  void find_held(std::span<const std::uint32_t> vertices, std::span<const Vec3> positions,
                 std::span<const Vec3> velocities, double dt, std::vector<ports::HeldVertex>& held) const;
};

// Vertices of the outline, else of the triangles, ascending; all where there are none.
std::vector<std::uint32_t> touching_vertices(std::size_t count, std::span<const geometry::Triangle> triangles,
                                             std::span<const geometry::Segment> outline = {});

// Of a body in the plane: contacts push along it; what only stops motion across it holds nothing.
void hold_in_plane(std::vector<ports::HeldVertex>& held);

template <class State>
class ContactSide final : public ports::DeformableSolid {
 public:
  using Prepare = std::function<StepReport(double dt, std::span<const ports::HeldVertex>)>;
  using Respond = std::function<StepReport(double dt, std::span<const Vec3>, std::span<Vec3>)>;

  // `outline`: of a body in the plane, whose cells the triangles are then.
  ContactSide(const DeformableBody& body, const std::vector<double>& inverse_masses, const State& start,
              State& state, const ContactSurroundings& surroundings, Prepare prepare, Respond respond,
              std::vector<geometry::Segment> outline = {})
      : body_(body),
        free_inverse_masses_(inverse_masses),
        start_(start),
        state_(state),
        surroundings_(surroundings),
        prepare_(std::move(prepare)),
        respond_(std::move(respond)),
        outline_(std::move(outline)),
        surface_vertices_(touching_vertices(inverse_masses.size(), body.triangles, outline_)) {}
  // With the answer of a body that knows no forces.
  ContactSide(const DeformableBody& body, const std::vector<double>& inverse_masses, const State& start,
              State& state, const ContactSurroundings& surroundings, RigidAnswer& answer)
      : ContactSide(
            body, inverse_masses, start, state, surroundings,
            [this, &answer](double, std::span<const ports::HeldVertex> held) {
              answer.prepare(positions(), this->inverse_masses(), held);
              return StepReport{};
            },
            [&answer](double, std::span<const Vec3> impulses, std::span<Vec3> changes) {
              answer.respond(impulses, changes);
              return StepReport{};
            }) {}

  std::span<const geometry::Tet> tets() const override { return body_.tets; }
  std::span<const geometry::Triangle> surface() const override { return body_.triangles; }
  std::span<const std::uint32_t> surface_vertices() const override { return surface_vertices_; }
  std::span<const Vec3> rest_positions() const override { return body_.rest_positions; }
  std::span<const geometry::Triangle> flat_cells() const override {
    return flat() ? std::span<const geometry::Triangle>(body_.triangles)
                  : std::span<const geometry::Triangle>();
  }
  std::span<const geometry::Segment> outline() const override { return outline_; }
  std::span<const Vec3> start_positions() const override { return start_.positions.span(); }
  std::span<const Vec3> positions() const override { return std::as_const(state_).positions.span(); }
  std::span<const Vec3> velocities() const override { return std::as_const(state_).velocities.span(); }
  std::span<const double> inverse_masses() const override {
    inverse_masses_ = free_inverse_masses_;
    for (std::size_t i = 0; i < inverse_masses_.size(); ++i)
      if (is_held(i)) inverse_masses_[i] = 0;
    return inverse_masses_;
  }

  StepReport prepare(double dt) override {
    dt_ = dt;
    surroundings_.find_held(surface_vertices_, positions(), velocities(), dt, held_);
    if (flat()) hold_in_plane(held_);
    return prepare_(dt, held_);
  }
  StepReport respond(std::span<const Vec3> impulses, std::span<Vec3> changes) override {
    return respond_(dt_, impulses, changes);
  }
  void move(std::span<const Vec3> velocity_changes, std::span<const Vec3> displacements) override {
    for (std::size_t i = 0; i < velocity_changes.size(); ++i) {
      if (is_held(i)) continue;
      state_.velocities[i] += velocity_changes[i];
      state_.positions[i] += displacements[i];
    }
  }

 private:
  bool flat() const { return !outline_.empty(); }
  bool is_held(std::size_t i) const {
    return state_.pinned[i] != 0 || static_cast<std::int64_t>(i) == state_.grabbed_vertex;
  }

  const DeformableBody& body_;
  const std::vector<double>& free_inverse_masses_;
  const State& start_;
  State& state_;
  const ContactSurroundings& surroundings_;
  Prepare prepare_;
  Respond respond_;
  std::vector<geometry::Segment> outline_;
  std::vector<std::uint32_t> surface_vertices_;
  mutable std::vector<double> inverse_masses_;
  std::vector<ports::HeldVertex> held_;
  double dt_ = 0;
};

}  // namespace selkie::sim
