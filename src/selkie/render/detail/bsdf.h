// How a point of a surface scatters light: matte (Lambert), glossy (a rough coat over a matte body), water
// and glass (smooth dielectric), hair (a cylinder much thinner than a pixel).
#pragma once

#include <array>

#include "selkie/render/detail/finish.h"
#include "selkie/render/detail/vectors.h"

namespace selkie::render::detail {

struct Part;

// Where a ray met something. Normals point to the side the ray came from.
struct SurfacePoint {
  float distance = kInfinity;
  Vec3f position, geometric_normal, normal;
  Vec3f tangent = Vec3f::Zero();  // along a curve; zero elsewhere
  Rgb colour;
  float roughness = 0;  // of a glossy coat
  const Finish* finish = nullptr;
  bool entering = true;  // met the outside of a closed surface
  bool fades = false;    // ground: blends into the horizon far out
  float offset = 0;      // m; how far to step off the surface before the next ray
};

struct Scatter {
  Vec3f direction;
  Rgb weight = Rgb::Zero();  // reflected share over the density of the direction
  float density = 0;         // 1/sr
  bool specular = false;     // a single direction: no other way to sample it
  bool through = false;      // went to the other side
};

// Share of the light from `in` that leaves towards `out` (both away from the surface), times the cosine;
// `density` is that of scatter(). Zero for water and glass.
Rgb reflected(const SurfacePoint& point, const Vec3f& out, const Vec3f& in, float& density);

// A direction for the path to go on, from three uniform numbers.
Scatter scatter(const SurfacePoint& point, const Vec3f& out, std::array<float, 2> direction, float choice);

// Share of unpolarised light a smooth surface reflects; `index` is that of the far side over the near side's.
float fresnel(float cosine, float index);

}  // namespace selkie::render::detail
