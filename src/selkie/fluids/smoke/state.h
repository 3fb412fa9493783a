// State of a smoke domain: everything that influences a later step. Pressure is the warm start of the next
// solve.
#pragma once

#include <cstdint>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/fluids/smoke/model.h"
#include "selkie/grid/field.h"
#include "selkie/math/types.h"

namespace selkie::smoke {

template <class Real>
struct State {
  Buffer<Real> velocity_x, velocity_y, velocity_z;  // at low faces; velocity_z is empty in 2-D
  Buffer<Real> density;
  Buffer<Real> temperature;
  Buffer<Real> fuel;  // empty unless the model burns
  Buffer<Real> pressure;
  Buffer<Vec3> vortex_positions;
  Buffer<Vec3> vortex_strengths;
  Buffer<double> vortex_radii;
  Buffer<std::uint64_t> vortex_identities;
  std::uint64_t vortices_seeded = 0;

  std::array<Buffer<Real>*, 3> velocity() { return {&velocity_x, &velocity_y, &velocity_z}; }
  std::array<const Buffer<Real>*, 3> velocity() const { return {&velocity_x, &velocity_y, &velocity_z}; }
};

template <class Real>
constexpr auto describe(State<Real>*) {
  using S = State<Real>;
  return Members{
      member("velocity_x", &S::velocity_x, "m/s", "Velocity along x at the low x faces of cells"),
      member("velocity_y", &S::velocity_y, "m/s", "Velocity along y at the low y faces of cells"),
      member("velocity_z", &S::velocity_z, "m/s", "Velocity along z at the low z faces of cells"),
      member("density", &S::density, "1", "Amount of smoke at cell centres"),
      member("temperature", &S::temperature, "K", "Above ambient, at cell centres"),
      member("fuel", &S::fuel, "1", "Share of unburnt fuel at cell centres"),
      member("pressure", &S::pressure, "m/s",
             "Pressure times step over density and cell size, of the last projection"),
      member("vortex_positions", &S::vortex_positions, "m", "Vortex particles"),
      member("vortex_strengths", &S::vortex_strengths, "m³/s", "Vorticity times volume of each"),
      member("vortex_radii", &S::vortex_radii, "m", "Reach of each"),
      member("vortex_identities", &S::vortex_identities, "", "Number of each, in order of birth"),
      member("vortices_seeded", &S::vortices_seeded, "", "How many were ever born"),
  };
}
static_assert(complete<State<float>>());

// Everything at rest and clear.
template <class Real>
State<Real> make_state(const Model& model);

// The three faces as views; in 2-D the third is empty.
template <class Real>
grid::FaceViews<Real> velocity_views(const Model& model, State<Real>& state);
template <class Real>
grid::FaceViews<const Real> velocity_views(const Model& model, const State<Real>& state);

}  // namespace selkie::smoke
