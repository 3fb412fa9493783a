// The staggered solver [Müller08 §11.2; RT-55 … RT-59]: velocities at low faces, heights at centres; advect
// everything backwards, change heights by the divergence, velocities by the slope of the surface. Water is
// not conserved, and shocks run at the wrong speed: that is the method's nature.
#pragma once

#include "selkie/fluids/shallow_water/step.h"

namespace selkie::shallow_water::detail {

template <class Real>
void step_semi_lagrangian(const Model<Real>& model, const Params& params, const Inputs& inputs, double dt,
                          const State<Real>& from, State<Real>& to, Work<Real>& work);

}  // namespace selkie::shallow_water::detail
