// Hybrid vortex particles [Selle08 §3.4; HY-11, HY-12]: carried by the gas, spun by its velocity gradient
// with constant magnitude, and pushing it in a swirl about themselves, so that small turbulence survives the
// grid's diffusion.
#pragma once

#include "selkie/core/function_ref.h"
#include "selkie/fluids/smoke/params.h"
#include "selkie/fluids/smoke/state.h"

namespace selkie::smoke {

// Signed distance (m, negative inside) to the nearest solid, and the outward unit normal.
struct SolidDistance {
  double distance = 1e30;
  Vec3 normal = Vec3::UnitY();
};
using Solids = FunctionRef<SolidDistance(const Vec3& point)>;

// G_ij = ∂u_i/∂x_j at a point, by central differences over one cell of the interpolated velocity.
template <class Real>
Mat3 velocity_gradient(const Model& model, const grid::FaceViews<const Real>& velocity, const Vec3& point);

// ω_p += Δt G ω_p, back to its old length; x_p by the midpoint rule; those that leave the domain or enter a
// solid go (or are put back on its surface).
template <class Real>
void advance_vortices(const Model& model, const Params& params, Solids solids, double dt, State<Real>& state);

// The kernel ξ(d) for reach r, in 1/m³: a Gaussian of width r cut at r and not renormalised (it integrates to
// 0.1987; erratum E9), or a tent of volume one.
double vortex_kernel(VortexKernel kernel, double distance, double radius);

// Scratch, most of it of the alternatives that look at the grid's vorticity.
template <class Real>
struct VortexWork {
  std::array<Buffer<Real>, 3> curl, spread;
  Buffer<Real> magnitude;
  Buffer<double> scales;  // of each particle's push
};

// u += Δt Σ_p ε ξ(d) (x_p − x)/d × ω_p on faces within reach, or one of the three alternatives of
// params.vortex_forcing.
template <class Real>
void add_vortex_forces(const Model& model, const Params& params, double dt, VortexWork<Real>& work,
                       State<Real>& state);

}  // namespace selkie::smoke
