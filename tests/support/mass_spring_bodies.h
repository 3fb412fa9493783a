// Small mass-spring bodies and a run loop, shared by unit and verification tests.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "selkie/geometry/generators.h"
#include "selkie/solids/mass_spring/step.h"

namespace selkie::mass_spring::testing {

inline constexpr std::array kAllIntegrators = {Integrator::explicit_euler,
                                               Integrator::symplectic_euler,
                                               Integrator::rk2,
                                               Integrator::rk4,
                                               Integrator::verlet,
                                               Integrator::implicit_euler,
                                               Integrator::newmark,
                                               Integrator::implicit_euler_newton,
                                               Integrator::newmark_implicit,
                                               Integrator::implicit_midpoint,
                                               Integrator::implicit_springs};

// The n-th step of length h; dt() is h to the last bit.
inline Interval nth_step(double h, int n = 0) { return {n, n + 1, h}; }

// Hooke springs without damping, and solves to near round-off.
inline Params exact_params(Integrator integrator, double stiffness) {
  Params params;
  params.integrator = integrator;
  params.stiffness = stiffness;
  params.damping = 0;
  params.damping_kind = DampingKind::absolute;
  params.tolerance = 1e-13;
  params.newton_tolerance = 1e-12;
  return params;
}

inline Inputs weightless() {
  Inputs inputs;
  inputs.gravity = Vec3::Zero();
  return inputs;
}

struct Body {
  Model model;
  State state;
};

// A unit mass on a spring of rest length 1 along x, the other end pinned at the origin: exactly linear in
// the elongation, ω² = stiffness.
inline Body oscillator(double elongation, double velocity = 0) {
  const std::vector<Vec3> rest = {Vec3::Zero(), Vec3::UnitX()};
  const std::vector<SpringInput> springs = {{.ends = {0, 1}}};
  const std::vector<double> masses = {1, 1};
  Body body{build_model(rest, springs, masses), {}};
  body.state = make_state(body.model, rest);
  pin(body.state, 0);
  body.state.positions[1].x() += elongation;
  body.state.velocities[1].x() = velocity;
  return body;
}

// `count` unit masses 1 m apart along x, joined to their neighbours.
inline Body chain(int count, double mass = 1) {
  geometry::SegmentMesh mesh;
  std::vector<SpringInput> springs;
  for (int i = 0; i < count; ++i) mesh.positions.push_back(Vec3(i, 0, 0));
  for (std::uint32_t i = 0; i + 1 < static_cast<std::uint32_t>(count); ++i)
    springs.push_back({.ends = {i, i + 1}});
  Body body{build_model(mesh.positions, springs, std::vector<double>(mesh.positions.size(), mass)), {}};
  body.state = make_state(body.model, mesh.positions);
  return body;
}

// A deformed, tumbling tet block of n³ cells and about 1 kg.
inline Body block(int n) {
  geometry::BoxShape shape;
  shape.divisions = {n, n, n};
  const geometry::TetMesh mesh = geometry::tet_box(shape);
  Body body{from_tets(mesh, 1.0), {}};
  body.state = make_state(body.model, mesh.positions);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Vec3& x = mesh.positions[i];
    body.state.positions[i] += 0.03 * Vec3(std::sin(5 * x.y()), std::sin(4 * x.z()), std::sin(6 * x.x()));
    body.state.velocities[i] = Vec3(x.y(), 0.5 - x.x(), 0.3 * x.z());
  }
  return body;
}

inline void run(const Body& body, const Params& params, const Inputs& inputs, double h, int steps,
                State& state) {
  Work work;
  State to = state;
  for (int n = 0; n < steps; ++n) {
    const StepReport report = step(body.model, params, inputs, nth_step(h, n), state, to, work);
    ASSERT_TRUE(report.ok) << name_of(params.integrator) << " at step " << n << ": " << report.trouble;
    state = to;
  }
}

}  // namespace selkie::mass_spring::testing
