// Questions about rigid bodies as they are: distances, rays (SW-47), energies and momenta.
#pragma once

#include <optional>

#include "selkie/geometry/shapes.h"
#include "selkie/solids/rigid/state.h"

namespace selkie::rigid {

// Signed distance of a world point to the surface of body i, with the outward normal.
geometry::SurfaceDistance distance_to(const State& state, std::size_t i, const Vec3& point);

// The point of body i (its inside included) that is nearest to `point`, and the body nearest to a point; the
// lower place wins among equals. There must be a body.
Vec3 nearest_point(const State& state, std::size_t i, const Vec3& point);
std::size_t nearest_body(const State& state, const Vec3& point);

struct RayHit {
  std::size_t body = 0;
  double distance = 0;  // m along the ray
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  // outward
};

// The first body a ray meets, by the analytic intersections of spheres and boxes. `direction` is of any
// length; a ray that starts inside a body hits where it leaves. Empty: nothing is hit.
std::optional<RayHit> ray_cast(const State& state, const Vec3& origin, const Vec3& direction);

struct Diagnostics {
  double kinetic_energy = 0;             // J
  double gravitational_energy = 0;       // J, zero at the origin
  Vec3 momentum = Vec3::Zero();          // kg·m/s
  Vec3 angular_momentum = Vec3::Zero();  // kg·m²/s about the origin
  double max_speed = 0;                  // m/s, of a centre
};
Diagnostics diagnose(const State& state, const Vec3& gravity);

}  // namespace selkie::rigid
