// Small shape-matched bodies and a run loop, shared by unit tests.
#pragma once

#include <gtest/gtest.h>

#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/math/random_vector.h"
#include "selkie/math/rotation.h"
#include "selkie/solids/shape_matching/step.h"

namespace selkie::shape_matching::testing {

// The n-th step of length h; dt() is h to the last bit.
inline Interval nth_step(double h, int n = 0) { return {n, n + 1, h}; }

inline Inputs weightless() {
  Inputs inputs;
  inputs.gravity = Vec3::Zero();
  return inputs;
}

// A box of unequal sides and n³ cells.
inline BodyInput block(int n, const Vec3& corner = Vec3::Zero(), const Vec3& size = Vec3(1, 0.8, 0.6)) {
  return from_tets(geometry::tet_box({corner, corner + size, {n, n, n}}), 1000);
}

inline Model single(const BodyInput& body, const ClusterOptions& options = {}) {
  return build_model(std::span(&body, 1), options);
}

// Points on their own, with different masses.
inline BodyInput points(std::vector<Vec3> positions) {
  BodyInput body;
  for (std::size_t i = 0; i < positions.size(); ++i) body.masses.push_back(1 + 0.1 * static_cast<double>(i));
  body.positions = std::move(positions);
  body.radius = 0.01;
  return body;
}

inline std::vector<Vec3> shaken(const Model& model, double size, std::uint64_t seed = 1) {
  std::vector<Vec3> p = model.rest_positions;
  RandomStream random(seed, 4);
  for (Vec3& x : p) x += random_vector(random, -size, size);
  return p;
}

inline void place(State& state, std::span<const Vec3> positions) {
  state.positions.copy_from(positions.data(), positions.size());
}

// Runs `steps` steps of length h; fails the test if one is not ok.
inline void run(const Model& model, const Params& params, const Inputs& inputs, double h, int steps,
                State& state, Work& work, int first = 0) {
  State to = state;
  for (int n = 0; n < steps; ++n) {
    const StepReport report = step(model, params, inputs, nth_step(h, first + n), state, to, work);
    ASSERT_TRUE(report.ok) << report.trouble;
    state = to;
  }
}

class Floor final : public ports::FieldSampler {
 public:
  ports::FieldSample sample(const Vec3& point, double) const override {
    return {point.y(), Vec3::UnitY(), Vec3::Zero()};
  }
};

}  // namespace selkie::shape_matching::testing
