// Contacts of a modal body's surface with colliders [ports/vertex_contact.h]. An impulse at a vertex moves
// the frame and every mode; sequential impulses with accumulated clamping and Coulomb friction (RT-44, RT-45)
// find those that keep the mean velocities over the step admissible. Means, because the end velocity of a
// mode faster than the step says nothing: what counts is where the vertex gets to.
// Of many touching vertices the deepest of each of sixteen patches of the surface and the outermost in
// fourteen directions are taken, for each collider; fewer would let soft bodies sag and tremble between them.
// Restitution is Poisson's and acts on the frame: the modes give back what they took by themselves. Overlap is
// undone by velocities of the frame that do not last (RT-46). Limits: vertices only, at the end of the step;
// bodies do not see one another.
#pragma once

#include "selkie/solids/modal/step.h"

namespace selkie::modal {

// What contacts add to the free motion of a body.
struct ContactAnswer {
  Vec3 velocity = Vec3::Zero();
  Vec3 spin = Vec3::Zero();
  Vec3 bounce_velocity = Vec3::Zero(), bounce_spin = Vec3::Zero();  // after the step
  Vec3 push_velocity = Vec3::Zero(), push_spin = Vec3::Zero();      // in this step only
};

// The modes' impulses go into work.impulses. work.contacts is empty if nothing touches.
ContactAnswer answer_contacts(const Model& model, const Params& params, const Inputs& inputs,
                              Interval interval, const State& from, std::size_t body, const FreeMotion& free,
                              std::span<const ModeStep> modes, BodyWork& work);

}  // namespace selkie::modal
