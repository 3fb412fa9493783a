// What an elastic body can say of itself; all sums in a fixed order.
#pragma once

#include <span>

#include "selkie/solids/fem/model.h"
#include "selkie/solids/fem/params.h"
#include "selkie/solids/fem/state.h"

namespace selkie::fem {

struct Diagnostics {
  double kinetic_energy = 0;             // J
  double elastic_energy = 0;             // J
  double gravitational_energy = 0;       // J, −Σ m g·x
  double volume = 0;                     // m³, Σ det F V: inverted elements count negative
  Vec3 momentum = Vec3::Zero();          // kg·m/s
  Vec3 angular_momentum = Vec3::Zero();  // kg·m²/s, about the origin
  Vec3 centre_of_mass = Vec3::Zero();    // m
  std::size_t inverted = 0;              // elements with det F ≤ 0
  double max_speed = 0;                  // m/s

  double total_energy() const { return kinetic_energy + elastic_energy + gravitational_energy; }
};

Diagnostics diagnose(const Model& model, const Params& params, const Vec3& gravity, const State& state);

// Von Mises' equivalent of Cauchy's stress (Pa) per vertex, the volume-weighted mean of its elements; bodies
// of triangles are under plane strain.
void vertex_stress(const Model& model, const Params& params, const Buffer<Vec3>& x, std::span<double> stress);

}  // namespace selkie::fem
