// Parameters of rigid bodies; all live: they may change between steps.
#pragma once

#include <array>
#include <string_view>

#include "selkie/core/describe.h"
#include "selkie/math/types.h"

namespace selkie::rigid {

// How a body that nothing touches turns (RT-40): exact rotations about the principal axes one after the other, or
// the textbook's rules for comparison.
enum class TurnRule { splitting, euler, runge_kutta_4 };
constexpr auto describe(TurnRule*) {
  return std::array<std::string_view, 3>{"splitting", "euler", "runge_kutta_4"};
}

struct Params {
  double friction = 0.5;
  double restitution = 0.2;
  int substeps = 4;
  int iterations = 1;
  double longest_step = 1.0 / 60;
  double contact_rate = 0.125;
  double push_out_speed = 3;
  double bounce_speed = 0.25;
  bool sleeping = true;
  double sleep_speed = 0.02;
  double sleep_time = 0.5;
  TurnRule turn_rule = TurnRule::splitting;
  double grab_speed = 20;
  double drag = 0;
  Vec3 wind = Vec3::Zero();
};

constexpr auto describe(Params*) {
  using P = Params;
  return Members{
      member("friction", &P::friction, "",
             "Coulomb coefficient of bodies that have none of their own; against colliders theirs holds")
          .at_least(0)
          .live(),
      member("restitution", &P::restitution, "",
             "share of the normal speed given back by bodies without one of their own; the larger of two holds")
          .between(0, 1)
          .live(),
      member("substeps", &P::substeps, "", "parts a step is solved in; stiffness of stacks grows with their square")
          .between(1, 1000)
          .live(),
      member("iterations", &P::iterations, "", "sweeps over all contacts and joints per part").between(1, 1000).live(),
      member("longest_step", &P::longest_step, "s", "longest step; contacts are found once in each").above(0).live(),
      member("contact_rate", &P::contact_rate, "",
             "how fast overlap is undone, in cycles per part of a step: lower is softer")
          .between(0.001, 1)
          .live(),
      member("push_out_speed", &P::push_out_speed, "m/s",
             "greatest speed at which overlap is undone; it adds no momentum")
          .at_least(0)
          .live(),
      member("bounce_speed", &P::bounce_speed, "m/s", "slower impacts do not bounce").at_least(0).live(),
      member("sleeping", &P::sleeping, "", "bodies that have come to rest are not computed until something moves them")
          .live(),
      member("sleep_speed", &P::sleep_speed, "m/s", "what is slower everywhere on its surface counts as resting")
          .at_least(0)
          .live(),
      member("sleep_time", &P::sleep_time, "s", "how long all bodies in touch must rest before they sleep")
          .at_least(0)
          .live(),
      member("turn_rule", &P::turn_rule, "", "how free bodies turn").live(),
      member("grab_speed", &P::grab_speed, "m/s", "greatest speed of a grabbed point, whatever it weighs")
          .above(0)
          .live(),
      member("drag", &P::drag, "1/s", "rate at which velocities decay to that of the air").at_least(0).live(),
      member("wind", &P::wind, "m/s", "velocity of the air; it is felt through 'drag'").live(),
  };
}
static_assert(complete<Params>());

}  // namespace selkie::rigid
