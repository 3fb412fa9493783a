// Parameters of a vortex-method domain; all live: they may change between steps.
#pragma once

#include <array>
#include <string_view>

#include "selkie/core/describe.h"
#include "selkie/grid/advect.h"

namespace selkie::vortex_method {

// How strengths α stretch and tilt, with G_ij = ∂u_i/∂x_j. For a vorticity without divergence both are the
// same; on particles only the first keeps the sum of all strengths, which the flow far away depends on
// [Winckelmans93].
enum class Stretching { transpose, classic };  // dα/dt = Gᵀα; dα/dt = Gα as in [Selle08 eq. 3.4]
constexpr auto describe(Stretching*) { return std::array<std::string_view, 2>{"transpose", "classic"}; }

struct Params {
  Stretching stretching = Stretching::transpose;
  double viscosity = 0;
  double buoyancy = 0;
  int remesh_every = 10;
  double remesh_cutoff = 1e-4;
  grid::AdvectOptions advect_smoke = {.scheme = grid::Scheme::maccormack, .limiter = grid::Limiter::clamp};
  double cfl = 0.5;
  double tolerance = 1e-5;
  int max_iterations = 100;
};

constexpr auto describe(Params*) {
  using P = Params;
  return Members{
      member("stretching", &P::stretching, "",
             "how vorticity stretches: transpose keeps its total, classic is the textbook form")
          .live(),
      member("viscosity", &P::viscosity, "m²/s", "kinematic viscosity; 0: inviscid").at_least(0).live(),
      member("buoyancy", &P::buoyancy, "m/s²", "lift per unit of smoke density; negative: smoke sinks")
          .live(),
      member("remesh_every", &P::remesh_every, "steps",
             "after how many steps particles are put back on the grid; 0: never")
          .between(0, 1e6)
          .live(),
      member("remesh_cutoff", &P::remesh_cutoff, "",
             "particles weaker than this share of the strongest are not made anew")
          .between(0, 0.1)
          .live(),
      member("advect_smoke", &P::advect_smoke, "", "how smoke is carried").live(),
      member("cfl", &P::cfl, "cells",
             "how many cells the gas may cross in one step; cores turn too far above 1")
          .above(0)
          .live(),
      member("tolerance", &P::tolerance, "", "relative residual at which the solves for the flow stop")
          .between(1e-12, 0.1)
          .live(),
      member("max_iterations", &P::max_iterations, "", "cap of each solve").at_least(1).live(),
  };
}
static_assert(complete<Params>());

}  // namespace selkie::vortex_method
