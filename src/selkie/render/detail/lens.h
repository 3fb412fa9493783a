// A thin lens: where a point of the picture looks.
#pragma once

#include <array>

#include "selkie/ports/picture.h"
#include "selkie/render/detail/scene.h"

namespace selkie::render::detail {

class Lens {
 public:
  Lens(const ports::Camera& camera, const Vec3& origin, int width, int height);

  // The ray through (x, y) in pixels from the top left corner, from a place on the lens.
  Ray ray(float x, float y, const std::array<float, 2>& on_lens, float time) const;
  float pixel_angle() const { return pixel_; }

 private:
  Vec3f position_, right_, up_, forward_;
  float pixel_, half_width_, half_height_;  // at distance 1; in pixels
  float lens_radius_, focus_;
};

}  // namespace selkie::render::detail
