// Contacts of a modal body's surface with colliders [ports/vertex_contact.h] and with solids that give way.
// An impulse at a vertex moves the frame and every mode; sequential impulses with accumulated clamping and
// Coulomb friction (RT-44, RT-45) find those that keep the mean velocities over the step admissible. Means,
// because the end velocity of a mode faster than the step says nothing: what counts is where the vertex gets
// to. Of many touching vertices the deepest of each of sixteen patches of the surface and the outermost in
// fourteen directions are taken, for each collider; fewer would let soft bodies sag and tremble between them.
// Restitution is Poisson's and acts on the frame: the modes give back what they took by themselves. Overlap
// is undone by velocities of the frame that do not last (RT-46). A solid that gives way is cut into one piece
// per contact, and takes the sum of what its pieces felt [Tonge12]; against it the ways of vertices are
// tested, against colliders where they end. Limits: vertices only.
#pragma once

#include "selkie/solids/modal/step.h"

namespace selkie::modal {

// Whether a body may touch a collider or a solid: its surface is looked at only then.
bool near_a_collider(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                     const FreeMotion& free, const BodyWork& work);

// One body whose surface, after its free motion, stands in work.surface.
struct ContactTask {
  std::size_t body = 0;
  const FreeMotion* free = nullptr;
  BodyWork* work = nullptr;
  ContactAnswer answer = {};
};

// Finds work.contacts and solves for their impulses; those of the modes go into work.impulses. At most
// kTogether bodies at a time.
void answer_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                     const State& from, std::span<const ModeStep> modes, std::span<ContactTask> tasks);

}  // namespace selkie::modal
