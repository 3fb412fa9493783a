// Signed distance to the liquid's surface at cell centres, from its particles (LE-17).
//
// averaged: m = |x − x̄|, x̄ the mean of the particles within R = 1.5 Δx, weighted with (1 − s²)³ [Zhu05 §5].
//   Where a plane bounds evenly spread liquid, m is a known function of the distance h to that plane,
//     m(h)/R = (1 − h²)^{q+1} / (2 (q + 1) ∫₋₁ʰ (1 − z²)^q dz),  q = 4 in 3-D, 3.5 in 2-D, h over R,
//   and φ = −h. So flat surfaces lie where the liquid ends, with no radius to choose; a lone particle becomes
//   a ball of about the size of the liquid it stands for. Walls and solids are mirrors: behind them the liquid
//   goes on, which keeps the surface from bending up or down there and gives cells whose centre is inside a
//   solid their φ.
// spheres: φ = min_p |x − x_p| − r, r = 1.01 half diagonals of a cell.
#pragma once

#include "selkie/fluids/liquid/params.h"
#include "selkie/fluids/liquid/solids.h"

namespace selkie::liquid {

// How far from its particles the surface is known, in cells; deeper and farther φ is ∓ this.
inline constexpr double kSurfaceReach = 1.5;

// state.surface from sorted particles.
template <class Real>
void find_surface(const Model& model, const Params& params, const PlacedSolids<Real>& solids,
                  CellRanges& ranges, State<Real>& state);

// φ at the surface's flat-liquid calibration: distance over R from the offset m over R, both in 0 … 1.
double flat_distance(int dims, double offset);

// Ghost cells of φ: walls repeat the cell before them, open sides put the surface on the side.
template <class Real>
void fill_surface_ghosts(const Model& model, Buffer<Real>& surface);

}  // namespace selkie::liquid
