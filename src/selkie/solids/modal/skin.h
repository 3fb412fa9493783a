// Surfaces of modal bodies: x = c + R (X + Φ q), eight vertices at a time over all modes (RT-47). The cost is
// that of a matrix product, 6 operations per vertex and mode; up to four bodies share one pass over Φ, which
// does not fit the first cache.
#pragma once

#include <span>

#include "selkie/solids/modal/model.h"
#include "selkie/solids/modal/state.h"

namespace selkie::modal {

// One body: `rest_factor` times its rest shape plus its modes weighted by `weights`, turned and moved.
struct SkinTask {
  Vec3 position = Vec3::Zero();
  Mat3 rotation = Mat3::Identity();
  double rest_factor = 1;
  const double* weights = nullptr;  // one per mode
  Vec3* surface = nullptr;
};
void skin(const Model& model, std::span<const SkinTask> tasks);

// All bodies, one after the other; displacements times `exaggeration`.
void skin_all(const Model& model, const State& state, double exaggeration, std::span<Vec3> positions);
// Velocities of the same vertices, at the positions given.
void skin_velocities(const Model& model, const State& state, std::span<const Vec3> positions,
                     std::span<Vec3> velocities);

}  // namespace selkie::modal
