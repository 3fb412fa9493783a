// Vertices whose motion is given: pinned ones (which may follow a prescribed path) and those a user holds.
// They take part in forces, but their positions and velocities are set, not integrated.
#pragma once

#include "selkie/ports/time.h"
#include "selkie/solids/mass_spring/step.h"

namespace selkie::mass_spring {

// Lists the kinematic vertices of this step in `work` with their mean velocities over it.
void begin_kinematics(const Params& params, const Inputs& inputs, Interval interval, const State& from,
                      Work& work);

// Sets the kinematic entries of x and v to the given motion at t0 + offset (s, 0 … dt). A pinned vertex is
// exactly where its path says; a held one moves in a straight line.
void place_kinematics(const Inputs& inputs, Interval interval, double offset, const State& from,
                      const Work& work, Buffer<Vec3>& x, Buffer<Vec3>& v);

// The same for a stage of a Runge–Kutta method, with the velocity that the path has at that moment: with
// means over the step RK4 would be of first order where a driven pin is damped.
void place_kinematics_in_stage(const Inputs& inputs, Interval interval, double offset, const State& from,
                               const Work& work, Buffer<Vec3>& x, Buffer<Vec3>& v);

// Sets only the velocities: the start of an implicit solve. Sliding contacts have their normal component set.
void set_kinematic_velocities(const Work& work, Buffer<Vec3>& v);

}  // namespace selkie::mass_spring
