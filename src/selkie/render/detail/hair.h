// Hair shading after [Kajiya89] and [Marschner03]: a mirror lobe on the surface, tilted towards the root, a
// coloured one from inside, tilted towards the tip, and a broad body that stands for all further passes. The
// three are normalised over the ball, so a fibre never returns more than it receives.
#pragma once

#include <array>

#include "selkie/render/detail/bsdf.h"

namespace selkie::render::detail {

Rgb hair_reflected(const Vec3f& tangent, const Rgb& colour, const Vec3f& out, const Vec3f& in,
                   float& density);
Scatter hair_scatter(const Vec3f& tangent, const Rgb& colour, const Vec3f& out,
                     const std::array<float, 2>& direction);

}  // namespace selkie::render::detail
