// Damping of all motion of a body but that of a rigid one. [Müller07 §3.5]
#pragma once

#include "selkie/solids/shape_matching/step.h"

namespace selkie::shape_matching {

// Draws the velocities of each body towards v + ω × r with its own momentum and angular momentum, which stay
// as they are.
void damp(const Model& model, const Params& params, double dt, State& to, const Work& work);

}  // namespace selkie::shape_matching
