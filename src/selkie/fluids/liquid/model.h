// Model of a liquid domain: its grid, what its sides are, how its surface is followed. Fixed once built.
#pragma once

#include <array>
#include <cmath>
#include <string_view>

#include "selkie/core/describe.h"
#include "selkie/grid/shape.h"

namespace selkie::liquid {

// What a side of the domain does to the liquid.
enum class Side {
  closed,  // a wall along which liquid slides
  open,    // liquid leaves and is counted
};
constexpr auto describe(Side*) { return std::array<std::string_view, 2>{"closed", "open"}; }

// What says where the liquid is.
enum class Tracker {
  particles,  // marker particles that carry velocity (LE-10 … LE-13, LE-17, LE-18)
  level_set,  // a signed distance, kept sharp by particles on both sides (HY-08)
};
constexpr auto describe(Tracker*) { return std::array<std::string_view, 2>{"particles", "level-set"}; }

struct Model {
  grid::Shape shape;
  std::array<Side, 6> sides{};  // low x, high x, low y, high y, low z, high z
  Tracker tracker = Tracker::particles;
  int seeds = 2;  // particles along each edge of a cell: 2 is 8 in a cube, 4 in a square

  Side side(int axis, bool high) const { return sides[static_cast<std::size_t>(2 * axis + (high ? 1 : 0))]; }
  int particles_per_cell() const { return shape.dims() == 3 ? seeds * seeds * seeds : seeds * seeds; }
  // Of a cell, and of the liquid a particle stands for; m³, in 2-D m².
  double cell_volume() const { return std::pow(shape.cell_size(), shape.dims()); }
  double particle_volume() const { return cell_volume() / particles_per_cell(); }
};

}  // namespace selkie::liquid
