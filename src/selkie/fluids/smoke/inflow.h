// What comes in through open and wind sides: ambient gas, without smoke, heat or fuel.
#pragma once

#include "selkie/fluids/smoke/state.h"

namespace selkie::smoke {

// Thins a cell field that was carried over dt near the sides through which `velocity` flows in. Rays end at
// the outermost samples; here they go on to a sample of ambient gas (zero) one cell further out.
template <class Real>
void clear_inflow(const Model& model, const grid::FaceViews<const Real>& velocity, double dt,
                  Buffer<Real>& field);

}  // namespace selkie::smoke
