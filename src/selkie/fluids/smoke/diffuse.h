// Implicit viscosity: (1 − ν Δt ∇²) u = u*, one component at a time, backward Euler. No slip at closed sides,
// whose tangential velocity may be given (a moving lid); free slip at open and wind sides. Faces of solids
// are held.
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

// `held` marks faces whose velocity is prescribed (1), by axis; empty: none but those on the sides of the
// domain.
template <class Real>
linalg::SolveReport diffuse(const Model& model, const Params& params, double dt,
                            const std::array<Buffer<std::uint8_t>, 3>& held, DiffuseWork& work,
                            State<Real>& state);

}  // namespace selkie::smoke
