// What a mass-spring body can say of itself; all sums in a fixed order.
#pragma once

#include "selkie/solids/mass_spring/model.h"
#include "selkie/solids/mass_spring/params.h"
#include "selkie/solids/mass_spring/state.h"

namespace selkie::mass_spring {

struct Diagnostics {
  double kinetic_energy = 0;             // J
  double elastic_energy = 0;             // J, of springs, altitude springs and inversion guard
  double gravitational_energy = 0;       // J, −Σ m g·x
  Vec3 momentum = Vec3::Zero();          // kg·m/s
  Vec3 angular_momentum = Vec3::Zero();  // kg·m²/s, about the origin
  Vec3 centre_of_mass = Vec3::Zero();    // m
  double max_stretch = 0;                // largest l/l0 − 1, at least 0
  double max_compression = 0;            // largest 1 − l/l0, at least 0
  double max_speed = 0;                  // m/s

  double total_energy() const { return kinetic_energy + elastic_energy + gravitational_energy; }
};

Diagnostics diagnose(const Model& model, const Params& params, const Vec3& gravity, const State& state);

}  // namespace selkie::mass_spring
