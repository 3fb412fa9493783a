// Droplets: where the normal acceleration points away from the surface water leaves it, falls through the
// world, bounces off colliders and bodies, which it pushes, and rejoins the water where it meets the surface
// again. [Angst07 §7.2.3; SW-50]
#pragma once

#include "selkie/fluids/surface_water/step.h"

namespace selkie::surface_water {

// Sheds, moves and rejoins. What leaves the columns is what flies, and comes back, to round-off.
void move_droplets(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                   const Metric& metric, const State& from, State& to, Work& work);

}  // namespace selkie::surface_water
