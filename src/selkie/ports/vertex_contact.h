// How a vertex of a deformable body meets solids given as distance fields, moving ones included: approach is
// removed, Coulomb friction opposes slip and never reverses it, penetration is undone without adding velocity
// (RT-02). [Müller08 §3.8; RT-44] Limits: a vertex is tested where the step ends, so one that crosses a thin
// solid within a step is missed; edges and faces between vertices are not tested.
#pragma once

#include <span>

#include "selkie/math/types.h"
#include "selkie/ports/surface.h"
#include "selkie/ports/time.h"

namespace selkie::ports {

struct ContactMotion {
  Vec3 position;
  Vec3 velocity;
};

struct ContactLaw {
  double friction = 0;
  double restitution = 0;
  double thickness = 0;       // m
  double slowest_bounce = 0;  // m/s: approach below this does not bounce, so that things come to rest
};

// What becomes of a vertex that went from `start` to `end` in dt and touches `solid` (is closer than
// `thickness`).
ContactMotion resolve_contact(const FieldSample& solid, const ContactLaw& law, double dt, const Vec3& start,
                              const ContactMotion& end);

// A vertex's way through a step.
struct VertexPath {
  Vec3 start;
  Vec3 end;
  Interval interval;
};

// What a vertex meets of colliders[which] at the end of its way: what sample() says, except where that would
// lead it out by a side it cannot have come in by (it leaves by the one it entered last), or into the crack
// between that collider and another one, as between a box and the floor it stands on, where it could never
// come free. `thickness` is kept from surfaces, `reach` counts as touching.
FieldSample sample_collider(std::span<const FieldSampler* const> colliders, std::size_t which,
                            const VertexPath& path, double thickness, double reach);

// What gets into a solid within a step leaves it at once; what was inside before is let out at this speed,
// not in one leap (RT-02).
inline constexpr double kWayOut = 2;  // m/s

// How deep (m) a vertex was below the surface it meets before the step, if carried along by the collider.
inline double start_depth(const FieldSample& met, const Vec3& start, const Vec3& end, double dt,
                          double thickness) {
  return thickness - met.distance - (start + dt * met.velocity - end).dot(met.normal);
}

}  // namespace selkie::ports
