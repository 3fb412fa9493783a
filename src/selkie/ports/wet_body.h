// How a strongly coupled liquid and body see each other's geometry. [docs/methods/coupled-pressure.md; LE-33
// … LE-36]
#pragma once

#include <cstdint>
#include <functional>

#include "selkie/grid/cut_surface.h"
#include "selkie/ports/sides.h"
#include "selkie/ports/surface.h"

namespace selkie::ports {

// How a body divides the faces of cells.
enum class WetShares {
  distance,  // cut by distances at corners (LE-34): what it covers and where it is pushed differ a little
  exact,     // cut by the surface itself: a uniform stream passes every cell
  voxels,    // whole cells, solid where the body holds their middle (LE-46)
};

// A body that a liquid wets, where it is in this sub-step. Without `reduction` vertices of the surface are the
// body's, so that unknown dims · vertex + axis of its BodySide moves vertex along axis.
struct WetBody {
  grid::SurfaceElements surface;
  const FieldSampler* field = nullptr;  // the same body as distance and velocity at a point
  WetShares shares = WetShares::distance;
  bool sticks = false;  // what is liquid at the surface takes the body's whole velocity (LE-46)
  const SparseRows* reduction = nullptr;  // forces on the unknowns from forces on vertices
};

// The cells of a liquid that have a pressure.
struct PressureCells {
  grid::Shape shape;
  grid::View<const std::int32_t> unknown;  // of each cell, ghosts included; -1: none, its pressure is zero
  // Bit 2 axis + (0 low, 1 high): an open face leads to a cell with a pressure; kShut.
  grid::View<const std::uint8_t> joined;
  std::function<double(int axis, const grid::Index& face)> open_share;  // of a face; empty: all are open
};
constexpr std::uint8_t joined_bit(int axis, bool high) {
  return static_cast<std::uint8_t>(1 << (2 * axis + high));
}
// A cell of solids, too narrow for liquid: without a pressure of its own, but not without pressure.
inline constexpr std::uint8_t kShut = 1 << 6;

}  // namespace selkie::ports
