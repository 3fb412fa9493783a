// One Euler stage of the conservative scheme over the whole grid.
#pragma once

#include <array>

#include "selkie/fluids/shallow_water/step.h"

namespace selkie::shallow_water::detail {

template <class Real>
struct Fields {
  const Real *depth, *flow_x, *flow_z;  // element (0,0)
};

struct Stage {
  double gravity = 9.81;  // m/s²
  double dt = 0;          // s
  double weight = 1;      // share of this stage in the whole step, for the account of the sides
  bool average = false;   // the result is the mean of `start` and the stage's own (Heun's second)
};

// out = now + dt L(now), or its mean with `start`. Ghosts of `now` must be filled; those of `out` are left
// alone. Adds to work.side_flux and work.tile_rounding.
template <class Real>
void sweep(const Model<Real>& model, const Params& params, const Stage& stage, const Fields<Real>& start,
           const Fields<Real>& now, Real* depth, Real* flow_x, Real* flow_z, Work<Real>& work);

// Number of tiles: the length of work.tile_rounding.
template <class Real>
std::size_t tile_count(const Grid& grid);

}  // namespace selkie::shallow_water::detail
