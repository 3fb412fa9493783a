// Vertices that are not free: pinned ones (which may follow a prescribed path), the one a user holds, and
// those that a collider stops. They take part in forces, but their motion, or its part along a normal, is
// given (LE-51). [Baraff98 §5: constraints as filters of the solve]
#pragma once

#include "selkie/ports/time.h"
#include "selkie/solids/fem/step.h"

namespace selkie::fem {

// Lists the kinematic vertices of this step in `work` with their mean velocities over it, and constrains
// them.
void begin_constraints(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                       const State& from, Work& work);

// Adds the contacts that are not open to the constraints of the kinematic vertices.
void constrain_contacts(const Model& model, Work& work);

// Sets the velocities of constrained vertices to what is given.
void set_given_velocities(const Work& work, Buffer<Vec3>& v);

// Puts kinematic vertices where the step ends.
void place_kinematics(const Inputs& inputs, Interval interval, const State& from, const Work& work,
                      State& to);

// S of vertex i times a vector.
inline Vec3 project(const Constraints& constraints, std::size_t i, const Vec3& a) {
  const std::int32_t c = constraints.of_vertex[i];
  return c < 0 ? a : Vec3(constraints.projectors[static_cast<std::size_t>(c)] * a);
}

// N·s that what is attached to vertex i gives it when it moves with velocity v.
inline Vec3 attached_impulse(const Work& work, std::size_t i, const Vec3& v) {
  const std::int32_t c = work.attached.at(i);
  if (c < 0) return Vec3::Zero();
  const auto k = static_cast<std::size_t>(c);
  return work.attached.momenta[k] - work.attached.masses[k] * v;
}

}  // namespace selkie::fem
