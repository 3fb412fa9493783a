// Model of a smoke domain: its grid and what its six sides are. Fixed once built.
#pragma once

#include <array>
#include <string_view>

#include "selkie/core/describe.h"
#include "selkie/grid/shape.h"

namespace selkie::smoke {

// What a side of the domain does to the gas.
enum class Side {
  closed,  // a wall: no flow through it, free slip unless the gas is viscous
  open,    // pressure zero: gas flows in and out
  wind,    // the normal velocity is that of the wind
  slip,    // a wall along which even viscous gas slides freely
};
constexpr auto describe(Side*) { return std::array<std::string_view, 4>{"closed", "open", "wind", "slip"}; }

struct Model {
  grid::Shape shape;
  std::array<Side, 6> sides{};  // low x, high x, low y, high y, low z, high z
  bool burns = false;           // the gas carries fuel

  Side side(int axis, bool high) const { return sides[static_cast<std::size_t>(2 * axis + (high ? 1 : 0))]; }
};

}  // namespace selkie::smoke
