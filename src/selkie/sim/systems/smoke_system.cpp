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
  // Solids that are thrown in count as those of the scene: the gas yields to them and does not push them.
  colliders_.clear();
  for (const auto& collider : environment.colliders) colliders_.push_back(collider.get());
  colliders_.insert(colliders_.end(), environment.bodies.begin(), environment.bodies.end());
  auto pose = [&](std::size_t emitter, double time) { return scene_.emitter_motions[emitter].pose(time); };
  smoke::Inputs inputs;
  inputs.gravity = environment.gravity;
  inputs.colliders = colliders_;
  inputs.emitters = scene_.emitters;
  inputs.emitter_pose = pose;
  return smoke::step(model_, params_, inputs, interval, from(), state_, work_);
}

void SmokeSystem::apply(const ports::InputEvent& event) {
  if (event.action != "push") return System::apply(event);
  const EventArguments arguments(event);
  const GaussianPush push(arguments);
  const auto velocity = smoke::velocity_views(model_, state_);
  for (int axis = 0; axis < model_.shape.dims(); ++axis) {
    const grid::Place place = grid::face_place(axis);
    const grid::Box box = grid::sample_box(model_.shape, place);
    grid::for_each_row(box, [&](int j, int k) {
      for (int i = 0; i < box.hi[0]; ++i)
        velocity[static_cast<std::size_t>(axis)](i, j, k) +=
            static_cast<float>(push.at(model_.shape.position(place, i, j, k))[axis]);
    });
  }
}

Figures SmokeSystem::figures(const Environment&) {
  const grid::Shape& shape = model_.shape;
  const double volume = std::pow(shape.cell_size(), shape.dims());
  // What is continued into solids does not count.
  const std::uint8_t* const kinds = work_.solids.any() ? work_.solids.kinds.data() : nullptr;
  auto total = [&](const Buffer<float>& field) {
    return volume * grid::sum_rows(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
             double sum = 0;
             const auto first = static_cast<std::size_t>(shape.at(0, j, k));
             for (std::size_t i = first; i < first + static_cast<std::size_t>(shape.cells()[0]); ++i)
               if (kinds == nullptr || kinds[i] == grid::code_of(grid::CellKind::fluid)) sum += field[i];
             return sum;
           });
  };
  return {{"smoke", total(state_.density)},
          {"heat", total(state_.temperature)},
          {"top_speed", smoke::top_speed(model_, state_)},
          {"vortices", static_cast<double>(state_.vortex_positions.size())}};
}

namespace {

// A cell field without its padding.
std::span<const float> packed(const grid::Shape& shape, const Buffer<float>& field, std::vector<float>& out) {
  const auto cells = grid::view(shape, field);
  const auto length = static_cast<std::size_t>(shape.cells()[0]),
             rows = static_cast<std::size_t>(shape.cells()[1]);
  out.resize(shape.cell_count());
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    const std::size_t row = static_cast<std::size_t>(k) * rows + static_cast<std::size_t>(j);
    std::copy_n(cells.line(j, k), length, out.data() + row * length);
  });
  return out;
}

}  // namespace

ports::Drawable SmokeSystem::volume() {
  const grid::Shape& shape = model_.shape;
  ports::Volume volume;
  volume.origin = shape.origin();
  volume.cell_size = shape.cell_size();
  volume.cells = shape.cells();
  volume.fields.push_back({"density", "1", 1, packed(shape, state_.density, drawn_density_)});
  volume.fields.push_back({"temperature", "K", 1, packed(shape, state_.temperature, drawn_temperature_)});
  if (model_.burns) volume.fields.push_back({"fuel", "1", 1, packed(shape, state_.fuel, drawn_fuel_)});
  ports::Drawable drawable;
  drawable.look = model_.burns ? ports::Look::fire : ports::Look::smoke;
  drawable.shape = std::move(volume);
  return drawable;
}

ports::Drawable SmokeSystem::plane() {
  const grid::Shape& shape = model_.shape;
  plane_.begin(shape);
  const auto velocity = smoke::velocity_views(model_, std::as_const(state_));
  const auto density = grid::view(shape, std::as_const(state_.density));
  const auto temperature = grid::view(shape, std::as_const(state_.temperature));
  plane_.fill([&](int i, int j) {
    const Vec3 u(0.5 * (velocity[0](i, j, 0) + velocity[0](i + 1, j, 0)),
                 0.5 * (velocity[1](i, j, 0) + velocity[1](i, j + 1, 0)), 0);
    return DrawnPlane::Sample{u, density(i, j, 0), temperature(i, j, 0)};
  });
  ports::Drawable drawable;
  drawable.shape = plane_.surface();
  return drawable;
}

std::vector<ports::Drawable> SmokeSystem::drawables() {
  ports::Drawable drawable = model_.shape.dims() == 3 ? volume() : plane();
  drawable.name = name();
  drawable.colour = Vec3(0.85, 0.85, 0.87);
  std::vector<ports::Drawable> all{std::move(drawable)};
  if (scene_.show_vortices && !state_.vortex_positions.empty()) {
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
  // A state of 24 B a cell, kept twice more, and 60 B of scratch.
  estimate.memory_bytes = (model_.burns ? 144.0 : 132.0) * static_cast<double>(model_.shape.size());
  return estimate;
}

}  // namespace selkie::sim
