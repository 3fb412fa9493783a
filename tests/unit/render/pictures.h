// Small drawables and pictures for the tests of the ray tracer.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "selkie/geometry/generators.h"
#include "selkie/render/detail/film.h"
#include "selkie/render/render.h"

namespace selkie::render::test {

struct Ball {
  geometry::TriangleMesh mesh;
  Ball(const Vec3& center, double radius, int divisions = 12)
      : mesh(geometry::icosphere({center, radius, divisions})) {}
  ports::Drawable drawable(const std::string& name, ports::Look look, const Vec3& colour) const {
    ports::Drawable result{.name = name, .look = look, .colour = colour, .backdrop = false, .shape = {}};
    result.shape = ports::TriangleSurface{mesh.positions, mesh.triangles, {}};
    return result;
  }
};

// A colour, as scenes give it, whose reflected share is `share` in all channels.
inline Vec3 colour_of_share(double share) {
  const double x = share <= 0.0031308 ? 12.92 * share : 1.055 * std::pow(share, 1 / 2.4) - 0.055;
  return Vec3::Constant(x);
}

// The same light from everywhere and no sun.
inline ports::Lighting even_light() {
  ports::Lighting light;
  light.sun_colour.setZero();
  light.sky_zenith = light.sky_horizon = Vec3::Ones();
  light.ground = false;
  return light;
}

inline ports::Camera front_camera(double distance, double field_of_view = 40) {
  ports::Camera camera;
  camera.position = {0, 0, distance};
  camera.target.setZero();
  camera.field_of_view = field_of_view;
  return camera;
}

inline Settings small(int width, int height, int samples) {
  Settings settings;
  settings.width = width;
  settings.height = height;
  settings.samples = samples;
  return settings;
}

inline detail::Rgb at(const detail::Film& film, int x, int y) {
  return film.radiance[static_cast<std::size_t>(y * film.width + x)];
}

// Mean of a square of pixels around (x, y).
inline detail::Rgb around(const detail::Film& film, int x, int y, int reach) {
  detail::Rgb sum = detail::Rgb::Zero();
  for (int j = -reach; j <= reach; ++j)
    for (int i = -reach; i <= reach; ++i) sum += at(film, x + i, y + j);
  return sum / static_cast<float>((2 * reach + 1) * (2 * reach + 1));
}

}  // namespace selkie::render::test
