// Implicit viscosity with the full stress, as the minimum of an energy (so that a free surface feels no
// traction and honey coils) [Batty08]:
//   min Σ_f V_f ½ |u − u*|² + Δt ν Σ V ε:ε
// V are the shares of liquid around faces, centres and edges, from φ. Faces in solids are held, and beyond
// closed sides of the box the velocity along them is mirrored with the other sign: no slip. Open sides are
// free of traction. One system for all components, conjugate gradients. Limit: shares of solids are not cut.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "selkie/fluids/liquid/flow.h"
#include "selkie/linalg/pcg.h"

namespace selkie::liquid {

struct ViscosityWork {
  // c (Σ sign x)²: a strain of two (normal) or four (shear) faces. Unknowns by number; kHeld: part of
  // `given`.
  struct Term {
    std::array<std::int32_t, 4> face;
    double factor = 0;
    double given = 0;
  };
  std::array<Buffer<std::int32_t>, 3> number;  // of the unknown at a face; negative: none
  std::vector<Term> terms;
  Buffer<double> mass, diagonal, right, unknown;
  linalg::PcgWork pcg;
};

template <class Real>
StepReport diffuse(const Model& model, const Params& params, const PlacedSolids<Real>& solids, double dt,
                   State<Real>& state, const FlowWork<Real>& flow, ViscosityWork& work);

}  // namespace selkie::liquid
