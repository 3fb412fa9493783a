// Body forces of a gas: buoyancy (HY-13), vorticity confinement (HY-09). Both are added to face velocities.
#pragma once

#include "selkie/fluids/smoke/params.h"
#include "selkie/fluids/smoke/state.h"

namespace selkie::smoke {

// u += dt (−α ρ + β (T − T_a)) up, averaged from the two cells of each face. `up` is against gravity.
template <class Real>
void add_buoyancy(const Model& model, const Params& params, const Vec3& up, double dt, State<Real>& state);

// Vorticity at cell centres by central differences of face velocities averaged to centres; zero in the
// outermost layer. In 2-D only the third component is written.
template <class Real>
void vorticity(const Model& model, const grid::FaceViews<const Real>& velocity,
               std::array<Buffer<Real>, 3>& curl);

// u += dt ε Δx (N × ω), N = ∇|ω|/|∇|ω||, for the vorticity of `velocity`, which is not the state's own field;
// the factor Δx makes it vanish as the grid is refined. [Selle08 §3.2.1] `magnitude` is scratch.
template <class Real>
void add_confinement(const Model& model, double epsilon, double dt,
                     const grid::FaceViews<const Real>& velocity, Buffer<Real>& magnitude,
                     State<Real>& state);
// The same for a vorticity that is kept in `curl`. With `strength` (cell field) ε varies in space: ε
// strength.
template <class Real>
void add_confinement(const Model& model, double epsilon, const Buffer<Real>* strength, double dt,
                     const std::array<Buffer<Real>, 3>& curl, Buffer<Real>& magnitude, State<Real>& state);

}  // namespace selkie::smoke
