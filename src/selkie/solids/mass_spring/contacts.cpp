// Contact response per vertex. The displacement of the step is treated like the velocity: were only the
// velocity corrected, a vertex that should stick on a slope would creep by h²g sinθ every step.
#include "selkie/solids/mass_spring/contacts.h"

#include <algorithm>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"

namespace selkie::mass_spring {
namespace {

// Shortens a slip by at most `limit`: sticks if it can.
Vec3 after_friction(const Vec3& slip, double limit) {
  const double length = slip.norm();
  return length <= limit ? Vec3::Zero() : Vec3(slip * (1 - limit / length));
}

}  // namespace

ContactMotion resolve_contact(const ports::FieldSample& solid, const ContactLaw& law, double dt,
                              const Vec3& start, const ContactMotion& end) {
  const Vec3& n = solid.normal;
  ContactMotion result = end;

  // Displacement relative to the solid: out of it along n, slip reduced by what was pushed against.
  const double depth = std::max(0.0, law.thickness - solid.distance);
  const Vec3 moved = end.position - start - dt * solid.velocity;
  const double advance = -moved.dot(n);
  const Vec3 slip = moved + advance * n;
  const double pressed = std::clamp(advance, 0.0, depth);
  result.position += depth * n + (after_friction(slip, law.friction * pressed) - slip);

  // Velocity relative to the solid: no approach left, slip reduced by the normal impulse.
  const Vec3 relative = end.velocity - solid.velocity;
  const double approach = -relative.dot(n);
  if (approach <= 0) return result;
  const double bounce = approach > law.slowest_bounce ? law.restitution * approach : 0;
  const Vec3 sliding = relative + approach * n;
  result.velocity = solid.velocity + bounce * n + after_friction(sliding, law.friction * (approach + bounce));
  return result;
}

int project_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                     const State& from, State& to, const Work& work) {
  if (inputs.colliders.empty()) return 0;
  const ProfileZone zone("mass_spring.contacts");
  const double dt = interval.dt();
  // A vertex that rests is found up to round-off above the surface by integrators that move it with the old
  // velocity; gravity covers this distance in a thirtieth of a step.
  const double reach = params.contact_thickness + 1e-3 * dt * dt * inputs.gravity.norm();
  const double touched = deterministic_sum(model.vertex_count, [&](std::size_t i) {
    if (work.kinematic[i] != 0) return 0.0;
    bool touches = false;
    for (const ports::FieldSampler* collider : inputs.colliders) {
      const ports::FieldSample solid = collider->sample(to.positions[i], interval.t1());
      if (!(solid.distance <= reach)) continue;
      const ContactLaw law{collider->friction, collider->restitution, params.contact_thickness,
                           2 * dt * inputs.gravity.norm()};
      const ContactMotion end{to.positions[i], to.velocities[i]};
      const ContactMotion after = resolve_contact(solid, law, dt, from.positions[i], end);
      to.positions[i] = after.position;
      to.velocities[i] = after.velocity;
      touches = true;
    }
    return touches ? 1.0 : 0.0;
  });
  return static_cast<int>(touched);
}

}  // namespace selkie::mass_spring
