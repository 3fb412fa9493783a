// Contacts of modal bodies with one another, after each has moved by itself. Bodies whose bounding balls are
// apart are passed over; of the others the surface vertices of one are looked for in the rest frame of the
// other: where their way over the step enters its surface or, for what was inside before, by the signed
// distance; the other's own deformation is added where it is met. Sequential impulses with Coulomb friction
// (RT-44, RT-45) act on frames and modes of both, at one point and opposite, so that momentum and angular
// momentum are kept to round-off; modes faster than the step take as much as they would in it by backward
// Euler. What came in during the step is moved out at once, other overlap slowly and without gaining speed
// (RT-46, RT-02). Limits: vertices are tested, edges are not; only bodies of one system meet.
#pragma once

#include "selkie/solids/modal/step.h"

namespace selkie::modal {

// Changes `to`, where the bodies are after a step from `from`. Returns how many vertices pressed.
// `supports` carry on while bodies press one another on to colliders.
int meet(const Model& model, const Params& params, const Vec3& gravity, double h,
         std::span<const std::vector<Support>> supports, const State& from, State& to, Meeting& work);

}  // namespace selkie::modal
