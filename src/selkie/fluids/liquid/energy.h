// What energy a liquid has.
#pragma once

#include "selkie/fluids/liquid/params.h"
#include "selkie/fluids/liquid/solids.h"

namespace selkie::liquid {

// Kinetic and potential energy of the liquid, J (in 2-D J/m); the latter against the domain's low corner. A φ
// < 0 that goes on inside the solids is no liquid.
struct Energy {
  double kinetic = 0, potential = 0;
};
template <class Real>
Energy energy(const Model& model, const Params& params, const Vec3& gravity, const State<Real>& state,
              const PlacedSolids<Real>& solids = {});

}  // namespace selkie::liquid
