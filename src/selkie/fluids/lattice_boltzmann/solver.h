// Lattice Boltzmann gas: collide with a relaxation time, stream to neighbours, bounce back half-way at walls,
// and let Smagorinsky's model add viscosity where strain is strong. [Müller08 ch. 10; RT-52, RT-53, RT-54]
// Everything inside is in lattice units (cell and step are 1); physical units come in through Params and
// step(). Limits: speeds well below one third of a cell a step; weakly compressible; walls do not move
// through the grid; one fixed step length (after a change populations are rescaled so that physical velocity
// is kept).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/core/function_ref.h"
#include "selkie/grid/shape.h"
#include "selkie/math/types.h"
#include "selkie/ports/step_report.h"
#include "selkie/ports/time.h"

namespace selkie::lattice_boltzmann {

// Which z stands in S = [√(z² + 18 C² √(Π:Π)) − z] / 6C²: ν as printed, or τ₀ as a derivation gives (erratum
// E32).
enum class Smagorinsky { printed, consistent };
constexpr auto describe(Smagorinsky*) { return std::array<std::string_view, 2>{"printed", "consistent"}; }

struct Params {
  double viscosity = 1e-3;
  double turbulence = 0.03;
  Smagorinsky turbulence_form = Smagorinsky::printed;
  Vec3 acceleration = Vec3::Zero();
  double top_speed = 1;
  double lattice_speed = 0.1;
};
constexpr auto describe(Params*) {
  using P = Params;
  return Members{
      member("viscosity", &P::viscosity, "m²/s", "kinematic viscosity").at_least(0).live(),
      member("turbulence", &P::turbulence, "", "Smagorinsky's constant C; 0: none").between(0, 1).live(),
      member("turbulence_form", &P::turbulence_form, "", "which form of the turbulence model").live(),
      member("acceleration", &P::acceleration, "m/s²", "a force per mass that drives the gas").live(),
      member("top_speed", &P::top_speed, "m/s",
             "the greatest speed expected; with lattice_speed sets the step")
          .above(0)
          .live(),
      member("lattice_speed", &P::lattice_speed, "cells", "how far the greatest speed goes in one step")
          .between(1e-4, 0.3)
          .live(),
  };
}
static_assert(complete<Params>());

// What a cell is: gas, or wall number n − 1 of `wall_velocities`.
using CellKind = std::uint8_t;
inline constexpr CellKind kGas = 0;

struct Model {
  grid::Shape shape;
  std::array<bool, 3> periodic{false, false, false};
  Buffer<CellKind> kinds;             // of shape.size(), the ghost layer included
  std::vector<Vec3> wall_velocities;  // m/s; entry 0 is the resting wall
};

// All gas, resting walls on the sides that are not periodic.
Model make_model(const grid::Shape& shape, std::array<bool, 3> periodic);
// Makes the ghost cells of one side a wall of this velocity (m/s), such as the lid of a cavity.
void set_side_velocity(Model& model, int axis, bool high, const Vec3& velocity);

// Makes the cells whose middle lies in a solid (a negative distance) resting walls.
void set_obstacle(Model& model, FunctionRef<double(const Vec3&)> distance);

template <class Real>
struct State {
  Buffer<Real> populations;  // direction by direction, each a field of the shape
  double step = 0;           // s, that the populations are scaled for
};
template <class Real>
constexpr auto describe(State<Real>*) {
  using S = State<Real>;
  return Members{
      member("populations", &S::populations, "", "f_q at cell centres, one field per direction"),
      member("step", &S::step, "s", "length of the step that the populations are scaled for")};
}
static_assert(complete<State<float>>());

// Equilibrium at rest.
template <class Real>
State<Real> make_state(const Model& model);

// One step: pull, collide. Reads `from`, writes `to`.
template <class Real>
StepReport step(const Model& model, const Params& params, Interval interval, const State<Real>& from,
                State<Real>& to);

// The step that moves top_speed by lattice_speed cells.
double step_length(const Model& model, const Params& params);

// Density (1 at rest) and velocity (m/s) at cell centres; zero in walls.
template <class Real>
void moments(const Model& model, const Params& params, const State<Real>& state, Buffer<Real>& density,
             std::array<Buffer<Real>, 3>& velocity);

// Sets the populations of one cell to equilibrium at a density and velocity (m/s, for steps of `dt`).
template <class Real>
void set_equilibrium(const Model& model, int i, int j, int k, double density, const Vec3& velocity, double dt,
                     State<Real>& state);

template <class Real>
double total_mass(const Model& model, const State<Real>& state);

}  // namespace selkie::lattice_boltzmann
