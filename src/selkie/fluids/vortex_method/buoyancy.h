// Vorticity that a body force makes, ∇×f in [Selle08 eq. 3.4], for the lift f = β ρ up of light smoke: each
// cell gains Δt ∇×f times its volume (baroclinic torque). Particles in a cell share what it gains; a cell
// without any gets a new one at its middle.
#pragma once

#include "selkie/fluids/vortex_method/particles.h"

namespace selkie::vortex_method {

// `from` has the smoke at the start of the step; that of `to`, at its end, is averaged with it, so that what
// is made is of second order in dt. Cells that gain less than params.remesh_cutoff of the most get no
// particle: what they gain is given to all in equal parts, so that the total, zero for smoke that no wall
// touches, is kept. False: a particle is outside.
template <class Real>
[[nodiscard]] bool add_buoyancy(const Model& model, const Params& params, const Vec3& up, double dt,
                                const State<Real>& from, CellWork& work, State<Real>& to);

}  // namespace selkie::vortex_method
