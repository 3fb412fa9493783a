// A deforming body as the liquid around it sees it: distance to its surface and the velocity of the nearest
// point.
#pragma once

#include "selkie/geometry/mesh_distance.h"
#include "selkie/ports/wet_body.h"

namespace selkie::coupling {

class WetShape : public ports::FieldSampler {
 public:
  virtual void move(std::span<const Vec3> positions, std::span<const Vec3> velocities) = 0;
  // Of the vertices, where they are: what a joint solve has made of them.
  virtual void set_velocities(std::span<const Vec3> velocities) = 0;
};

// Triangles of a closed surface, outwards; they may leave vertices out. Far outside its box, where only order and
// direction matter, the distance is that to a box around it.
class WetField final : public WetShape {
 public:
  WetField(std::span<const Vec3> positions, std::span<const geometry::Triangle> triangles);

  void move(std::span<const Vec3> positions, std::span<const Vec3> velocities) override;
  void set_velocities(std::span<const Vec3> velocities) override {
    velocities_.assign(velocities.begin(), velocities.end());
  }
  ports::FieldSample sample(const Vec3& point, double time) const override;

 private:
  void find_bounds();

  geometry::MeshDistance distance_;
  std::vector<Vec3> velocities_;
  Vec3 low_ = Vec3::Zero(), high_ = Vec3::Zero();
  double margin_ = 0;  // m, around the box, within which distances are exact
};

// In the plane: segments of closed curves with the body on their left. Every segment is asked each time.
class WetOutline final : public WetShape {
 public:
  WetOutline(std::span<const Vec3> positions, std::span<const geometry::Segment> segments);

  void move(std::span<const Vec3> positions, std::span<const Vec3> velocities) override;
  void set_velocities(std::span<const Vec3> velocities) override {
    velocities_.assign(velocities.begin(), velocities.end());
  }
  ports::FieldSample sample(const Vec3& point, double time) const override;

 private:
  std::vector<Vec3> positions_, velocities_;
  std::vector<geometry::Segment> segments_;
  std::vector<std::uint32_t> before_, after_;  // the segments that a segment's ends lead to
};

// The edges of triangles in the plane that one of them has alone, with it on their left.
std::vector<geometry::Segment> outline_of(std::span<const Vec3> positions,
                                          std::span<const geometry::Triangle> triangles);

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
