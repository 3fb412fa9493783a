// Parameters of a mass-spring body; all live: they may change between steps.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "selkie/core/describe.h"

namespace selkie::mass_spring {

enum class Integrator {
  explicit_euler,         // RT-04: first order, unstable without damping; for comparison
  symplectic_euler,       // RT-05: new velocity moves the position
  rk2,                    // RT-06: midpoint rule
  rk4,                    // RT-07: classical Runge-Kutta
  verlet,                 // RT-08: leapfrog form, second order positions
  implicit_euler,         // RT-09: one linearisation per step
  implicit_euler_newton,  // RT-10: iterated to tolerance
  newmark,                // HY-30: elasticity explicit, damping implicit
  newmark_implicit,       // HY-31: implicit springs with Δt/2 in both solves
  implicit_midpoint,      // HY-31: Δt/2 in the first solve only; conserves the energy of linear springs
  implicit_springs,       // HY-31: backward Euler with frozen spring directions
};
constexpr auto describe(Integrator*) {
  return std::array<std::string_view, 11>{"explicit-euler",
                                          "symplectic-euler",
                                          "rk2",
                                          "rk4",
                                          "verlet",
                                          "implicit-euler",
                                          "implicit-euler-newton",
                                          "newmark",
                                          "newmark-implicit",
                                          "implicit-midpoint",
                                          "implicit-springs"};
}
std::string_view name_of(Integrator integrator);

enum class DampingKind { absolute, fraction };
constexpr auto describe(DampingKind*) { return std::array<std::string_view, 2>{"absolute", "fraction"}; }

enum class Solver {
  automatic,   // conjugate gradients or, where they would take too long, Cholesky; see tangent.cpp
  pcg_jacobi,  // block-Jacobi preconditioner
  pcg_ic,      // incomplete Cholesky preconditioner
  cholesky,    // sparse direct factorisation
};
constexpr auto describe(Solver*) {
  return std::array<std::string_view, 4>{"auto", "pcg-jacobi", "pcg-ic", "cholesky"};
}

struct Params {
  Integrator integrator = Integrator::implicit_euler;
  double stiffness = 1000;
  double damping = 0.02;
  DampingKind damping_kind = DampingKind::fraction;
  bool directional_damping = true;
  double tension_knee = 0.1;
  double tension_slope = 1;
  double compression_factor = 1;
  double compression_knee = 0.1;
  double compression_slope = 1;
  double inversion_guard = 1.5;
  double inversion_threshold = 0.6;
  double drag = 0;
  Solver solver = Solver::automatic;
  double tolerance = 1e-6;
  int max_iterations = 200;
  int newton_iterations = 10;
  double newton_tolerance = 1e-8;
  double contact_thickness = 0;
  double grab_speed = 20;
};

constexpr auto describe(Params*) {
  return Members{
      member("integrator", &Params::integrator, "", "How positions and velocities advance").live(),
      member("stiffness", &Params::stiffness, "N/m",
             "Spring constant; a force in N when the body was built with stiffness per length")
          .at_least(0)
          .live(),
      member("damping", &Params::damping, "N·s/m or 1",
             "Damping of each spring: N·s/m when absolute, share of critical damping when a fraction")
          .at_least(0)
          .live(),
      member("damping_kind", &Params::damping_kind, "", "What the number in `damping` means").live(),
      member("directional_damping", &Params::directional_damping, "",
             "Damp along the spring only; false also damps rotation, which is seldom wanted")
          .live(),
      member("tension_knee", &Params::tension_knee, "1", "Strain above which tension_slope applies")
          .at_least(0)
          .live(),
      member("tension_slope", &Params::tension_slope, "1",
             "Stiffness above the tension knee, as a factor; 1 is a linear spring")
          .at_least(0)
          .live(),
      member("compression_factor", &Params::compression_factor, "1",
             "Stiffness in compression, as a factor; 0 lets springs buckle freely")
          .at_least(0)
          .live(),
      member("compression_knee", &Params::compression_knee, "1",
             "Compressive strain beyond which compression_slope applies")
          .between(0, 1)
          .live(),
      member("compression_slope", &Params::compression_slope, "1",
             "Stiffness beyond the compression knee, as a factor of that before it")
          .at_least(0)
          .live(),
      member(
          "inversion_guard", &Params::inversion_guard, "1",
          "Resistance of squeezed tetrahedra to being turned inside out, relative to their springs; 0: none")
          .at_least(0)
          .live(),
      member("inversion_threshold", &Params::inversion_threshold, "1",
             "Share of its volume at rest below which a tetrahedron counts as squeezed")
          .between(0, 0.9)
          .live(),
      member("drag", &Params::drag, "1/s", "Rate at which velocities decay to rest").at_least(0).live(),
      member("solver", &Params::solver, "", "Linear solver of the implicit integrators").live(),
      member("tolerance", &Params::tolerance, "1", "Relative residual at which a linear solve stops")
          .between(1e-14, 0.1)
          .live(),
      member("max_iterations", &Params::max_iterations, "", "Cap of conjugate-gradient iterations per solve")
          .at_least(1)
          .live(),
      member("newton_iterations", &Params::newton_iterations, "", "Cap of Newton iterations per step")
          .at_least(1)
          .live(),
      member("newton_tolerance", &Params::newton_tolerance, "1",
             "Relative force imbalance at which Newton iterations stop")
          .between(1e-14, 0.1)
          .live(),
      member("contact_thickness", &Params::contact_thickness, "m", "Distance kept from colliders")
          .at_least(0)
          .live(),
      member("grab_speed", &Params::grab_speed, "m/s", "Greatest speed of a grabbed vertex").above(0).live(),
  };
}
static_assert(complete<Params>());

// Rules across members, for describe()'s readers.
std::vector<Problem> validate(const Params& params);

// True when springs answer tension and compression with one slope, so that the plain kernel may be used.
inline bool is_linear_law(const Params& p) {
  return p.tension_slope == 1 && p.compression_factor == 1 && p.compression_slope == 1;
}

}  // namespace selkie::mass_spring
