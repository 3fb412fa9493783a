// Damping that leaves the motion of the body as a whole alone. [Müller07 §3.5]
#pragma once

#include "selkie/solids/pbd/model.h"
#include "selkie/solids/pbd/state.h"

namespace selkie::pbd {

// The motion of a rigid body with the same masses and momenta.
struct RigidMotion {
  Vec3 centre, velocity, spin;
  Vec3 at(const Vec3& x) const { return velocity + spin.cross(x - centre); }
};
RigidMotion rigid_motion(const Model& model, const State& state);

// Velocities approach those of the rigid motion with the same linear and angular momentum at `rate` (1/s).
void damp(const Model& model, double rate, double h, State& to);

}  // namespace selkie::pbd
