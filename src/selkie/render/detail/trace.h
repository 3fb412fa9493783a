// The path of one sample: radiance that arrives along a ray.
#pragma once

#include "selkie/render/detail/scene.h"

namespace selkie::render::detail {

struct TraceLimits {
  int bounces = 6;         // not counting mirrors and refractions
  float pixel_angle = 0;   // rad
  unsigned dimension = 0;  // first pair of random numbers it may use
};

Rgb trace(const Scene& scene, Ray ray, const Sampler& sampler, const TraceLimits& limits);

}  // namespace selkie::render::detail
