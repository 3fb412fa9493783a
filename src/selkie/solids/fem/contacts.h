// Contacts of vertices with colliders (LE-31) and with solids that give way [ports/body_contact.h]. Backward
// Euler holds them inside its solve: a light vertex on a collider must carry the body behind it, and were it
// stopped only afterwards, the solve would let it give way and the body would sink. So the step is solved
// again with the foremost touching vertices held; from the impulses this takes those are let go that pull and
// those let slide whose hold exceeds friction (RT-44), those that still get in are held, too, and so on until
// nothing changes, a few times. After every step what is left of penetration and approach is removed
// [ports/vertex_contact.h].
#pragma once

#include "selkie/solids/fem/integrators.h"

namespace selkie::fem {

// `to` holds the step solved without contacts; on return with them. `scheme` solves the step.
StepReport settle_contacts(const Scheme& scheme, const Model& model, const Params& params,
                           const Inputs& inputs, Interval interval, const State& from, State& to, Work& work);

// Solids that give way: what the solve did not hold bounces off them, and what overlaps is parted. Returns
// how many vertices touched one.
int part_bodies(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                bool held_inside, const State& from, State& to, Work& work);

// Resolves all free vertices of `to` against every collider in turn; returns how many vertices touched one.
int project_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                     const State& from, State& to, const Work& work);

}  // namespace selkie::fem
