// See tracker.h.
#include "selkie/fluids/liquid/tracker.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

constexpr Tick kTicksBetweenSeedings = 20 * kTicksPerFrame;  // (HY-08)
// Cells that the fastest liquid crosses before φ is corrected and made a distance again. Each time moves the
// surface by some thousandths of a cell, at random: many small steps would add up to ripples, whose curvature
// then drives currents (a capillary drop at rest: 0.9 √(σ/ρR) if done every step, 0.004 like this).
constexpr double kTravel = 0.5;

grid::MarkerParams marker_params(const Model& model) {
  grid::MarkerParams params;
  params.per_cell = 4 * model.particles_per_cell();
  return params;
}

}  // namespace

template <class Real>
void start_level_set(const Model& model, const Params&, State<Real>& state, TrackerWork<Real>& work) {
  const grid::Shape& shape = model.shape;
  const auto phi = grid::view(shape, state.surface);
  (void)grid::redistance<Real>(shape, grid::Place::cell, {}, phi, work.markers.distance);
  (void)grid::reseed_markers<Real>(shape, grid::Place::cell, marker_params(model), phi, state.markers,
                                   work.markers);
}

template <class Real>
void carry_surface(const Model& model, const Params& params, Colliders colliders, Interval interval,
                   const PlacedSolids<Real>& solids, double cells, bool fed, State<Real>& state,
                   TrackerWork<Real>& work) {
  const ProfileZone zone("liquid.level_set");
  const grid::Shape& shape = model.shape;
  grid::Flow<Real> flow{velocity_views(model, std::as_const(state)), interval.dt()};
  work.field = state.surface;
  const auto phi = grid::view(shape, state.surface);
  // In long steps first order suffices for φ and loses less of thin sheets: the markers carry the accuracy
  // (HY-08; MacCormack's method loses 28 % of a dam break in 2 s, this 12 %). In short ones, which correct
  // seldom, it would smear the surface by half a cell for each that it crosses.
  grid::AdvectOptions options = params.advect;
  if (cells >= kTravel) options.scheme = grid::Scheme::semi_lagrangian;
  grid::advect<Real>(shape, grid::Place::cell, options, flow, grid::view(shape, std::as_const(work.field)),
                     phi, work.advect);
  grid::move_markers<Real>(
      shape, params.motion == Motion::midpoint ? grid::MarkerMotion::rk2 : grid::MarkerMotion::rk3,
      flow.velocity, interval.dt(), state.markers);
  if (solids.any())
    grid::push_markers_out<Real>(
        shape,
        [&](const Vec3& x) {
          const ports::FieldSample solid = nearest_solid(colliders, x, interval.t1());
          return grid::SolidAt{solid.distance, solid.normal};
        },
        state.markers);
  state.travel += cells;
  const bool seeding = interval.end / kTicksBetweenSeedings != interval.begin / kTicksBetweenSeedings;
  if (state.travel < kTravel && !seeding) return;
  state.travel = 0;
  (void)grid::keep_level_set<Real>(shape, grid::Place::cell, marker_params(model), {}, state.markers, phi,
                                   work.markers);
  if (seeding || fed)
    (void)grid::reseed_markers<Real>(shape, grid::Place::cell, marker_params(model), phi, state.markers,
                                     work.markers);
}

template <class Real>
void carry_velocity(const Model& model, const Params& params, Interval interval,
                    const PlacedSolids<Real>& solids, const std::array<Buffer<Real>, 3>& from, double cells,
                    State<Real>& state, TrackerWork<Real>& work) {
  const ProfileZone zone("liquid.advect");
  const grid::Shape& shape = model.shape;
  grid::FaceViews<const Real> old;
  for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dims()); ++a)
    old[a] = grid::view(shape, from[a]);
  grid::Flow<Real> flow{old, interval.dt()};
  work.first_order.assign(shape.size(), 0);
  const auto marks = grid::view(shape, work.first_order);
  const int reach = 1 + static_cast<int>(std::ceil(std::min(cells, 8.0)));
  for (int axis = 0; axis < shape.dims(); ++axis)
    for (const bool high : {false, true}) grid::mark_near_side(shape, axis, high, reach, marks);
  if (solids.any()) {
    const Real far = static_cast<Real>(reach * shape.cell_size());
    grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
      for (int i = 0; i < shape.cells()[0]; ++i)
        if (plain_distance_at<Real>(shape, solids.nodes,
                                    {static_cast<Real>(i + 0.5), static_cast<Real>(j + 0.5),
                                     static_cast<Real>(k + (shape.dims() == 3 ? 0.5 : 0))}) < far)
          marks(i, j, k) = 1;
    });
  }
  flow.first_order = grid::view(shape, std::as_const(work.first_order));
  grid::advect_velocity<Real>(shape, params.advect, flow, old, velocity_views(model, state), work.advect);
}

#define SELKIE_INSTANTIATE(Real)                                                                       \
  template void start_level_set<Real>(const Model&, const Params&, State<Real>&, TrackerWork<Real>&);  \
  template void carry_surface<Real>(const Model&, const Params&, Colliders, Interval,                  \
                                    const PlacedSolids<Real>&, double, bool, State<Real>&,             \
                                    TrackerWork<Real>&);                                               \
  template void carry_velocity<Real>(const Model&, const Params&, Interval, const PlacedSolids<Real>&, \
                                     const std::array<Buffer<Real>, 3>&, double, State<Real>&,         \
                                     TrackerWork<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
