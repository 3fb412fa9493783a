// Implicit viscosity: (1 − θ ν Δt ∇²) u = (1 + (1 − θ) ν Δt ∇²) u*, one component at a time; θ is 1 (backward
// Euler), or 1/2 (trapezoidal, second order in time) with params.reflect. No slip at closed sides, whose
// tangential velocity may be given (a moving lid); free slip at other sides. Faces of solids are held.
#pragma once

#include <array>
#include <cstdint>

#include "selkie/fluids/smoke/params.h"
#include "selkie/fluids/smoke/state.h"
#include "selkie/linalg/pcg.h"

namespace selkie::smoke {

struct DiffuseWork {
  Buffer<double> unknown, right_side;
  linalg::PcgWork pcg;
};

// `open`: open shares of faces, by axis; faces with none are held. Empty: no solids.
template <class Real>
linalg::SolveReport diffuse(const Model& model, const Params& params, double dt,
                            const std::array<Buffer<Real>, 3>& open, DiffuseWork& work, State<Real>& state);

}  // namespace selkie::smoke
