// A step of the conservative scheme over the whole grid: one stage, or both of Heun's method at once.
#pragma once

#include "selkie/core/function_ref.h"
#include "selkie/fluids/shallow_water/detail/sides.h"

namespace selkie::shallow_water::detail {

template <class Real>
struct Stages {
  double gravity = 9.81;  // m/s²
  double dt = 0;          // s
  const State<Real>& from;
  GhostFields<Real> to;  // its ghosts, filled, are those of the start
  // Fills the ghosts of (work.depth, work.flow_x, work.flow_z) at places [begin, end) of a side from the
  // first stage's result beside them.
  FunctionRef<void(std::size_t side, int begin, int end)> fill;
};

// Writes the cells of stages.to, not its ghosts. Adds to work.side_flux and work.tile_rounding; uses
// work.depth, flow_x and flow_z along the sides.
template <class Real>
void sweep(const Model<Real>& model, const Params& params, const Stages<Real>& stages, Work<Real>& work);

// Number of tiles: the length of work.tile_rounding.
template <class Real>
std::size_t tile_count(const Grid& grid);

}  // namespace selkie::shallow_water::detail
