// Parameters of water on a surface; all but least_angle, which a mesh is measured with, are live: they may
// change between steps. Defaults are the source's [Angst07 App. C; SW-44] where it gives any.
#pragma once

#include <array>
#include <string_view>

#include "selkie/core/describe.h"
#include "selkie/math/types.h"

namespace selkie::surface_water {

enum class Method {
  leapfrog,         // mass fluxes in sub-steps: exact mass, the production scheme [SW-26]
  advected_height,  // heights are advected: mass drifts [SW-27]
  implicit_euler,   // [SW-23]
  newmark,          // heights by Newmark, their rate from the velocity [SW-25]
  newmark_classic,  // with the rate of the heights integrated
  kass_miller,      // no advection, linear continuity [KM90 in SW-49]
  layton,           // heights and velocities advected, implicit [LvdP02]
  wang,             // velocity advected, linear continuity, η∇a without the half [WMT07]
};
constexpr auto describe(Method*) {
  return std::array<std::string_view, 8>{"leapfrog",        "advected-height", "implicit-euler", "newmark",
                                         "newmark-classic", "kass-miller",     "layton",         "wang"};
}
constexpr bool is_implicit(Method method) {
  return method != Method::leapfrog && method != Method::advected_height;
}

enum class LinearSolver { cholesky, conjugate_gradients };
constexpr auto describe(LinearSolver*) {
  return std::array<std::string_view, 2>{"cholesky", "conjugate-gradients"};
}
enum class DragLaw { quadratic, linear };
constexpr auto describe(DragLaw*) { return std::array<std::string_view, 2>{"quadratic", "linear"}; }
enum class Control { none, depth, constant };
constexpr auto describe(Control*) { return std::array<std::string_view, 3>{"none", "depth", "constant"}; }

// What an edge of an open mesh is [SW-50].
enum class RimKind {
  wall,   // nothing passes
  drain,  // what reaches it leaves
  level,  // the depth is held
};
constexpr auto describe(RimKind*) { return std::array<std::string_view, 3>{"wall", "drain", "level"}; }

// What limits and splits the flow.
struct Params {
  Method method = Method::leapfrog;
  int substeps = 3;
  bool more_substeps = true;
  bool advection = true;
  double attraction = 9.81;
  double world_gravity = 0;
  double density = 1000;
  double friction = 100;
  double least_angle = 10;
  double acceleration_limit = 4;
  double inertia = 1;
  double inertia_smoothing = 0.5;
  double normal_smoothing = 0.5;
  double gradient_share = 0.5;
  bool coriolis = false;
  bool donor_limited = false;
  double longest_segment = 0;
  bool no_negative_weights = false;
  double damping = 0;
  LinearSolver solver = LinearSolver::cholesky;
  Control control = Control::none;
  double control_strength = 1;
  double control_depth = 0.2;
  double control_width = 0.125;
  Vec3 control_direction{0, -1, 0};
  double body_drag = 1;
  DragLaw drag_law = DragLaw::quadratic;
  bool buoyancy = true;
  bool rays_at_corners = false;
  bool droplets = false;
  double droplet_volume = 1e-5;
  double iso_level = 0.01;
  double sheet_thickness = 0.001;
  bool cap = false;
  bool freeze = false;
};
constexpr auto describe(Params*) {
  using P = Params;
  return Members{
      member("method", &P::method, "", "how depths and velocities are integrated; all but leapfrog lose mass")
          .live(),
      member("substeps", &P::substeps, "", "explicit steps of pressure per step of advection, at least")
          .between(1, 10000)
          .live(),
      member("more_substeps", &P::more_substeps, "", "as many more as the stability bound asks for").live(),
      member("advection", &P::advection, "", "velocities are carried along").live(),
      member("attraction", &P::attraction, "m/s²", "pull towards the surface, along its normal everywhere")
          .between(1e-6, 1000)
          .live(),
      member("world_gravity", &P::world_gravity, "", "share of the scene's gravity that acts besides it")
          .between(-10, 10)
          .live(),
      member("density", &P::density, "kg/m³", "of the water, felt by bodies").above(0).live(),
      member("friction", &P::friction, "%", "of the velocity that is left after 1/60 s; 100: none lost")
          .between(0, 100)
          .live(),
      member("least_angle", &P::least_angle, "degrees", "of triangles, as gradients see them").between(0, 59),
      member("acceleration_limit", &P::acceleration_limit, "m/s²", "of what acts besides the attraction")
          .at_least(0)
          .live(),
      member("inertia", &P::inertia, "", "share of the mesh's acceleration that the water feels")
          .between(0, 10)
          .live(),
      member("inertia_smoothing", &P::inertia_smoothing, "", "share of the last step's that is kept")
          .between(0, 0.999)
          .live(),
      member("normal_smoothing", &P::normal_smoothing, "", "the same for the acceleration along the normal")
          .between(0, 0.999)
          .live(),
      member("gradient_share", &P::gradient_share, "",
             "factor of η∇a: 1/2 from the depth average; 1 is another published rule")
          .between(0, 1)
          .live(),
      member("coriolis", &P::coriolis, "",
             "also −2Ω × v of each face's own turning, which the source leaves out")
          .live(),
      member("donor_limited", &P::donor_limited, "",
             "depths of the upstream vertex in fluxes next to dry ones")
          .live(),
      member("longest_segment", &P::longest_segment, "m",
             "a dual cell's side counts as no longer than this in fluxes, as in the source; 0: no limit")
          .at_least(0)
          .live(),
      member("no_negative_weights", &P::no_negative_weights, "",
             "implicit methods: edges with obtuse angles on both sides carry no pressure, as in the source")
          .live(),
      member("damping", &P::damping, "", "implicit methods: share of the motion lost per step")
          .between(0, 1)
          .live(),
      member("solver", &P::solver, "", "implicit methods: how their system is solved").live(),
      member("control", &P::control, "",
             "acceleration along control_direction: depth: K(exp(−(η−α)/σ) − 1), constant: K")
          .live(),
      member("control_strength", &P::control_strength, "m/s²", "K").live(),
      member("control_depth", &P::control_depth, "m", "α, the depth that is aimed at").above(0).live(),
      member("control_width", &P::control_width, "m", "σ; smaller: a steeper edge of the water")
          .above(0)
          .live(),
      member("control_direction", &P::control_direction, "", "of any length").live(),
      member("body_drag", &P::body_drag, "", "drag coefficient of bodies in the water")
          .between(0, 100)
          .live(),
      member("drag_law", &P::drag_law, "", "force over relative speed; linear: that of 1 m/s").live(),
      member("buoyancy", &P::buoyancy, "", "water lifts bodies").live(),
      member("rays_at_corners", &P::rays_at_corners, "",
             "columns are also searched at their corners, for bodies smaller than a triangle")
          .live(),
      member("droplets", &P::droplets, "",
             "water leaves as droplets where the normal acceleration points away")
          .live(),
      member("droplet_volume", &P::droplet_volume, "m³", "of one droplet").above(0).live(),
      member("iso_level", &P::iso_level, "m", "water thinner than this is not drawn").above(0).live(),
      member("sheet_thickness", &P::sheet_thickness, "m", "half of that of the drawn sheet").above(0).live(),
      member("cap", &P::cap, "", "the drawn surface is closed across its shores instead of by a back sheet")
          .live(),
      member("freeze", &P::freeze, "", "stops the clips; the water goes on").live(),
  };
}
static_assert(complete<Params>());

}  // namespace selkie::surface_water
