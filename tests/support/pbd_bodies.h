// Small position-based bodies and a run loop, shared by unit and verification tests.
#pragma once

#include <gtest/gtest.h>

#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/solids/pbd/step.h"

namespace selkie::pbd::testing {

// The n-th step of length h; dt() is h to the last bit.
inline Interval nth_step(double h, int n = 0) { return {n, n + 1, h}; }

inline geometry::SheetShape sheet_shape(int n, double size = 1) {
  geometry::SheetShape shape;
  shape.size = {size, size};
  shape.divisions = {n, n};
  return shape;
}
inline Model cloth(int n, Bending bending = Bending::dihedral, double size = 1) {
  return from_triangles(geometry::sheet(sheet_shape(n, size)), 0.2, {bending, false});
}
inline Model balloon(int n, double radius = 0.5) {
  return from_triangles(geometry::icosphere({Vec3::Zero(), radius, n}), 0.1, {Bending::dihedral, true});
}
inline Model block(int n) {
  return from_tets(geometry::tet_box({Vec3(0, 0, 0), Vec3(1, 1, 1), {n, n, n}}), 1000);
}

// Each coordinate moved by up to `size`.
inline void shake(State& state, double size, std::uint64_t seed = 1) {
  RandomStream random(seed, 9);
  for (Vec3& p : state.positions)
    for (int c = 0; c < 3; ++c) p[c] += random.uniform(-size, size);
}

// Positions and inverse masses as the sweeps want them.
inline void load_points(const Model& model, const State& state, Work& work) {
  State to = state;
  for (Vec3& v : to.velocities) v.setZero();
  predict(model, {}, {.gravity = Vec3::Zero()}, nth_step(1), to, work);
}

// Runs `steps` steps of length h; fails the test if one is not ok.
inline void run(const Model& model, const Params& params, const Inputs& inputs, double h, int steps,
                State& state, Work& work) {
  State to = state;
  for (int n = 0; n < steps; ++n) {
    const StepReport report = step(model, params, inputs, nth_step(h, n), state, to, work);
    ASSERT_TRUE(report.ok) << report.trouble;
    state = to;
  }
}

// Solid below the plane through the origin.
class Floor final : public ports::FieldSampler {
 public:
  explicit Floor(double slope = 0) : normal_(Vec3(slope, 1, 0).normalized()) {}
  ports::FieldSample sample(const Vec3& point, double) const override {
    return {normal_.dot(point), normal_, Vec3::Zero()};
  }
  bool still() const override { return true; }

 private:
  Vec3 normal_;
};

}  // namespace selkie::pbd::testing
