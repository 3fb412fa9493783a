// Parameters of a smoke domain; all live: they may change between steps.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/grid/advect.h"
#include "selkie/math/types.h"

namespace selkie::smoke {

// How vortex particles act on the gas [Selle08 §3.4.2].
enum class VortexForcing {
  particle,    // each pushes with its own strength
  variable,    // strengths spread on the grid become a confinement ε that varies in space
  shortfall,   // as `particle`, scaled by what the grid's vorticity lacks
  difference,  // the lacking vorticity, on the grid, through the confinement formula
};
constexpr auto describe(VortexForcing*) {
  return std::array<std::string_view, 4>{"particle", "variable", "shortfall", "difference"};
}
enum class VortexKernel { gaussian, tent };
constexpr auto describe(VortexKernel*) { return std::array<std::string_view, 2>{"gaussian", "tent"}; }
enum class VortexAtSolid { remove, project };
constexpr auto describe(VortexAtSolid*) { return std::array<std::string_view, 2>{"remove", "project"}; }

// Where transport keeps the first-order value, because a ray may leave the gas (HY-06).
enum class FirstOrder {
  nowhere,     // to compare with
  solids,      // within a step's reach of solids
  boundaries,  // there, and where gas may cross a side of the box within the step
};
constexpr auto describe(FirstOrder*) {
  return std::array<std::string_view, 3>{"nowhere", "solids", "boundaries"};
}

// Tangential velocities of closed sides, felt by viscous gas.
struct Walls {
  Vec3 low_x = Vec3::Zero(), high_x = Vec3::Zero();
  Vec3 low_y = Vec3::Zero(), high_y = Vec3::Zero();
  Vec3 low_z = Vec3::Zero(), high_z = Vec3::Zero();

  // By axis and side.
  std::array<std::array<Vec3, 2>, 3> velocities() const {
    return {{{low_x, high_x}, {low_y, high_y}, {low_z, high_z}}};
  }
};
constexpr auto describe(Walls*) {
  using W = Walls;
  return Members{member("low_x", &W::low_x, "m/s", "of the side at low x").live(),
                 member("high_x", &W::high_x, "m/s", "of the side at high x").live(),
                 member("low_y", &W::low_y, "m/s", "of the side at low y").live(),
                 member("high_y", &W::high_y, "m/s", "of the side at high y").live(),
                 member("low_z", &W::low_z, "m/s", "of the side at low z").live(),
                 member("high_z", &W::high_z, "m/s", "of the side at high z").live()};
}
static_assert(complete<Walls>());

struct Params {
  grid::AdvectOptions advect = {.scheme = grid::Scheme::maccormack, .limiter = grid::Limiter::clamp};
  grid::AdvectOptions advect_scalars = {.scheme = grid::Scheme::maccormack, .limiter = grid::Limiter::clamp};
  FirstOrder first_order = FirstOrder::boundaries;
  bool voxels = false;
  bool reflect = false;
  double buoyancy = 0.1;
  double weight = 0.05;
  double dissipation = 0;
  double cooling = 0.2;
  double confinement = 0;
  double viscosity = 0;
  Walls walls;
  Vec3 wind = Vec3::Zero();
  double burn_rate = 3;
  double ignition = 20;
  double heat = 150;
  double soot = 1;
  double burn_expansion = 0;
  VortexForcing vortex_forcing = VortexForcing::particle;
  VortexKernel vortex_kernel = VortexKernel::gaussian;
  VortexAtSolid vortex_at_solid = VortexAtSolid::remove;
  double vortex_strength = 1;
  double cfl = 4;
  double tolerance = 1e-4;
  int max_iterations = 100;
};

constexpr auto describe(Params*) {
  using P = Params;
  return Members{
      member("advect", &P::advect, "", "How velocity is carried").live(),
      member("advect_scalars", &P::advect_scalars, "", "How smoke, heat and fuel are carried").live(),
      member("first_order", &P::first_order, "",
             "Where transport falls back to first order, because paths may leave the gas")
          .live(),
      member("voxels", &P::voxels, "", "Solids are whole cells instead of cut ones; coarse, to compare with")
          .live(),
      member("reflect", &P::reflect, "",
             "Two half steps with the pressure reflected between them: second order in time, twice the work")
          .live(),
      member("buoyancy", &P::buoyancy, "m/(s²·K)", "Lift per kelvin above ambient").live(),
      member("weight", &P::weight, "m/s²", "Downward pull per unit of smoke density").live(),
      member("dissipation", &P::dissipation, "1/s", "Rate at which smoke thins out").at_least(0).live(),
      member("cooling", &P::cooling, "1/s", "Rate at which heat is lost").at_least(0).live(),
      member("confinement", &P::confinement, "1",
             "Strength of vorticity confinement; above about 1 it can destroy the flow")
          .at_least(0)
          .live(),
      member("viscosity", &P::viscosity, "m²/s", "Kinematic viscosity, implicit; 0: inviscid")
          .at_least(0)
          .live(),
      member("walls", &P::walls, "", "How closed sides slide, such as the lid of a cavity").live(),
      member("wind", &P::wind, "m/s", "Velocity at the sides that are \"wind\"").live(),
      member("burn_rate", &P::burn_rate, "1/s", "Rate at which ignited fuel burns").at_least(0).live(),
      member("ignition", &P::ignition, "K", "Above ambient, where fuel begins to burn").live(),
      member("heat", &P::heat, "K", "Rise of temperature when a full share of fuel burns").live(),
      member("soot", &P::soot, "1", "Smoke that a full share of fuel leaves").at_least(0).live(),
      member("burn_expansion", &P::burn_expansion, "1",
             "Growth of volume when a full share of fuel burns; needs an open side")
          .at_least(0)
          .live(),
      member("vortex_forcing", &P::vortex_forcing, "", "How vortex particles act on the gas").live(),
      member("vortex_kernel", &P::vortex_kernel, "", "Shape of a vortex particle's push").live(),
      member("vortex_at_solid", &P::vortex_at_solid, "", "What becomes of vortex particles in solids").live(),
      member("vortex_strength", &P::vortex_strength, "1", "Multiplies the push of every vortex particle")
          .live(),
      member("cfl", &P::cfl, "cells", "How many cells the gas may cross in one step").above(0).live(),
      member("tolerance", &P::tolerance, "1", "Relative residual at which the pressure solve stops")
          .between(1e-12, 0.1)
          .live(),
      member("max_iterations", &P::max_iterations, "", "Cap of the pressure solve").at_least(1).live(),
  };
}
static_assert(complete<Params>());

}  // namespace selkie::smoke
