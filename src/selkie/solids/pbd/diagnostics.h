// Energies, momenta, strains of a position-based body.
#pragma once

#include <span>

#include "selkie/solids/pbd/step.h"

namespace selkie::pbd {

struct Diagnostics {
  double kinetic_energy = 0, gravitational_energy = 0;  // J
  double elastic_energy = 0;     // J, of compliant edges; rigid ones store none, and pbd knows no energy
  Vec3 momentum = Vec3::Zero();  // kg m/s
  Vec3 angular_momentum = Vec3::Zero();         // kg m²/s, about the origin
  double max_stretch = 0, max_compression = 0;  // of edges, as a share of the rest length
  double volume = 0;                            // m³, enclosed by the surface
  double max_speed = 0;                         // m/s

  double total_energy() const { return kinetic_energy + gravitational_energy + elastic_energy; }
};
Diagnostics diagnose(const Model& model, const Params& params, const Vec3& gravity, const State& state);

// Largest |strain| of the edges at each vertex.
void vertex_strain(const Model& model, std::span<const Vec3> positions, std::span<double> strain);

}  // namespace selkie::pbd
