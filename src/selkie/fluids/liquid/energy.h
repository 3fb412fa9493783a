// What energy a liquid has.
#pragma once

#include "selkie/fluids/liquid/params.h"
#include "selkie/fluids/liquid/state.h"

namespace selkie::liquid {

// Kinetic and potential energy of the liquid, J (in 2-D J/m); the latter against the domain's low corner.
struct Energy {
  double kinetic = 0, potential = 0;
};
template <class Real>
Energy energy(const Model& model, const Params& params, const Vec3& gravity, const State<Real>& state);

}  // namespace selkie::liquid
