// Damping of all motion of a body but that of a rigid one [Müller07 §3.5], and a bound on what goals give
// back.
#pragma once

#include "selkie/solids/shape_matching/step.h"

namespace selkie::shape_matching {

// Draws the velocities of each body towards v + ω × r with its own momentum and angular momentum, which stay
// as they are.
void damp(const Model& model, const Params& params, double dt, State& to, const Work& work);

// Goals turn what they restore within a step into velocity, distance over step length: a body that was
// pressed flat would leap out of sight. Contacts with what stands still project the free motion v: of it they
// leave a part u with ⟨u, u⟩ = ⟨u, v⟩ in the metric of the masses. Motion beyond that, as a whole and
// deforming, is slowed down to it, or to kLeap (RT-02). Bodies that touch others or hold vertices of given
// motion are left alone: what these do as work is not known.
inline constexpr double kLeap = 2;  // m/s, root mean square
void bound_motion(const Model& model, const Inputs& inputs, double dt, bool crowd, const State& from,
                  State& to, const Work& work);

}  // namespace selkie::shape_matching
