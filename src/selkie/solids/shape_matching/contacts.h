// Contacts of vertices with solids of other makes: colliders given as distance fields, and solids that give
// way. Vertices keep their body's radius from both. Inside the rounds of a step they are kept from getting
// deeper; after it, what is left of approach is removed, fast approach rebounds, and what was inside before
// leaves without gaining velocity (RT-02) [ports/vertex_contact.h].
#pragma once

#include "selkie/solids/shape_matching/step.h"

namespace selkie::shape_matching {

// Which bodies may touch which colliders within the step.
void find_near_colliders(const Model& model, const Inputs& inputs, Interval interval, Work& work);

// One round on work.predicted.
void keep_out_of_colliders(const Model& model, const Inputs& inputs, Interval interval, const State& from,
                           Work& work);

// At the end of the step, on positions and velocities; returns how many vertices touch a collider.
int settle_on_colliders(const Model& model, const Inputs& inputs, Interval interval, const State& from,
                        State& to, const Work& work);

// Exchanges impulses with solids that give way, one after the other, and parts from them; returns how many
// vertices touch one.
int push_solids(const Model& model, const Inputs& inputs, Interval interval, const State& from, State& to,
                const Work& work);

}  // namespace selkie::shape_matching
