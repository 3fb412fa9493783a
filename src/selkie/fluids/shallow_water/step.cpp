// See step.h.
#include "selkie/fluids/shallow_water/step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/fluids/shallow_water/bodies.h"
#include "selkie/fluids/shallow_water/detail/semi_lagrangian.h"
#include "selkie/fluids/shallow_water/detail/sides.h"
#include "selkie/fluids/shallow_water/detail/sweep.h"
#include "selkie/fluids/shallow_water/forces.h"

namespace selkie::shallow_water {
namespace {

template <class Real>
void prepare(const Model<Real>& model, Work<Real>& work) {
  for (Buffer<Real>* field : {&work.depth, &work.flow_x, &work.flow_z})
    if (field->size() != model.grid.size()) field->assign(model.grid.size(), Real(0));
  for (std::size_t s = 0; s < kSideCount; ++s)
    work.side_flux[s].assign(static_cast<std::size_t>(model.grid.cells[s < 2 ? 1 : 0]), 0);
  work.tile_rounding.assign(detail::tile_count<Real>(model.grid), 0);
}

// One Euler step, or the two stages of Heun's method.
template <class Real>
void step_conservative(const Model<Real>& model, const Params& params, const Inputs& inputs, double dt,
                       const State<Real>& from, State<Real>& to, Work<Real>& work) {
  const detail::GhostFields<Real> fields{to.depth, to.flow_x, to.flow_z};
  const detail::GhostFields<Real> between{work.depth, work.flow_x, work.flow_z};
  const detail::GhostTime end{true, dt};
  detail::fill_ghosts(model, params, inputs, {}, from, fields);
  auto fill = [&](std::size_t side, int first, int last) {
    detail::fill_ghosts(model, params, inputs, end, from, between, side, first, last);
  };
  detail::sweep(model, params, {-inputs.gravity.y(), dt, from, fields, fill}, work);
  detail::fill_ghosts(model, params, inputs, end, from, fields);
}

template <class Real>
double side_inflow(const Work<Real>& work, double cell_size, double dt) {
  double sum = 0;
  for (const Buffer<double>& side : work.side_flux)
    for (const double flux : side) sum += flux;
  return sum * cell_size * dt;
}

}  // namespace

template <class Real>
void poison(Work<Real>& work) {
  for (Buffer<Real>* field : {&work.depth, &work.flow_x, &work.flow_z, &work.submerged})
    std::fill(field->begin(), field->end(), std::numeric_limits<Real>::quiet_NaN());
  for (Buffer<double>& side : work.side_flux)
    std::fill(side.begin(), side.end(), std::numeric_limits<double>::quiet_NaN());
  std::fill(work.tile_rounding.begin(), work.tile_rounding.end(), std::numeric_limits<double>::quiet_NaN());
  std::fill(work.wet.begin(), work.wet.end(), std::uint8_t{77});
}

template <class Real>
StepReport step(const Model<Real>& model, const Params& params, const Inputs& inputs, Interval interval,
                const State<Real>& from, State<Real>& to, Work<Real>& work) {
  const double dt = interval.dt(), area = model.grid.cell_area();
  if (!(inputs.gravity.y() <= 0)) return StepReport::failure("gravity lifts the water off its ground");
  prepare(model, work);
  if (model.method == Method::conservative) {
    const ProfileZone zone("shallow_water.fluxes");
    step_conservative(model, params, inputs, dt, from, to, work);
    double rounded = 0;
    for (const double tile : work.tile_rounding) rounded += tile;
    if (!std::isfinite(rounded)) return StepReport::failure("the water is no longer finite");
    if (rounded > 0 && rounded * area > 1e-4 * volume(model, from))
      return StepReport::failure("a depth turned negative");
    to.rounded += rounded * area;
  } else {
    const ProfileZone zone("shallow_water.semi_lagrangian");
    detail::step_semi_lagrangian(model, params, inputs, dt, from, to, work);
  }
  to.through_sides += side_inflow(work, model.grid.cell_size, dt);
  if (model.method == Method::semi_lagrangian) {
    const double now = volume(model, to);
    if (!std::isfinite(now)) return StepReport::failure("the water is no longer finite");
    to.rounded += now - volume(model, from) - (to.through_sides - from.through_sides);
  }
  const ProfileZone zone("shallow_water.forces");
  add_rain(model, params, dt, to);
  add_sources(model, inputs.sources, dt, to);
  add_field(model, params, inputs, dt, to);
  add_friction(model, params, inputs.gravity, dt, to);
  damp_sides(model, params, dt, to);
  meet_bodies(model, params, inputs, interval, to, work);
  return {};
}

template <class Real>
double step_limit(const Model<Real>& model, const Params& params, double gravity, const State<Real>& state) {
  const Grid& grid = model.grid;
  const bool at_faces = model.method == Method::semi_lagrangian;
  const Real g = static_cast<Real>(gravity + state.pressed), dry = static_cast<Real>(params.dry_depth);
  constexpr int kLanes = 64;
  // Largest |u| + |v| + 2c; lanes, because a plain maximum would not become vector code.
  const double fastest = max_blocks(
      static_cast<std::size_t>(grid.cells[1]), 0.0,
      [&](std::size_t begin, std::size_t end) {
        alignas(64) Real most[kLanes] = {}, trouble[kLanes] = {};
        for (std::size_t j = begin; j < end; ++j) {
          const std::ptrdiff_t at = grid.at(0, static_cast<int>(j));
          const Real *depth = state.depth.data() + at, *x = state.flow_x.data() + at,
                     *z = state.flow_z.data() + at;
          auto speed = [&](int i, Real& lane, Real& bad) {
            const Real h = depth[i] > dry ? depth[i] : Real(0), divisor = at_faces || !(h > 0) ? Real(1) : h;
            const Real flow = (std::abs(x[i]) + std::abs(z[i])) / divisor;
            const Real value = (at_faces || h > 0 ? flow : Real(0)) + 2 * std::sqrt(g * h);
            lane = value > lane ? value : lane;
            bad += Real(0) * (value + depth[i]);
          };
          int i = 0;
          for (; i + kLanes <= grid.cells[0]; i += kLanes)
            for (int k = 0; k < kLanes; ++k) speed(i + k, most[k], trouble[k]);
          for (; i < grid.cells[0]; ++i) speed(i, most[0], trouble[0]);
        }
        double largest = 0;
        for (int k = 0; k < kLanes; ++k)
          largest = std::max(largest, static_cast<double>(most[k])) + static_cast<double>(trouble[k]);
        return largest;
      },
      16);
  const double share = at_faces ? 2 * params.cfl : params.cfl;
  return fastest > 0 || std::isnan(fastest) ? share * grid.cell_size / fastest
                                            : std::numeric_limits<double>::infinity();
}

#define SELKIE_STEP(Real)                                                                                  \
  template void poison(Work<Real>&);                                                                       \
  template StepReport step(const Model<Real>&, const Params&, const Inputs&, Interval, const State<Real>&, \
                           State<Real>&, Work<Real>&);                                                     \
  template double step_limit(const Model<Real>&, const Params&, double, const State<Real>&);
SELKIE_STEP(float)
SELKIE_STEP(double)
#undef SELKIE_STEP

}  // namespace selkie::shallow_water
