// How many particles stand for the liquid: inner cells with few of them get new ones, crowded ones lose some
// (reseeding); or only the cells near the surface hold any, and deeper liquid moves on the grid alone (narrow
// band) [Ferstl16]. Depth counts cells from the air, so it is known from the surface without a record.
#pragma once

#include "selkie/fluids/liquid/params.h"
#include "selkie/fluids/liquid/solids.h"
#include "selkie/grid/advect.h"
#include "selkie/ports/time.h"

namespace selkie::liquid {

// Cells below the surface that particles must reach: it is found from particles within 1.5 cells.
inline constexpr int kLeastDepth = 2;

template <class Real>
struct PopulationWork {
  Buffer<std::uint8_t> depth, next;     // cells from the air, 0 in it; ghosts are deep
  std::array<Buffer<Real>, 3> carried;  // velocity of such liquid
  grid::AdvectWork<Real> advect;
  std::vector<std::uint32_t> wanted;
};

// Before particles move: where there is deep liquid at the end of the step (ranges.full), and its velocity.
template <class Real>
void carry_deep(const Model& model, const Params& params, Interval interval, const State<Real>& state,
                CellRanges& ranges, PopulationWork<Real>& work);
// After velocity came onto the grid: that of the deep liquid.
template <class Real>
void set_deep_velocity(const Model& model, const CellRanges& ranges, const PopulationWork<Real>& work,
                       State<Real>& state);

// Adds and takes particles so that each cell that should hold some has half to twice as many as it should;
// newborn ones keep clear of solids and have the velocity on the grid. Counts both; particles stay in order.
template <class Real>
void populate(const Model& model, const Params& params, const PlacedSolids<Real>& solids, State<Real>& state,
              CellRanges& ranges, SortWork<Real>& sorting, PopulationWork<Real>& work);

}  // namespace selkie::liquid
