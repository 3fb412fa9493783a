// Surfaces of modal bodies: x = c + R (X + Φ q), eight vertices at a time over all modes (RT-47). The cost is
// that of a matrix product, 6 operations per vertex and mode.
#pragma once

#include <span>

#include "selkie/solids/modal/model.h"
#include "selkie/solids/modal/state.h"

namespace selkie::modal {

// One body: `rest_factor` times its rest shape plus its modes weighted by `weights`, turned and moved.
void skin(const Model& model, const Vec3& position, const Mat3& rotation, double rest_factor,
          std::span<const double> weights, Vec3* surface);

// All bodies, one after the other; displacements times `exaggeration`.
void skin_all(const Model& model, const State& state, double exaggeration, std::span<Vec3> positions);
// Velocities of the same vertices, at the positions given.
void skin_velocities(const Model& model, const State& state, std::span<const Vec3> positions,
                     std::span<Vec3> velocities);

}  // namespace selkie::modal
