// Contacts of vertices with colliders as constraints C = n·p − offset ≥ 0, found along the whole way of a
// vertex through the sub-step, so that nothing fast passes a thin solid (RT-38), with Coulomb friction on the
// way made (RT-44). [Müller08 §5.1; Müller07 §3.4] Limit: edges and faces between vertices are not tested.
#pragma once

#include "selkie/solids/pbd/step.h"

namespace selkie::pbd {

// Fills work.contacts for the ways from to.positions to work.points.
void find_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                   const State& to, Work& work);

// Pushes one vertex behind the plane of its contact and rubs it.
void project_contact(Contact& contact, const Vec3& start, Vec3& point);
void project_contacts(const State& to, Work& work);

// After the sweeps: vertices that these pushed into a collider beside its planes leave it.
void leave_colliders(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                     Work& work);

// Restitution; and what was inside a solid before leaves it without gaining velocity (RT-02).
void contact_velocities(const Inputs& inputs, Interval interval, State& to, Work& work);

}  // namespace selkie::pbd
