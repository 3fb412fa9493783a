// What a picture needs besides drawables: cameras, light and materials. Scenes describe them, the renderer
// and the viewer use them, and no solver knows of them.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "selkie/core/describe.h"
#include "selkie/math/types.h"
#include "selkie/ports/drawable.h"

namespace selkie::ports {

struct Camera {
  std::string name = "main";
  Vec3 position{0, 1, 3};
  Vec3 target{0, 0, 0};
  Vec3 up = Vec3::UnitY();
  double field_of_view = 40;
  double aperture = 0;
};
constexpr auto describe(Camera*) {
  using C = Camera;
  return Members{
      member("name", &C::name, "", "what `selkie render --camera` calls it"),
      member("position", &C::position, "m", "where the camera stands").required(),
      member("target", &C::target, "m", "the point it looks at; also what is in focus").required(),
      member("up", &C::up, "", "the direction that is up in the picture; of any length"),
      member("field_of_view", &C::field_of_view, "degrees", "vertical opening angle").between(0.1, 170),
      member("aperture", &C::aperture, "m", "diameter of the lens; 0: everything is sharp").at_least(0),
  };
}
static_assert(complete<Camera>());
std::vector<Problem> validate(const Camera& camera);

// A sun with a disc (soft shadows), a sky that fades from horizon to zenith, and a ground that catches
// shadows.
struct Lighting {
  Vec3 sun_direction{0.45, 0.8, 0.4};
  Vec3 sun_colour{2.6, 2.45, 2.2};
  double sun_size = 3;
  Vec3 sky_zenith{0.35, 0.5, 0.75};
  Vec3 sky_horizon{0.85, 0.88, 0.92};
  bool ground = true;
  std::optional<double> ground_height;
  Vec3 ground_colour{0.7, 0.7, 0.71};
  double exposure = 1;
};
constexpr auto describe(Lighting*) {
  using L = Lighting;
  return Members{
      member("sun_direction", &L::sun_direction, "", "towards the sun; of any length"),
      member("sun_colour", &L::sun_colour, "", "strength of the sun: red, green, blue; 0: no sun")
          .at_least(0),
      member("sun_size", &L::sun_size, "degrees", "width of the sun's disc: larger is a softer shadow")
          .between(0, 90),
      member("sky_zenith", &L::sky_zenith, "", "light from straight above").at_least(0),
      member("sky_horizon", &L::sky_horizon, "", "light from the horizon").at_least(0),
      member("ground", &L::ground, "", "draw a ground below everything, unless a collider plane is one"),
      member("ground_height", &L::ground_height, "m", "height of the ground; absent: below the lowest point"),
      member("ground_colour", &L::ground_colour, "", "red, green, blue").between(0, 1),
      member("exposure", &L::exposure, "", "multiplies the brightness of the whole picture").above(0),
  };
}
static_assert(complete<Lighting>());
std::vector<Problem> validate(const Lighting& lighting);

// Overrides how one drawable looks; what is absent stays as its system offers it.
struct Material {
  std::string of;
  std::optional<Look> look;
  std::optional<std::array<double, 3>> colour;
  std::optional<double> roughness;
  std::optional<double> refraction;
  std::optional<double> clarity;
  std::optional<double> density;
  std::optional<double> radius;
};
constexpr auto describe(Material*) {
  using M = Material;
  return Members{
      member("of", &M::of, "", "name of the system, of one of its parts, or of a collider").required(),
      member("look", &M::look, "", "what it is made of"),
      member("colour", &M::colour, "", "red, green, blue").between(0, 1),
      member("roughness", &M::roughness, "", "of glossy things: 0 a mirror, 1 dull").between(0, 1),
      member("refraction", &M::refraction, "", "index of refraction of water and glass; 1.33 and 1.5")
          .between(1, 3),
      member("clarity", &M::clarity, "m", "depth at which water or glass has taken on its colour").above(0),
      member("density", &M::density, "1/m", "extinction of smoke per unit of its density field").at_least(0),
      member("radius", &M::radius, "m", "of points and curves").above(0),
  };
}
static_assert(complete<Material>());

}  // namespace selkie::ports
