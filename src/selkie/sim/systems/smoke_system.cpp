// See smoke_system.h.
#include "selkie/sim/systems/smoke_system.h"

#include <fmt/format.h>

#include <cmath>

#include "selkie/core/error.h"
#include "selkie/grid/loops.h"
#include "selkie/sim/event_arguments.h"

namespace selkie::sim {

SmokeSystem::SmokeSystem(std::string name, smoke::Model model, smoke::Params params,
                         smoke::State<float> state, SmokeScene scene)
    : SmokeBase(std::move(name), std::move(model), std::move(params), std::move(state)),
      scene_(std::move(scene)) {}

double SmokeSystem::step_limit(const Environment&) { return smoke::step_limit(model_, params_, state_); }

StepReport SmokeSystem::solve(const Environment& environment, const Interval& interval) {
  std::vector<const ports::FieldSampler*> colliders;
  for (const auto& collider : environment.colliders) colliders.push_back(collider.get());
  auto pose = [&](std::size_t emitter, double time) { return scene_.emitter_motions[emitter].pose(time); };
  smoke::Inputs inputs;
  inputs.gravity = environment.gravity;
  inputs.colliders = colliders;
  inputs.emitters = scene_.emitters;
  inputs.emitter_pose = pose;
  return smoke::step(model_, params_, inputs, interval, from(), state_, work_);
}

void SmokeSystem::apply(const ports::InputEvent& event) {
  if (event.action != "push")
    throw InputError(event.arguments.place.location(),
                     "'" + name() + "' does not know the action '" + event.action + "'",
                     "smoke takes: set, push");
  const EventArguments arguments(event);
  const Vec3 point = arguments.vector("point"), direction = arguments.vector("direction");
  const double strength = arguments.number("strength"), radius = arguments.number("radius");
  if (!(radius > 0) || !(direction.norm() > 0))
    throw InputError(event.arguments.place.location(), "'push' needs a radius above 0 and a direction");
  // SW-30: strength · exp(−d²/2 radius²) along the direction.
  const Vec3 gust = strength * direction.normalized();
  const auto velocity = smoke::velocity_views(model_, state_);
  for (int axis = 0; axis < model_.shape.dims(); ++axis) {
    const grid::Box box = grid::sample_box(model_.shape, grid::face_place(axis));
    grid::for_each_row(box, [&](int j, int k) {
      for (int i = 0; i < box.hi[0]; ++i) {
        const double square = (model_.shape.position(grid::face_place(axis), i, j, k) - point).squaredNorm() /
                              (2 * radius * radius);
        if (square < 20)
          velocity[static_cast<std::size_t>(axis)](i, j, k) +=
              static_cast<float>(gust[axis] * std::exp(-square));
      }
    });
  }
}

Figures SmokeSystem::figures(const Environment&) {
  const grid::Shape& shape = model_.shape;
  const double volume = std::pow(shape.cell_size(), shape.dims());
  auto total = [&](const Buffer<float>& field) {
    const auto cells = grid::view(shape, field);
    return volume * grid::sum_rows(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
             double sum = 0;
             for (int i = 0; i < shape.cells()[0]; ++i) sum += cells(i, j, k);
             return sum;
           });
  };
  return {{"smoke", total(state_.density)},
          {"heat", total(state_.temperature)},
          {"top_speed", smoke::top_speed(model_, state_)},
          {"vortices", static_cast<double>(state_.vortex_positions.size())}};
}

std::vector<ports::Drawable> SmokeSystem::drawables() {
  const grid::Shape& shape = model_.shape;
  auto packed = [&](const Buffer<float>& field, std::vector<float>& out) -> std::span<const float> {
    const auto cells = grid::view(shape, field);
    const auto [nx, ny, nz] = shape.cells();
    out.resize(shape.cell_count());
    grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&, x = nx, y = ny](int j, int k) {
      const std::size_t row =
          (static_cast<std::size_t>(k) * static_cast<std::size_t>(y) + static_cast<std::size_t>(j)) *
          static_cast<std::size_t>(x);
      std::copy_n(cells.line(j, k), x, out.begin() + static_cast<std::ptrdiff_t>(row));
    });
    static_cast<void>(nz);
    return out;
  };
  ports::Volume volume;
  volume.origin = shape.origin();
  volume.cell_size = shape.cell_size();
  volume.cells = shape.cells();
  // A 2-D grid is drawn as a slab one cell thick about its plane.
  if (shape.dims() == 2) volume.origin.z() -= 0.5 * shape.cell_size();
  volume.fields.push_back({"density", "1", 1, packed(state_.density, drawn_density_)});
  volume.fields.push_back({"temperature", "K", 1, packed(state_.temperature, drawn_temperature_)});
  if (model_.burns) volume.fields.push_back({"fuel", "1", 1, packed(state_.fuel, drawn_fuel_)});
  ports::Drawable drawable;
  drawable.name = name();
  drawable.look = model_.burns ? ports::Look::fire : ports::Look::smoke;
  drawable.colour = Vec3(0.85, 0.85, 0.87);
  drawable.shape = std::move(volume);
  std::vector<ports::Drawable> all{std::move(drawable)};
  if (!state_.vortex_positions.empty()) {
    ports::Drawable vortices;
    vortices.name = name() + "-vortices";
    vortices.shape =
        ports::Vectors{"vorticity", "m³/s", state_.vortex_positions.span(), state_.vortex_strengths.span()};
    all.push_back(std::move(vortices));
  }
  return all;
}

Estimate SmokeSystem::estimate() {
  Estimate estimate;
  const auto [nx, ny, nz] = model_.shape.cells();
  estimate.size = model_.shape.dims() == 3 ? fmt::format("{} × {} × {} cells", nx, ny, nz)
                                           : fmt::format("{} × {} cells", nx, ny);
  // State and its kept copy 48 B a cell, pressure solver about 30, solids 30, transport 4.
  estimate.memory_bytes = 112.0 * static_cast<double>(model_.shape.size());
  return estimate;
}

}  // namespace selkie::sim
