// Floating and thrown bodies, both ways. [RT-60]
//
// The depth of a column holds its water and the submerged part of bodies, so that its surface is the level
// the water would have without them. Every column below a body lifts it by the weight of what it displaces,
// drags it towards the water's velocity and pushes it down the slope of the surface; the water takes the
// horizontal reactions, and what a body newly displaces is added around it (half of it per step, so that the
// pair does not excite itself). Vertical reactions go into the ground: shallow water carries no vertical
// momentum. Limits: horizontal speeds of bodies make waves through drag and displacement only; bodies much
// smaller than a cell are felt as they are seen by four vertical lines a cell.
#pragma once

#include "selkie/fluids/shallow_water/step.h"

namespace selkie::shallow_water {

// Exchanges the impulses of one step at its end.
template <class Real>
void meet_bodies(const Model<Real>& model, const Params& params, const Inputs& inputs, Interval interval,
                 State<Real>& state, Work<Real>& work);

}  // namespace selkie::shallow_water
