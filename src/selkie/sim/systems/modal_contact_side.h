// Modal bodies as contacts with bodies of other systems see them: all copies together, by the vertices of
// their surfaces. Impulses on vertices become motions of frame and modes (modal/response.h), and what the
// contacts make of the vertices is turned back into such a motion, which is exact because it is a sum of
// them.
#pragma once

#include <optional>
#include <vector>

#include "selkie/sim/systems/contact_side.h"
#include "selkie/solids/modal/response.h"

namespace selkie::sim {

class ModalContactSide final : public ports::DeformableSolid {
 public:
  // `triangles`: of all copies, one after the other.
  ModalContactSide(const modal::Model& model, const modal::Params& params, const modal::State& start,
                   modal::State& state, const ContactSurroundings& surroundings,
                   std::span<const geometry::Triangle> triangles);

  // The states have moved on: surfaces are found anew when they are asked for. Scenes in which nobody asks
  // pay nothing.
  void expire() { fresh_ = false; }

  // Delaunay's inside each surface.
  std::span<const geometry::Tet> tets() const override;
  std::span<const geometry::Triangle> surface() const override { return triangles_; }
  std::span<const std::uint32_t> surface_vertices() const override { return now().vertices; }
  std::span<const Vec3> rest_positions() const override { return now().rest_positions; }
  std::span<const Vec3> start_positions() const override { return now().start_positions; }
  std::span<const Vec3> positions() const override { return now().positions; }
  std::span<const Vec3> velocities() const override { return now().velocities; }
  std::span<const double> inverse_masses() const override { return now().inverse_masses; }

  StepReport prepare(double dt) override;
  StepReport respond(std::span<const Vec3> impulses, std::span<Vec3> changes) override;
  void move(std::span<const Vec3> velocity_changes, std::span<const Vec3> displacements) override;

 private:
  struct Surfaces {
    std::vector<std::uint32_t> vertices;
    std::vector<Vec3> rest_positions, start_positions, positions, velocities;
    std::vector<double> inverse_masses;
  };
  const Surfaces& now() const;
  void begin() const;
  // Made for the bodies that are touched, when they are.
  const modal::BodyAnswer& answer_of(std::size_t body);

  const modal::Model& model_;
  const modal::Params& params_;
  const modal::State& start_;
  modal::State& state_;
  const ContactSurroundings& surroundings_;
  std::span<const geometry::Triangle> triangles_;
  mutable Surfaces surfaces_;
  mutable bool fresh_ = false;
  mutable std::optional<std::vector<geometry::Tet>> tets_;
  std::vector<std::optional<modal::BodyAnswer>> answers_;
  double dt_ = 0;
};

}  // namespace selkie::sim
