// Solids in the gas and the sides of its box, as transport and projection see them: cut faces from distances
// at nodes (LE-15), velocities of what moves, cells near which transport is of first order (HY-06), and what
// rays that dip into a solid find (RT-50, LE-20). Solids that stay are rasterised once and kept.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "selkie/fluids/smoke/params.h"
#include "selkie/fluids/smoke/state.h"
#include "selkie/fluids/smoke/vortex_particles.h"
#include "selkie/grid/extrapolate.h"
#include "selkie/grid/projection.h"
#include "selkie/ports/surface.h"

namespace selkie::smoke {

using Colliders = std::span<const ports::FieldSampler* const>;

// The solids at one time, on the grid.
template <class Real>
struct PlacedSolids {
  grid::CellKinds kinds;
  std::array<Buffer<Real>, 3> open;      // open shares of faces; empty without solids
  std::array<Buffer<Real>, 3> velocity;  // of solids and wind at faces; empty while all of them rest
  Buffer<std::uint8_t> cells_away;  // from the nearest solid, rounded down, at most 255; empty without solids
  Buffer<std::uint8_t> first_order;  // cells from which a ray may leave the gas; sized when first needed
  bool any_first_order = false;      // of this step
  std::array<grid::FillPlan, 3> face_fill;
  grid::FillPlan cell_fill;

  Buffer<std::uint8_t> marks;                     // scratch
  std::vector<double> signature, next_signature;  // of what is placed; empty: nothing is
  bool matrix_holds = false;                      // the projection's matrix is that of these solids

  bool any() const { return !open[0].empty(); }
};

// Puts the solids where they are at `time`. `nodes` is scratch.
template <class Real>
void place_solids(const Model& model, const Params& params, Colliders colliders, double time,
                  Buffer<Real>& nodes, PlacedSolids<Real>& solids);

// Marks the cells that are carried at first order (HY-06): those no farther from a solid than `cells`, the
// most that gas crosses in the step, and one more; and those from whose middle `velocity` leads out of the
// box within dt. The source takes the CFL number of the whole flow for walls, too; but the sides lie on cell
// faces, so that rays which stay inside find nothing wrong there, and gas that only slides along a side keeps
// its second order.
template <class Real>
void mark_first_order(const Model& model, const Params& params, const grid::FaceViews<const Real>& velocity,
                      double dt, double cells, PlacedSolids<Real>& solids);

// Faces in solids move with them.
template <class Real>
void hold_solid_faces(const Model& model, const PlacedSolids<Real>& solids, State<Real>& state);

// Velocity (some layers) and smoke, heat and fuel (two layers) continued into the solids; deeper inside
// velocity is the solid's, and there is no smoke.
template <class Real>
void extrapolate_into_solids(const Model& model, int layers, const PlacedSolids<Real>& solids,
                             State<Real>& state);

// What project() takes; `expansion` may be empty.
template <class Real>
grid::ProjectionInputs<Real> projection_inputs(const Model& model, const PlacedSolids<Real>& solids,
                                               const Buffer<Real>& expansion);

// Signed distance and normal of the nearest solid at a point.
SolidDistance nearest_solid(Colliders colliders, const Vec3& point, double time);

}  // namespace selkie::smoke
