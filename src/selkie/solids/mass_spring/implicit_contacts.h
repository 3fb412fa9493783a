// Contacts inside the implicit solve. A light vertex on a collider must carry the body behind it: were it
// stopped only after the solve (contacts.h), the solve would let it give way and the body would sink. So the
// step is solved again with the touching vertices kept on the surface (resting ones held), and, from the
// impulses this takes, once more with those let go that pull and those let slide, under friction, whose hold
// exceeds it (RT-44). Constraints enter as filters of the solve [Baraff98 §5].
// Limits: vertices are found where the free step ends; which of them stick is decided once per step.
#pragma once

#include "selkie/solids/mass_spring/step.h"

namespace selkie::mass_spring {

// `to` holds the step solved without contacts; on return with them. `advance` solves the step under given
// inputs and what `work` says of kinematic and sliding vertices.
StepReport settle_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                           const State& from, State& to, Work& work,
                           FunctionRef<StepReport(const Inputs&)> advance);

}  // namespace selkie::mass_spring
