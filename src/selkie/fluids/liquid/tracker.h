// The surface as a level set with marker particles on both sides (HY-08), and velocity carried on the grid by
// MacCormack's method, which reverts to first order where it would overshoot (HY-05), near solids always
// (HY-06). [Enright02; Selle08 §2.9]
#pragma once

#include "selkie/fluids/liquid/params.h"
#include "selkie/fluids/liquid/solids.h"
#include "selkie/grid/advect.h"
#include "selkie/grid/particle_level_set.h"
#include "selkie/ports/time.h"

namespace selkie::liquid {

template <class Real>
struct TrackerWork {
  Buffer<Real> field;
  Buffer<std::uint8_t> first_order;
  grid::AdvectWork<Real> advect;
  grid::MarkerWork<Real> markers;
};

// Makes state.surface a signed distance and seeds markers around it. For a new state.
template <class Real>
void start_level_set(const Model& model, const Params& params, State<Real>& state, TrackerWork<Real>& work);

// φ and markers over the interval with state.velocity, which reaches beyond the surface and crosses `cells`
// cells at most. New liquid has no markers yet: where it is `fed` they are seeded whenever φ is corrected.
template <class Real>
void carry_surface(const Model& model, const Params& params, Colliders colliders, Interval interval,
                   const PlacedSolids<Real>& solids, double cells, bool fed, State<Real>& state,
                   TrackerWork<Real>& work);

// state.velocity over the interval; `from` is what it was.
template <class Real>
void carry_velocity(const Model& model, const Params& params, Interval interval,
                    const PlacedSolids<Real>& solids, const std::array<Buffer<Real>, 3>& from, double cells,
                    State<Real>& state, TrackerWork<Real>& work);

}  // namespace selkie::liquid
