// What shape-matched bodies can say of themselves; all sums in a fixed order.
#pragma once

#include <span>

#include "selkie/solids/shape_matching/model.h"
#include "selkie/solids/shape_matching/params.h"
#include "selkie/solids/shape_matching/state.h"

namespace selkie::shape_matching {

struct Diagnostics {
  double kinetic_energy = 0;             // J
  double gravitational_energy = 0;       // J, −Σ m g·x
  Vec3 momentum = Vec3::Zero();          // kg·m/s
  Vec3 angular_momentum = Vec3::Zero();  // kg·m²/s, about the origin
  double shape_error = 0;  // root mean square distance of vertices from rigid goals, over the clusters' size
  double plastic_strain = 0;  // largest of a cluster
  double max_speed = 0;       // m/s
};

Diagnostics diagnose(const Model& model, const Vec3& gravity, const State& state);

// Distance (m) of each vertex from the mean of its clusters' rigid goals.
void vertex_errors(const Model& model, const State& state, std::span<double> errors);

}  // namespace selkie::shape_matching
