// Parameters of shape-matched bodies; all live: they may change between steps.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "selkie/core/describe.h"

namespace selkie::shape_matching {

enum class Mode {
  rigid,      // RT-34: goals are the turned and moved shape at rest
  linear,     // RT-35: … which may also shear and stretch, at constant volume
  quadratic,  // RT-36: … bend and twist
};
constexpr auto describe(Mode*) { return std::array<std::string_view, 3>{"rigid", "linear", "quadratic"}; }

struct Params {
  Mode mode = Mode::linear;
  double beta = 0.5;
  double stiffness = 0.5;
  double frequency = 0;
  int iterations = 2;
  double damping = 2;
  double drag = 0;
  double yield = 0;
  double creep = 10;
  double max_plastic = 1;
  bool crowd_contacts = true;
  double friction = 0.4;
  double grab_speed = 20;
};

constexpr auto describe(Params*) {
  using P = Params;
  return Members{
      member("mode", &P::mode, "", "Which deformations of the shape at rest the goals may show").live(),
      member(
          "beta", &P::beta, "1",
          "Share of the deformation that the goals follow in the modes linear and quadratic: 0 is rigid, 1 "
          "never springs back")
          .between(0, 1)
          .live(),
      member("stiffness", &P::stiffness, "1",
             "Share of the way to its goal that a vertex is moved within a step, whatever the iterations")
          .between(0, 1)
          .live(),
      member("frequency", &P::frequency, "Hz",
             "Of vibrations about the shape at rest; if above 0 it replaces stiffness and holds for steps of "
             "any length")
          .at_least(0)
          .live(),
      member("iterations", &P::iterations, "", "Rounds of matching and contacts in a step")
          .between(1, 100)
          .live(),
      member("damping", &P::damping, "1/s", "Rate at which motion other than that of a rigid body decays")
          .at_least(0)
          .live(),
      member("drag", &P::drag, "1/s", "Rate at which velocities decay to rest").at_least(0).live(),
      member("yield", &P::yield, "1",
             "Strain of a cluster beyond which its shape at rest gives way; 0: never")
          .at_least(0)
          .live(),
      member("creep", &P::creep, "1/s", "Rate at which the shape at rest gives way").at_least(0).live(),
      member("max_plastic", &P::max_plastic, "1", "Largest strain that the shape at rest can take on")
          .at_least(0)
          .live(),
      member("crowd_contacts", &P::crowd_contacts, "", "Bodies of this system bump into each other").live(),
      member("friction", &P::friction, "1", "Coulomb coefficient between bodies of this system")
          .at_least(0)
          .live(),
      member("grab_speed", &P::grab_speed, "m/s", "Greatest speed of a grabbed vertex").above(0).live(),
  };
}
static_assert(complete<Params>());

}  // namespace selkie::shape_matching
