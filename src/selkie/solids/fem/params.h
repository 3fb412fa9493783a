// Parameters of an elastic body; all live: they may change between steps.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/solids/fem/material.h"

namespace selkie::fem {

enum class Integrator {
  backward_euler,         // one linearisation per step (LE-26); more where that would add energy
  backward_euler_newton,  // the step's energy minimised by Newton's method with line search
  newmark,                // average acceleration, one linearisation: keeps the energy of small vibrations
  symplectic_euler,       // explicit, with a stability limit
};
constexpr auto describe(Integrator*) {
  return std::array<std::string_view, 4>{"backward-euler", "backward-euler-newton", "newmark",
                                         "symplectic-euler"};
}
std::string_view name_of(Integrator integrator);
std::string_view name_of(Law law);

enum class Solver {
  automatic,  // by size: the direct solver for small bodies, conjugate gradients for large ones
  pcg,        // matrix-free conjugate gradients with a block-Jacobi preconditioner
  cholesky,   // sparse direct factorisation
};
constexpr auto describe(Solver*) { return std::array<std::string_view, 3>{"auto", "pcg", "cholesky"}; }

struct Params {
  Law law = Law::corotational;
  double young = 1e5;
  double poisson = 0.3;
  Integrator integrator = Integrator::backward_euler;
  double mass_damping = 0;
  double stiffness_damping = 0;
  double pressure = 0;
  Solver solver = Solver::automatic;
  double tolerance = 1e-6;
  int max_iterations = 500;
  bool real_time = false;
  double time_budget = 0;
  int newton_iterations = 20;
  double newton_tolerance = 1e-8;
  double contact_thickness = 0;
  double grab_speed = 20;
};

constexpr auto describe(Params*) {
  using P = Params;
  return Members{
      member("law", &P::law, "", "How stress follows from strain").live(),
      member("young", &P::young, "Pa", "Young's modulus: stress per strain in tension").above(0).live(),
      member("poisson", &P::poisson, "1",
             "Poisson's ratio: how much a stretched body thins; below 0.5, where nothing could be compressed")
          .above(-1)
          .live(),
      member("integrator", &P::integrator, "", "How positions and velocities advance").live(),
      member("mass_damping", &P::mass_damping, "1/s",
             "Rayleigh damping of all motion, τ_M of D = τ_M M + τ_K K")
          .at_least(0)
          .live(),
      member("stiffness_damping", &P::stiffness_damping, "s", "Rayleigh damping of deformation, τ_K")
          .at_least(0)
          .live(),
      member("pressure", &P::pressure, "Pa",
             "Inside a body of tetrahedra: pushes the walls of its cavities or, without any, its surface "
             "outwards")
          .live(),
      member("solver", &P::solver, "", "Linear solver of the implicit integrators").live(),
      member("tolerance", &P::tolerance, "1", "Relative residual at which a linear solve stops")
          .between(1e-14, 0.1)
          .live(),
      member("max_iterations", &P::max_iterations, "", "Cap of conjugate-gradient iterations per solve")
          .at_least(1)
          .live(),
      member("real_time", &P::real_time, "",
             "Take what the capped iterations reached, instead of repeating the step in halves")
          .live(),
      member("time_budget", &P::time_budget, "s",
             "With real_time in `selkie view`: max_iterations is lowered and raised between steps so that a "
             "step of the world takes about this long; recorded, so that replays keep their bits. 0: never")
          .at_least(0)
          .live(),
      member("newton_iterations", &P::newton_iterations, "", "Cap of Newton iterations per step")
          .at_least(1)
          .live(),
      member("newton_tolerance", &P::newton_tolerance, "1",
             "Relative force imbalance at which Newton iterations stop")
          .between(1e-14, 0.1)
          .live(),
      member("contact_thickness", &P::contact_thickness, "m", "Distance kept from colliders")
          .at_least(0)
          .live(),
      member("grab_speed", &P::grab_speed, "m/s", "Greatest speed of a grabbed vertex").above(0).live(),
  };
}
static_assert(complete<Params>());

// Rules across members, for describe()'s readers.
std::vector<Problem> validate(const Params& params);

}  // namespace selkie::fem
