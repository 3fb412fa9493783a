// See liquid.h.
#include "selkie/studies/liquid.h"

#include <fmt/format.h>

#include <cmath>

#include "selkie/fluids/liquid/surface.h"
#include "selkie/studies/liquid_cases.h"

namespace selkie::studies {
namespace liquid_cases {

std::string number(double value) { return fmt::format("{:.4g}", value); }

template <class Real>
void Tank<Real>::fill(FunctionRef<bool(const Vec3&)> inside, FunctionRef<Vec3(const Vec3&)> velocity) {
  state.counts.seeded += liquid::seed<Real>(model, 1, inside, velocity, state.born, state.particles);
  if (model.tracker == liquid::Tracker::level_set) {
    // A first φ from the particles; they are not needed further.
    liquid::Model by_particles = model;
    by_particles.tracker = liquid::Tracker::particles;
    liquid::prepare(by_particles, params, inputs.colliders, time, state, work);
    state.particles = {};
  }
  liquid::prepare(model, params, inputs.colliders, time, state, work);
  // The grid starts with what the particles bring, so that the first step moves them.
  for (int axis = 0; axis < model.shape.dims(); ++axis)
    if (velocity)
      grid::fill(model.shape, grid::face_place(axis), *state.velocity()[static_cast<std::size_t>(axis)],
                 [&](const Vec3& x) { return velocity(x)[axis]; });
}

template <class Real>
void Tank<Real>::set_surface(FunctionRef<double(const Vec3&)> distance) {
  grid::fill(model.shape, grid::Place::cell, state.surface, distance);
  const auto phi = grid::view(model.shape, state.surface);
  const auto [nx, ny, nz] = model.shape.cells();
  const bool solid = model.shape.dims() == 3;
  for (int k = solid ? -1 : 0; k <= (solid ? nz : 0); ++k)
    for (int j = -1; j <= ny; ++j)
      for (int i = -1; i <= nx; ++i)
        phi(i, j, k) = static_cast<Real>(distance(model.shape.position(grid::Place::cell, i, j, k)));
}

template <class Real>
void Tank<Real>::advance(double dt) {
  constexpr double kTick = 1.0 / 24 / double(kTicksPerFrame);
  const auto begin = static_cast<Tick>(std::llround(time / kTick)),
             end = static_cast<Tick>(std::llround((time + dt) / kTick));
  from = state;
  const StepReport report = liquid::step<Real>(model, params, inputs, {begin, end, kTick}, from, state, work);
  ok = ok && report.ok;
  time += dt;
}

template <class Real>
void Tank<Real>::advance_to(double end, double longest) {
  while (time < end - 1e-9 && ok) {
    const double limit = std::min(longest, liquid::step_limit(model, params, inputs.gravity, state));
    const double left = end - time;
    advance(left / std::ceil(left / limit));
  }
}

template <class Real>
Vec3 Tank<Real>::mean_place() const {
  const auto& p = state.particles;
  Vec3 mean = Vec3::Zero();
  for (int axis = 0; axis < model.shape.dims(); ++axis)
    mean[axis] = deterministic_sum(p.size(),
                                   [&](std::size_t n) {
                                     return double((*p.position()[static_cast<std::size_t>(axis)])[n]);
                                   }) /
                 double(p.size());
  return liquid::world_of(model.shape, mean);
}

template <class Real>
Vec3 Tank<Real>::mean_velocity() const {
  const auto& p = state.particles;
  Vec3 mean = Vec3::Zero();
  for (int axis = 0; axis < model.shape.dims(); ++axis)
    mean[axis] = deterministic_sum(p.size(),
                                   [&](std::size_t n) {
                                     return double((*p.velocity()[static_cast<std::size_t>(axis)])[n]);
                                   }) /
                 double(p.size());
  return mean;
}

template struct Tank<float>;
template struct Tank<double>;

}  // namespace liquid_cases

StudyResult liquid(const StudyOptions& options) {
  using namespace liquid_cases;
  StudyResult result;
  result.tables = {linear_pressure_table(),
                   hydrostatic_table(),
                   rest_table(options.full),
                   still_pool_table(),
                   sloshing_table(options.full ? std::vector<int>{32, 64, 128} : std::vector<int>{32, 64}),
                   slope_table(),
                   transfer_table(),
                   viscosity_table()};
  for (Table& table : interface_tables(options)) result.tables.push_back(std::move(table));
  EnergyResult energy = energy_table(options.full ? 64 : 32, 20);
  result.tables.push_back(std::move(energy.table));
  result.tables.push_back(capillary_table(options.full ? std::vector<int>{32, 64} : std::vector<int>{32}));
  result.tables.push_back(splash_table(options.full ? 64 : 24));
  if (options.full) {
    VolumeResult volume = volume_table(64);
    result.tables.push_back(std::move(volume.table));
    if (options.plots) result.plots.push_back(std::move(volume.plot));
  }
  if (options.plots) result.plots.push_back(std::move(energy.plot));
  return result;
}

}  // namespace selkie::studies
