// The colour bar of an overlay: what the colours of a picture mean.
#pragma once

#include <array>
#include <span>

#include "selkie/render/render.h"

namespace selkie::render::detail {

// Draws bar, ticks, name and unit at the right edge; `range` holds the values' own ends. Nothing is drawn
// into a picture too small to read it.
void draw_bar(std::span<const ports::Drawable> drawables, const Overlay& overlay, std::array<double, 2> range,
              Picture& picture);

// Round values inside the range, three to six of them.
std::vector<double> ticks(double lo, double hi);

}  // namespace selkie::render::detail
