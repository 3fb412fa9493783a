// The linear picture before it becomes bytes, and the way there.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "selkie/render/detail/scene.h"

namespace selkie::render::detail {

// Mean radiance per pixel, row by row from the top left.
struct Film {
  int width = 0, height = 0, samples = 0;
  std::vector<Rgb> radiance;
};

Film expose(std::span<const ports::Drawable> drawables, std::span<const ports::Material> materials,
            const ports::Camera& camera, const ports::Lighting& lighting, const Settings& settings);

// Linear up to a knee, then per channel a shoulder that approaches white: highlights roll off, flames turn
// from red to yellow.
Rgb tone(const Rgb& radiance, float exposure);
std::array<std::uint8_t, 3> encode(const Rgb& linear);

}  // namespace selkie::render::detail
