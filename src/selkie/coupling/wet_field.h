// A deforming body as the liquid around it sees it: distance to its surface and the velocity of the nearest
// point.
#pragma once

#include "selkie/geometry/mesh_distance.h"
#include "selkie/ports/wet_body.h"

namespace selkie::coupling {

class WetField final : public ports::FieldSampler {
 public:
  // Triangles of a closed surface, outwards; they may leave vertices out.
  WetField(std::span<const Vec3> positions, std::span<const geometry::Triangle> triangles);

  void move(std::span<const Vec3> positions, std::span<const Vec3> velocities);
  ports::FieldSample sample(const Vec3& point, double time) const override;

 private:
  geometry::MeshDistance distance_;
  std::vector<Vec3> velocities_;
};

// The same body without its velocity: for fluxes that the coupled solve accounts for itself.
class StandingField final : public ports::FieldSampler {
 public:
  explicit StandingField(const ports::FieldSampler& field) : field_(field) {}
  ports::FieldSample sample(const Vec3& point, double time) const override {
    ports::FieldSample sample = field_.sample(point, time);
    sample.velocity.setZero();
    return sample;
  }

 private:
  const ports::FieldSampler& field_;
};

}  // namespace selkie::coupling
