// Where bodies touch colliders and one another, now or within the step ahead. Convex shapes only. A body that
// will meet something on its (straight) way gets a contact there with a positive separation, which the solver
// lets it use up and no more: so nothing thin is crossed by a ball, at any speed.
// Boxes against colliders are tested at corners, edge middles, face middles and the point nearest to the
// collider; a collider that touches elsewhere (the rim of a torus, say) is missed.
#pragma once

#include <vector>

#include "selkie/solids/rigid/step.h"

namespace selkie::rigid {

// A point of contact of two shapes: `normal` points out of b, `separation` is measured along it.
struct Touch {
  Vec3 point;
  Vec3 normal;
  double separation;
};

// Two boxes by the separating-axis test; the touching face is clipped to a manifold of up to eight points,
// crossing edges touch at one. Points further apart than `margin` are left out. [Gottschalk96; Ericson04
// §5.2]
struct BoxPose {
  Vec3 center;
  Mat3 axes;  // columns
  Vec3 half;
};
void touch_boxes(const BoxPose& a, const BoxPose& b, double margin, std::vector<Touch>& touches);

// All contacts of a step of dt with the velocities in `state`, in an order that depends on the state alone.
void find_contacts(const Params& params, const Inputs& inputs, Interval interval, const State& state,
                   std::vector<Contact>& contacts);

}  // namespace selkie::rigid
