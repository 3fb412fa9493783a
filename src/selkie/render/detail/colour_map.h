// The colour map of overlays: dark violet over blue-green to yellow, in even steps of lightness.
#pragma once

#include <array>
#include <cstddef>

#include "selkie/ports/drawable.h"
#include "selkie/render/detail/vectors.h"

namespace selkie::render::detail {

// sRGB, 0 to 1, for a share between 0 and 1.
Rgb map_srgb(double share);
// Linear colour of a value; beyond the range's ends it is the end's.
Rgb map_colour(double value, const std::array<double, 2>& range);
// The value of a point, or the length of its vector.
double attribute_size(const ports::Attribute& attribute, std::size_t point);

float srgb_from_linear(float x);
float linear_from_srgb(float x);

}  // namespace selkie::render::detail
