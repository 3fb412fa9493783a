// Parameters of a sheet of water; all live: they may change between steps.
#pragma once

#include <array>
#include <string_view>

#include "selkie/core/describe.h"

namespace selkie::shallow_water {

enum class Order { first, second };
constexpr auto describe(Order*) { return std::array<std::string_view, 2>{"first", "second"}; }

enum class Limiter {
  minmod,       // the smoothest
  monotonised,  // steeper: least of twice the smaller and the mean of the two slopes
};
constexpr auto describe(Limiter*) { return std::array<std::string_view, 2>{"minmod", "monotonised"}; }

struct Params {
  Order order = Order::second;
  Limiter limiter = Limiter::monotonised;
  double cfl = 0.45;
  double dry_depth = 1e-6;
  double friction = 0;
  double rain = 0;
  double damping_width = 0;
  double damping_rate = 2;
  double damping_level = 0;
  double density = 1000;
  double body_drag = 1;
  double shore_depth = 1e-3;
  double shore_margin = 1e-3;
};
constexpr auto describe(Params*) {
  using P = Params;
  return Members{
      member("order", &P::order, "", "conservative: accuracy in space and time").live(),
      member("limiter", &P::limiter, "", "conservative, second order: how steep slopes may be").live(),
      member(
          "cfl", &P::cfl, "",
          "cells crossed in a step by the fastest waves of both directions together; conservative: no depth "
          "turns negative up to 0.5")
          .between(1e-3, 0.9)
          .live(),
      member("dry_depth", &P::dry_depth, "m", "water thinner than this does not flow")
          .between(1e-12, 1)
          .live(),
      member("friction", &P::friction, "s/m^(1/3)", "Manning's roughness of the ground; a river about 0.03")
          .between(0, 1)
          .live(),
      member("rain", &P::rain, "m/s", "falls everywhere; 100 mm an hour is 2.8e-5").between(0, 10).live(),
      member("damping_width", &P::damping_width, "m",
             "along sides that are not closed, a layer this wide calms the water; 0: none")
          .at_least(0)
          .live(),
      member("damping_rate", &P::damping_rate, "1/s", "of the layer at the side itself").at_least(0).live(),
      member("damping_level", &P::damping_level, "m", "height of the water that the layer draws to").live(),
      member("density", &P::density, "kg/m³", "of the water, felt by floating bodies").above(0).live(),
      member("body_drag", &P::body_drag, "", "drag coefficient of bodies in the water")
          .between(0, 100)
          .live(),
      member("shore_depth", &P::shore_depth, "m",
             "semi-lagrangian, and what is drawn: thinner films wet no dry cell, as if by surface tension")
          .between(0, 1)
          .live(),
      member("shore_margin", &P::shore_margin, "m",
             "the same: above the highest ground around a cell, for it to count as wholly under water")
          .between(1e-9, 1)
          .live(),
  };
}
static_assert(complete<Params>());

}  // namespace selkie::shallow_water
