// Parameters of a position-based body; all live: they may change between steps.
#pragma once

#include <array>
#include <string_view>

#include "selkie/core/describe.h"

namespace selkie::pbd {

enum class Method {
  pbd,   // stiffnesses 0 … 1, made independent of the iteration count; they still depend on the step
  xpbd,  // compliances with units: independent of iteration count and step once converged
};
constexpr auto describe(Method*) { return std::array<std::string_view, 2>{"pbd", "xpbd"}; }
std::string_view name_of(Method method);

struct Params {
  Method method = Method::xpbd;
  int iterations = 10;
  int substeps = 1;
  double stretch_stiffness = 1;
  double bend_stiffness = 0.1;
  double volume_stiffness = 1;
  double stretch_compliance = 0;
  double bend_compliance = 0;
  double volume_compliance = 0;
  double inflation = 1;
  double air_density = 0;
  double damping = 0;
  double drag = 0;
  double contact_thickness = 0;
  bool self_collision = false;
  double self_thickness = 0;
  double self_friction = 0.3;
  double grab_speed = 20;
};

constexpr auto describe(Params*) {
  using P = Params;
  return Members{
      member("method", &P::method, "",
             "pbd: stiffnesses between 0 and 1; xpbd: compliances, which mean the same for any step and "
             "iteration count")
          .live(),
      member("iterations", &P::iterations, "", "sweeps over all constraints per sub-step")
          .between(1, 1e6)
          .live(),
      member("substeps", &P::substeps, "", "sub-steps a step is cut into; for xpbd worth more than sweeps")
          .between(1, 1e4)
          .live(),
      member("stretch_stiffness", &P::stretch_stiffness, "1",
             "pbd: share of a length error that a step removes")
          .between(0, 1)
          .live(),
      member("bend_stiffness", &P::bend_stiffness, "1", "pbd: the same for bending").between(0, 1).live(),
      member("volume_stiffness", &P::volume_stiffness, "1",
             "pbd: the same for volumes of tetrahedra and of closed surfaces")
          .between(0, 1)
          .live(),
      member("stretch_compliance", &P::stretch_compliance, "m/N", "xpbd: stretch of an edge per tension")
          .at_least(0)
          .live(),
      member("bend_compliance", &P::bend_compliance, "rad/(N·m) or m/N",
             "xpbd: angle of a hinge per torque; of bending links as for stretch; of isometric hinges 1 over "
             "the bending stiffness")
          .at_least(0)
          .live(),
      member("volume_compliance", &P::volume_compliance, "m³/Pa", "xpbd: change of a volume per pressure")
          .at_least(0)
          .live(),
      member("inflation", &P::inflation, "1",
             "volume that a closed surface is blown up to, as a multiple of its volume at the start")
          .above(0)
          .live(),
      member("air_density", &P::air_density, "kg/m³",
             "of the air that a closed surface displaces: lifts balloons; 0: none")
          .at_least(0)
          .live(),
      member("damping", &P::damping, "1/s", "decay of motion other than translation and rotation as a whole")
          .at_least(0)
          .live(),
      member("drag", &P::drag, "1/s", "decay of all velocities").at_least(0).live(),
      member("contact_thickness", &P::contact_thickness, "m", "distance kept from colliders")
          .at_least(0)
          .live(),
      member("self_collision", &P::self_collision, "",
             "vertices do not pass through triangles of the same body")
          .live(),
      member("self_thickness", &P::self_thickness, "m",
             "distance kept between parts of the body; at most half the shortest edge counts")
          .at_least(0)
          .live(),
      member("self_friction", &P::self_friction, "", "Coulomb coefficient between parts of the body")
          .at_least(0)
          .live(),
      member("grab_speed", &P::grab_speed, "m/s", "greatest speed of a grabbed vertex").above(0).live(),
  };
}
static_assert(complete<Params>());

// k′ = 1 − (1 − k)^(1/n): n projections with it leave (1 − k) of an error. [Müller08 §5.3, RT-29]
double stiffness_per_iteration(double stiffness, int iterations);

}  // namespace selkie::pbd
