// Free rotation (RT-40): orientation of a body with constant angular momentum in the world. `splitting` turns about
// one principal axis after the other, forth and back: each turn is exact, so the momentum is kept to the bit, and
// the energy swings without a trend [Dullweber97]. Euler and Runge-Kutta integrate q̇ = ½ ω q and are put back to
// unit length each step.
#pragma once

#include "selkie/math/types.h"
#include "selkie/solids/rigid/params.h"

namespace selkie::rigid {

void turn_freely(TurnRule rule, double dt, const Vec3& inertia, const Vec3& momentum, Quat& orientation);

}  // namespace selkie::rigid
