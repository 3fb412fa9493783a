// How a strongly coupled liquid and body see each other's geometry. [docs/methods/coupled-pressure.md; LE-33
// … LE-36]
#pragma once

#include <cstdint>

#include "selkie/grid/cut_surface.h"
#include "selkie/ports/surface.h"

namespace selkie::ports {

// A body that a liquid wets, where it is in this sub-step. Vertices of the surface are the body's, so that
// unknown dims · vertex + axis of its BodySide moves vertex along axis.
struct WetBody {
  grid::SurfaceElements surface;
  const FieldSampler* field = nullptr;  // the same body as distance and velocity at a point
};

// The cells of a liquid that have a pressure.
struct PressureCells {
  grid::Shape shape;
  grid::View<const std::int32_t> unknown;  // of each cell, ghosts included; -1: none, its pressure is zero
  grid::View<const std::uint8_t>
      joined;  // bit 2 axis + (0 low, 1 high): an open face leads to a cell with a pressure
};
constexpr std::uint8_t joined_bit(int axis, bool high) {
  return static_cast<std::uint8_t>(1 << (2 * axis + high));
}

}  // namespace selkie::ports
