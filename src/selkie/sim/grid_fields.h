// Offered by systems whose state arrays are fields of a grid: which of them, and where their samples sit.
// Whoever shows or sets such an array from outside (Python) gives it the shape of the grid, without its
// padding.
#pragma once

#include <optional>
#include <string_view>

#include "selkie/grid/shape.h"

namespace selkie::sim {

struct GridField {
  grid::Shape shape;
  grid::Place place = grid::Place::cell;
};

class GridFields {
 public:
  virtual ~GridFields() = default;
  // Of the state array of that name; nothing: it is no field of the grid.
  virtual std::optional<GridField> grid_field(std::string_view name) const = 0;
};

}  // namespace selkie::sim
