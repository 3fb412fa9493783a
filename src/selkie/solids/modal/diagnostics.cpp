// See diagnostics.h.
#include "selkie/solids/modal/diagnostics.h"

#include <algorithm>
#include <cmath>

namespace selkie::modal {

Diagnostics diagnose(const Model& model, const Params& params, const Vec3& gravity, const State& state) {
  Diagnostics d;
  for (std::size_t b = 0; b < state.count(); ++b) {
    const Quat turned = orientation(state, b);
    const std::span<const double> q = displacements(model, state, b), v = rates(model, state, b);
    double square = 0;
    for (std::size_t k = 0; k < model.mode_count; ++k) {
      d.kinetic_energy += 0.5 * v[k] * v[k];
      d.elastic_energy += 0.5 * params.stiffness_factor * model.eigenvalues[k] * q[k] * q[k];
      d.gravitational_energy -= q[k] * gravity.dot(turned * model.gravity_share[k]);
      square += q[k] * q[k];
    }
    d.displacement = std::max(d.displacement, std::sqrt(square / model.mass));
    d.gravitational_energy -= model.mass * gravity.dot(state.positions[b]);
    if (model.pinned) continue;
    const Vec3 spin = turned.conjugate() * state.angular_velocities[b],
               turning = model.inertia.cwiseProduct(spin);
    const Vec3 momentum = model.mass * state.velocities[b];
    d.kinetic_energy += 0.5 * (momentum.dot(state.velocities[b]) + turning.dot(spin));
    d.momentum += momentum;
    d.angular_momentum += state.positions[b].cross(momentum) + turned * turning;
    d.max_speed = std::max(d.max_speed, state.velocities[b].norm());
  }
  return d;
}

}  // namespace selkie::modal
