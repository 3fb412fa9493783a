// What weak couplings exchange, and how static or moving solids reach a solver.
#pragma once

#include <span>

#include "selkie/math/types.h"

namespace selkie::ports {

// Points of a body's surface with what a partner needs to push on them, and where its push is collected.
struct SurfaceSamples {
  std::span<const Vec3> positions;
  std::span<const Vec3> velocities;
  std::span<const Vec3> area_vectors;      // m², outward normal times area
  std::span<const double> inverse_masses;  // 1/kg; 0 = immovable
  std::span<Vec3> impulses;  // N·s, added to by the partner; they act from the start of the step just taken
};

// A solid seen as a signed distance (negative inside) and a velocity at any point and time.
struct FieldSample {
  double distance = 0;  // m
  Vec3 normal = Vec3::UnitY();
  Vec3 velocity = Vec3::Zero();  // of the material at the nearest surface point
};

class FieldSampler {
 public:
  virtual ~FieldSampler() = default;
  // Must be safe to call from several threads at once.
  virtual FieldSample sample(const Vec3& point, double time) const = 0;
  double friction = 0.5;     // Coulomb coefficient
  double restitution = 0.0;  // 0 … 1
};

}  // namespace selkie::ports
