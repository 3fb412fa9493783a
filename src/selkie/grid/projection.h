// Pressure projection of a staggered velocity (HY-07, RT-51, LE-06 … LE-09, LE-15, LE-16): flux balance,
// solve, velocity update. [Batty07 §4] for the cut faces in finite-volume form, [Ng09], [Gibou02] for the
// surface.
//
// Cells balance w_f u_f + (1 − w_f) u_solid,f over their faces. A face with w_f = 0 or towards a solid cell
// is closed: it moves with the solid, and its velocity is set so. Side faces of the grid belong to it: a
// wall's solid velocity is its in- or outflow.
//
// The pressure is kept as p Δt/(ρΔx), in m/s: differences of it are velocity changes. Real = double with T =
// float gives float fields a pressure whose residual falls below what float resolves.
#pragma once

#include <string>

#include "selkie/grid/pressure.h"

namespace selkie::grid {

template <class T>
struct ProjectionInputs {
  PressureDomain<T> domain;
  FaceViews<const T> solid_velocity = {};  // m/s, read where a face is not fully open; no data: at rest
  View<const T> source = {};               // wanted divergence of fluid cells, 1/s; no data: none
  // The domain is that of the last call with the same work, so that its matrix still holds.
  bool same_domain = false;
};

template <class Real>
struct ProjectionWork {
  PressureSolver<Real> solver;
  Buffer<Real> right;
};

struct [[nodiscard]] ProjectionReport {
  linalg::SolveReport solve;
  RegionReport regions;
  bool refused = false;   // sources of a closed region do not cancel: velocity and pressure are as they were
  double net_source = 0;  // of the worst closed region, m/s (flux over Δx²)
  Index where{0, 0, 0};   // a cell of it

  bool ok() const { return !refused && solve.converged(); }
  std::string text() const;
};

// b_c = −Σ outward (w u + (1 − w) u_solid) + source Δx on fluid cells, zero elsewhere, in m/s.
template <class T, class Real>
void flux_balance(const ProjectionInputs<T>& in, FaceViews<const T> velocity, View<Real> b);

// u −= difference of p (over θ towards air) on open faces of fluid cells; closed faces take the solid's
// velocity.
template <class T, class Real>
void subtract_gradient(const ProjectionInputs<T>& in, View<const Real> pressure, FaceViews<T> velocity);

// Largest |b_c|: the divergence left, times Δx.
template <class T>
double largest_imbalance(const ProjectionInputs<T>& in, FaceViews<const T> velocity);

// Builds the matrix, balances, solves, updates. `pressure` is the first guess with options.warm_start. Unless
// the solve is ok or stopped at a limit with finite numbers the velocity stays as it was.
template <class T, class Real>
ProjectionReport project(const ProjectionInputs<T>& in, const PressureOptions& options, FaceViews<T> velocity,
                         View<Real> pressure, ProjectionWork<Real>& work);

}  // namespace selkie::grid
