// Parameters of modal bodies; all live: they may change between steps.
#pragma once

#include "selkie/core/describe.h"

namespace selkie::modal {

struct Params {
  double stiffness_factor = 1;
  double mass_damping = 0;
  double stiffness_damping = 1e-4;
  double drag = 0;
  bool centrifugal = false;
  double longest_step = 1.0 / 120;
  int iterations = 30;
  double contact_thickness = 0;
  double push_out_speed = 1;
  double largest_displacement = 0.25;
  double grab_speed = 20;
  double exaggeration = 1;
  bool meet = true;
  double friction = 0.3;
};

constexpr auto describe(Params*) {
  using P = Params;
  return Members{
      member("stiffness_factor", &P::stiffness_factor, "1",
             "multiplies the squared frequencies, as a change of Young's modulus does")
          .above(0)
          .live(),
      member("mass_damping", &P::mass_damping, "1/s",
             "Rayleigh damping of all modes alike, α of q̈ + (α + βλ)q̇ + λq = f")
          .at_least(0)
          .live(),
      member("stiffness_damping", &P::stiffness_damping, "s", "Rayleigh damping of fast modes, β")
          .at_least(0)
          .live(),
      member("drag", &P::drag, "1/s", "rate at which velocity and spin of the bodies decay")
          .at_least(0)
          .live(),
      member("centrifugal", &P::centrifugal, "", "spinning stretches the bodies").live(),
      member("longest_step", &P::longest_step, "s", "longest sub-step").above(0).live(),
      member("iterations", &P::iterations, "", "most sweeps over the contacts of a body per step")
          .between(1, 10000)
          .live(),
      member("contact_thickness", &P::contact_thickness, "m", "distance kept from colliders")
          .at_least(0)
          .live(),
      member("push_out_speed", &P::push_out_speed, "m/s",
             "greatest speed at which overlap is undone; it adds no momentum")
          .at_least(0)
          .live(),
      member("largest_displacement", &P::largest_displacement, "1",
             "root mean square displacement, as a share of the body's radius, at which modes are cut: far "
             "beyond small strains")
          .above(0)
          .live(),
      member("grab_speed", &P::grab_speed, "m/s", "greatest speed of a grabbed vertex").above(0).live(),
      member("exaggeration", &P::exaggeration, "1",
             "multiplies displacements in pictures, to show what is too small to be seen")
          .at_least(0)
          .live(),
      member("meet", &P::meet, "", "the bodies touch one another, not only colliders").live(),
      member("friction", &P::friction, "1", "Coulomb coefficient between the bodies").at_least(0).live(),
  };
}
static_assert(complete<Params>());

}  // namespace selkie::modal
