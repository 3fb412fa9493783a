// Contacts at the end of a step; see contacts.h.
#include "selkie/solids/mass_spring/contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"

namespace selkie::mass_spring {

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
    for (std::size_t k = 0; k < inputs.colliders.size(); ++k) {
      const ports::FieldSampler* collider = inputs.colliders[k];
      const VertexPath path{from.positions[i], to.positions[i], interval};
      const ports::FieldSample solid =
          sample_collider(inputs.colliders, k, path, params.contact_thickness, reach);
      if (!(solid.distance <= reach)) continue;
      const double depth =
          start_depth(solid, from.positions[i], to.positions[i], dt, params.contact_thickness);
      const double left = leaves_slowly(model, params, depth) ? std::max(0.0, depth - kWayOut * dt) : 0;
      const ContactLaw law{collider->friction, collider->restitution, params.contact_thickness - left,
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

double contact_step_limit(const Model& model, const Params& params, const Vec3& gravity, const State& state) {
  const bool after =
      params.integrator == Integrator::newmark_implicit || params.integrator == Integrator::implicit_midpoint;
  if (!after) return std::numeric_limits<double>::infinity();
  const double speed = std::sqrt(deterministic_max(
      state.velocities.size(), 0, [&](std::size_t i) { return state.velocities[i].squaredNorm(); }));
  // v h + ½ g h² = d, solved for h without a difference; infinite where nothing moves or falls.
  const double d = 0.5 * model.mean_rest_length;
  return 2 * d / (speed + std::sqrt(speed * speed + 2 * gravity.norm() * d));
}

}  // namespace selkie::mass_spring
