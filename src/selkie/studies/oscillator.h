// Test problems of the integrator study, all stepped by mass_spring::step itself:
// - a mass on a pinned spring, moved along the spring: exactly linear, so one step is a 2×2 matrix;
// - the same swinging in a plane under gravity (elastic pendulum): smooth and non-linear;
// - a chain of equal masses and springs.
#pragma once

#include <optional>
#include <span>

#include "selkie/solids/mass_spring/diagnostics.h"
#include "selkie/solids/mass_spring/integrators.h"
#include "selkie/solids/mass_spring/step.h"

namespace selkie::studies {

using mass_spring::Integrator;

inline constexpr Integrator kIntegrators[] = {
    Integrator::explicit_euler,
    Integrator::symplectic_euler,
    Integrator::rk2,
    Integrator::rk4,
    Integrator::verlet,
    Integrator::implicit_euler,
    Integrator::implicit_euler_newton,
    Integrator::newmark,
    Integrator::newmark_implicit,
    Integrator::implicit_midpoint,
    Integrator::implicit_springs,
};

// A body with everything a step needs.
struct Body {
  mass_spring::Model model;
  mass_spring::Params params;
  mass_spring::Inputs inputs;
  mass_spring::State state;
  mass_spring::State next;  // what the step writes
  mass_spring::Work work;
};

// One step of h seconds; false on numerical trouble, and the state is then kept.
bool advance(Body& body, double h);
bool advance(Body& body, double h, int steps);

// Parameters for measuring: no damping, linear solves to round-off.
mass_spring::Params exact_params(Integrator integrator);

// The mass hangs on the pinned vertex 0 by a spring of rest length 1 m along x.
inline constexpr double kMass = 0.25;      // kg
inline constexpr double kStiffness = 100;  // N/m
inline constexpr double kOmega = 20;       // 1/s, √(k/m)
inline constexpr double kRestLength = 1;   // m

// The oscillator at displacement x (m) and velocity v (m/s) along the spring; zeta is the share of critical
// damping, b = 2 ζ √(k m). Verlet's velocity is that of its running form, one step old (RT-08).
Body make_oscillator(Integrator integrator, double z, double zeta, double x, double v);
double displacement(const Body& oscillator);
double velocity(const Body& oscillator);

// One step as a linear map of (ω x, v), found by stepping two independent states.
struct StepMap {
  double xx = 0, xv = 0, vx = 0, vv = 0;
  double trace() const { return xx + vv; }
  double determinant() const { return xx * vv - xv * vx; }
  double radius() const;  // spectral radius: the growth of an amplitude per step
};
StepMap measure_map(Integrator integrator, double z, double zeta = 0);

// The mass pulled along the spring to 1.5 times its rest length and moved across it: there the spring answers
// with tension / length. z is the step times the transverse frequency.
StepMap measure_transverse_map(Integrator integrator, double z);
double transverse_stability_limit(Integrator integrator);  // stability_limit() as z

// As measure_map for Newmark's solves with any intervals τ, given in units of the step (HY-31).
StepMap measure_newmark_map(double z, mass_spring::NewmarkIntervals taus);

// A chain along x, spacing and rest length 1/8 m (exact in binary: its springs are truly at rest), nothing
// pinned.
struct ChainOptions {
  std::uint32_t vertex_count = 0;
  double mass = 0.01;      // kg, each
  double stiffness = 1e4;  // N/m, each
};
Body make_chain(Integrator integrator, const ChainOptions& options);

// Elastic pendulum: where the mass is and how fast, in the plane.
struct Swing {
  Vec3 position = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();
};
struct PendulumOptions {
  double damping = 0;                 // N·s/m along the spring
  bool verlet_velocity_lags = false;  // leaves out Verlet's start: takes v₀ for the lagging velocity
};
// After `steps` steps to time kSwingTime; nothing on numerical trouble.
inline constexpr double kSwingTime = 1.5;  // s
std::optional<Swing> swing(Integrator integrator, int steps, const PendulumOptions& options = {});

// The same by an independent integration in extended precision.
Swing reference_swing(double damping, int steps);

}  // namespace selkie::studies
