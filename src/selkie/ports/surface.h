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
  // Both must be safe to call from several threads at once.
  virtual FieldSample sample(const Vec3& point, double time) const = 0;
  // True when samples do not depend on time: whoever rasterises the solid may then keep the result.
  virtual bool still() const { return false; }
  // The same for each side of the solid by itself (the faces of a box, say): where a point inside it could
  // leave it, should the nearest way out be barred. Returns how many there are.
  static constexpr std::size_t kMostSides = 6;
  virtual std::size_t sample_sides(const Vec3& point, double time,
                                   std::span<FieldSample, kMostSides> sides) const {
    sides[0] = sample(point, time);
    return 1;
  }
  double friction = 0.5;     // Coulomb coefficient
  double restitution = 0.0;  // 0 … 1
};

// A solid that seems to move faster than this has jumped: it pushes things out of itself, but gives them no
// velocity (RT-02).
inline constexpr double kJumpSpeed = 100;  // m/s

// What a point that moved relative to a solid has met.
struct SweptSample : FieldSample {
  bool entered = false;       // it was outside at the start and met the surface on its way
  double start_distance = 0;  // m, at the start of the way
};

struct BoundingBall {
  Vec3 center = Vec3::Zero();
  double radius = 0;
};

// A solid that gives way: a body of another solver on its way through a step. Whoever is touched by it pushes
// back. Times are those of the world's clock.
class MovableSolid : public FieldSampler {
 public:
  // The whole of it during [t0, t1], and during the whole sync step.
  virtual BoundingBall bounds(double t0, double t1) const = 0;
  virtual BoundingBall way() const = 0;
  virtual double size() const = 0;    // m, smallest half extent: who moves less than this is not overrun
  virtual Vec3 velocity() const = 0;  // m/s, of its centre
  // For a point that was at x0 at t0 and is at x1 at t1: `distance` is that of x1 to the plane that touches
  // the solid where the point entered it, or to the solid itself where it did not enter. Kept free by
  // `thickness`.
  virtual SweptSample sweep(const Vec3& x0, double t0, const Vec3& x1, double t1, double thickness) const = 0;
  // What an impulse at a point changes the velocity there by, along a unit direction; 1/kg.
  virtual double inverse_mass(const Vec3& point, const Vec3& direction, double time) const = 0;
  // Takes an impulse (N·s) that acts from `time` on. To be called by one thread, in a fixed order.
  virtual void push(const Vec3& point, const Vec3& impulse, double time) = 0;
  // Moves it out of the way from `time` on without changing its velocity; as push().
  virtual void shift(const Vec3& displacement, double time) = 0;
  // Places are settled and only velocities are sought: what overlaps parts with some speed instead of shifts.
  bool parts_by_velocity = false;
};

}  // namespace selkie::ports
