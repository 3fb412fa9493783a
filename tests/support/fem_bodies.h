// Small elastic bodies and a run loop, shared by unit and verification tests.
#pragma once

#include <gtest/gtest.h>

#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/solids/fem/step.h"

namespace selkie::fem::testing {

inline constexpr std::array kAllIntegrators{Integrator::backward_euler, Integrator::backward_euler_newton,
                                            Integrator::newmark, Integrator::symplectic_euler};

// The n-th step of length h; dt() is h to the last bit.
inline Interval nth_step(double h, int n = 0) { return {n, n + 1, h}; }

// The unit right tetrahedron of LE-25.
inline Model unit_tet(double density = 6) {
  return from_tets({{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}, {{0, 1, 2, 3}}}, density);
}

inline Model block(int n, double density = 1000) {
  return from_tets(geometry::tet_box({Vec3(0, 0, 0), Vec3(1, 1, 1), {n, n, n}}), density);
}

// nx × ny quads of a rectangle in the xy plane.
inline Model plate(int nx, int ny, double length = 1, double height = 1, double density = 1000,
                   double thickness = 1) {
  geometry::SheetShape shape;
  shape.center = Vec3(length / 2, height / 2, 0);
  shape.size = {length, height};
  shape.divisions = {nx, ny};
  shape.u = Vec3::UnitX();
  shape.v = Vec3::UnitY();
  return from_triangles(geometry::sheet(shape), density, thickness);
}

// Rest positions moved by up to `size`, in the plane for bodies of triangles.
inline Buffer<Vec3> shaken(const Model& model, double size, std::uint64_t seed = 1) {
  Buffer<Vec3> x;
  x.copy_from(model.rest_positions.data(), model.rest_positions.size());
  RandomStream random(seed, 9);
  for (Vec3& p : x)
    for (int c = 0; c < model.dimension; ++c) p[c] += random.uniform(-size, size);
  return x;
}

inline Params elastic(Law law, double young = 10, double poisson = 0.3) {
  Params params;
  params.law = law;
  params.young = young;
  params.poisson = poisson;
  return params;
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

}  // namespace selkie::fem::testing
