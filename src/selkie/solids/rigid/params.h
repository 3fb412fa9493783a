// Parameters of rigid bodies; all live: they may change between steps.
#pragma once

#include <tuple>

#include "selkie/core/describe.h"

namespace selkie::rigid {

struct Params {
  double friction = 0.5;
  double restitution = 0.2;
  int iterations = 100;
  double longest_step = 1.0 / 120;
  double push_out_speed = 1;
  double grab_speed = 20;
  double drag = 0;
};

constexpr auto describe(Params*) {
  using P = Params;
  return std::tuple{
      member("friction", &P::friction, "",
             "Coulomb coefficient between bodies; against colliders theirs holds")
          .at_least(0)
          .live(),
      member("restitution", &P::restitution, "",
             "share of the normal speed given back; against colliders the larger of theirs and this")
          .between(0, 1)
          .live(),
      member("iterations", &P::iterations, "",
             "most sweeps over all contacts per step; fewer where they settle earlier")
          .between(1, 10000)
          .live(),
      member("longest_step", &P::longest_step, "s", "longest sub-step").above(0).live(),
      member("push_out_speed", &P::push_out_speed, "m/s",
             "greatest speed at which overlap is undone; it adds no momentum")
          .at_least(0)
          .live(),
      member("grab_speed", &P::grab_speed, "m/s", "greatest speed of a grabbed point, whatever it weighs")
          .above(0)
          .live(),
      member("drag", &P::drag, "1/s", "rate at which velocities decay to rest").at_least(0).live(),
  };
}
static_assert(complete<Params>());

}  // namespace selkie::rigid
