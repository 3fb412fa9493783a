// Pictures without a GPU: a path tracer for drawables on Embree. Sun with soft shadows, sky, ground; matte,
// glossy, water, glass, smoke, fire, hair and wire looks; attribute overlays with a colour bar; depth of
// field and motion blur. The bytes of a picture depend on the arguments alone: not on the number of threads,
// not on the run. The one exception is `time_budget`, which stops by the clock. Method and limits:
// docs/methods/render.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/math/types.h"
#include "selkie/ports/drawable.h"
#include "selkie/ports/picture.h"

namespace selkie::render {

// Colours surfaces, points and curves by the size of a named attribute.
struct Overlay {
  std::string attribute;         // "": none; a vector attribute shows its length
  std::optional<double> lo, hi;  // ends of the colour map; absent: those of the values themselves
  bool wire = false;             // draw the edges of triangles on top
  bool bar = true;               // colour bar with ticks, name and unit
};

struct Settings {
  int width = 960, height = 540;
  int samples = 32;  // per pixel; powers of two are best spread
  std::uint64_t seed = 1;
  int bounces = 6;  // after the first hit
  bool motion_blur = false;
  double shutter = 0.5;            // share of a frame it is open, centred on the frame's time
  double frame_seconds = 1 / 30.;  // s, from one frame to the next
  double time_budget = 0;          // s; 0: none. Stops between passes over the picture: depends on the clock
  Overlay overlay;
};

struct Picture {
  int width = 0, height = 0;
  std::vector<std::array<std::uint8_t, 3>> pixels;  // sRGB, row by row from the top left
  int samples = 0;                                  // taken per pixel
  double seconds = 0;                               // wall time
};

struct Box {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
};

// Bounds of everything finite that is not backdrop, with the radius of points and curves; absent when there
// is nothing. For a film: the union over its frames keeps camera and ground still.
std::optional<Box> bounds(std::span<const ports::Drawable> drawables);
Box united(const Box& a, const Box& b);

// Smallest and largest value of an attribute over all drawables that carry it; absent when none does.
// For a film: fixes the ends of the colour map.
std::optional<std::array<double, 2>> attribute_range(std::span<const ports::Drawable> drawables,
                                                     std::string_view attribute);

// A three-quarter view from slightly above, as near as the picture's shape (width over height) allows.
ports::Camera frame_camera(std::span<const ports::Drawable> drawables, double aspect);
ports::Camera frame_camera(const Box& box, double aspect);

// Draws one picture. A material applies to the drawable of its name, else to parts of the system of its name
// ("water" to "water-spray"). Parts that are not finite are left out with a warning in the log.
// Throws InputError for settings, cameras, lights or arrays that make no sense.
Picture render(std::span<const ports::Drawable> drawables, std::span<const ports::Material> materials,
               const ports::Camera& camera, const ports::Lighting& lighting, const Settings& settings);

}  // namespace selkie::render
