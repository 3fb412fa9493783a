// What modal bodies can say of themselves; all sums in a fixed order.
#pragma once

#include "selkie/solids/modal/model.h"
#include "selkie/solids/modal/params.h"
#include "selkie/solids/modal/state.h"

namespace selkie::modal {

struct Diagnostics {
  double kinetic_energy = 0;             // J, of the frames and the modes
  double elastic_energy = 0;             // J
  double gravitational_energy = 0;       // J, zero at the origin
  Vec3 momentum = Vec3::Zero();          // kg·m/s, of free bodies
  Vec3 angular_momentum = Vec3::Zero();  // kg·m²/s about the origin, of free bodies, as if undeformed
  double max_speed = 0;                  // m/s, of a frame's origin
  double displacement = 0;               // m, largest root mean square displacement of a body

  double total_energy() const { return kinetic_energy + elastic_energy + gravitational_energy; }
};

Diagnostics diagnose(const Model& model, const Params& params, const Vec3& gravity, const State& state);

}  // namespace selkie::modal
