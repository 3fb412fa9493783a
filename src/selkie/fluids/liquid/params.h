// Parameters of a liquid domain; all live: they may change between steps.
#pragma once

#include <array>
#include <string_view>

#include "selkie/core/describe.h"
#include "selkie/grid/advect.h"

namespace selkie::liquid {

// How velocity passes from the grid back to the particles (LE-11, LE-12).
enum class Transfer {
  pic,   // particles take the grid's velocity: calm, and dissipative
  flip,  // particles take the grid's change, blended with its velocity
  apic,  // particles take velocity and its gradient: keeps angular momentum [Jiang15]
};
constexpr auto describe(Transfer*) { return std::array<std::string_view, 3>{"pic", "flip", "apic"}; }

enum class Kernel { hat, quadratic };
constexpr auto describe(Kernel*) { return std::array<std::string_view, 2>{"hat", "quadratic"}; }

// How particles are moved through the flow.
enum class Motion { midpoint, third_order };
constexpr auto describe(Motion*) { return std::array<std::string_view, 2>{"midpoint", "third-order"}; }

// What distance the particles make.
enum class SurfaceKind {
  averaged,  // to the mean of the particles around, so scaled that a flat surface is exact [Zhu05 §5]
  spheres,   // to the nearest of balls around the particles (LE-17)
};
constexpr auto describe(SurfaceKind*) { return std::array<std::string_view, 2>{"averaged", "spheres"}; }

struct Params {
  Transfer transfer = Transfer::flip;
  double flip_share = 0.97;
  Kernel kernel = Kernel::hat;
  Motion motion = Motion::midpoint;
  SurfaceKind surface = SurfaceKind::averaged;
  grid::AdvectOptions advect = {
      .scheme = grid::Scheme::maccormack, .limiter = grid::Limiter::revert, .trace = grid::Trace::midpoint};
  double density = 1000;
  double viscosity = 0;
  double surface_tension = 0;
  bool keep_volume = true;
  double separation = 0.85;
  int reseed = 0;
  int band = 0;
  double foam = 0;
  double foam_life = 2;
  double cfl = 2;
  double tolerance = 1e-4;
  int max_iterations = 200;
};

constexpr auto describe(Params*) {
  using P = Params;
  return Members{
      member("transfer", &P::transfer, "", "How velocity passes from the grid back to the particles").live(),
      member("flip_share", &P::flip_share, "", "Share of the grid's change in a flip transfer; 0 is pic")
          .between(0, 1)
          .live(),
      member("kernel", &P::kernel, "", "Reach of a particle on the grid").live(),
      member("motion", &P::motion, "", "How particles are moved through the flow").live(),
      member("surface", &P::surface, "", "What distance to the surface the particles make").live(),
      member("advect", &P::advect, "", "How velocity is carried with a level set").live(),
      member("density", &P::density, "kg/m³", "Density of the liquid").above(0).live(),
      member("viscosity", &P::viscosity, "Pa·s", "Dynamic viscosity, implicit; 0: inviscid")
          .at_least(0)
          .live(),
      member("surface_tension", &P::surface_tension, "N/m", "Pull of the surface; limits the step")
          .at_least(0)
          .live(),
      member("keep_volume", &P::keep_volume, "",
             "Let crowded liquid expand and thin liquid shrink, so that the volume stays")
          .live(),
      member("separation", &P::separation, "",
             "Particles nearer than this share of their spacing are pushed apart; 0: never")
          .between(0, 1)
          .live(),
      member("reseed", &P::reseed, "steps",
             "Steps after which inner cells with few particles get new ones and crowded ones lose some; 0: "
             "never")
          .at_least(0)
          .live(),
      member("band", &P::band, "cells",
             "Particles only this deep below the surface and two cells more, deeper liquid moves on the "
             "grid; 0: "
             "everywhere")
          .at_least(0)
          .live(),
      member("foam", &P::foam, "1/s",
             "Births of spray, foam and bubbles per second and particle of fast, broken liquid, with a level "
             "set per "
             "marker that escaped from it; 0: none")
          .at_least(0)
          .live(),
      member("foam_life", &P::foam_life, "s", "How long foam lasts").at_least(0).live(),
      member("cfl", &P::cfl, "cells", "How many cells the liquid may cross in one step").above(0).live(),
      member("tolerance", &P::tolerance, "1", "Relative residual at which the pressure solve stops")
          .between(1e-14, 0.1)
          .live(),
      member("max_iterations", &P::max_iterations, "", "Cap of the pressure solve").at_least(1).live(),
  };
}
static_assert(complete<Params>());

}  // namespace selkie::liquid
