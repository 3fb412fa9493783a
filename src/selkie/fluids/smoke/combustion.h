// Fuel and heat in the simplest consistent form: where the gas is hotter than the ignition temperature, fuel
// Y burns at rate k (dY/dt = −k Y), each burnt share heats the gas, leaves soot and, if asked, expands it.
// Integrated exactly over the step, so that fuel never turns negative and heat released equals fuel burnt
// whatever the step size.
#pragma once

#include "selkie/fluids/smoke/params.h"
#include "selkie/fluids/smoke/state.h"

namespace selkie::smoke {

// Burns for dt seconds; adds burnt share · burn_expansion / dt to `rate` (1/s) unless it is empty.
template <class Real>
void burn(const Model& model, const Params& params, double dt, State<Real>& state, Buffer<Real>& rate);

// Smoke thins out and heat is lost, both by exact exponential decay.
template <class Real>
void decay(const Params& params, double dt, State<Real>& state);

}  // namespace selkie::smoke
