// See smoke_system.h.
#include "selkie/sim/systems/smoke_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/grid/loops.h"
#include "selkie/sim/event_arguments.h"

namespace selkie::sim {

template <class Real>
SmokeSystem<Real>::SmokeSystem(std::string name, smoke::Model model, smoke::Params params,
                               smoke::State<Real> state, SmokeScene scene)
    : SmokeBase<Real>(std::move(name), std::move(model), std::move(params), std::move(state)),
      scene_(std::move(scene)) {}

template <class Real>
double SmokeSystem<Real>::step_limit(const Environment&) {
  return smoke::step_limit(this->model_, this->params_, this->state_);
}

template <class Real>
StepReport SmokeSystem<Real>::solve(const Environment& environment, const Interval& interval) {
  // Solids that are thrown in count as those of the scene: the gas yields to them and does not push them.
  colliders_.clear();
  for (const auto& collider : environment.colliders) colliders_.push_back(collider.get());
  colliders_.insert(colliders_.end(), environment.bodies.begin(), environment.bodies.end());
  auto pose = [&](std::size_t emitter, double time) { return scene_.emitter_motions[emitter].pose(time); };
  smoke::Inputs inputs;
  inputs.gravity = environment.gravity;
  inputs.colliders = colliders_;
  inputs.emitters = {scene_.emitters, pose, scene_.emitter_meshes};
  return smoke::step(this->model_, this->params_, inputs, interval, this->from(), this->state_, this->work_);
}

template <class Real>
void SmokeSystem<Real>::apply(const ports::InputEvent& event) {
  if (event.action != "push") return System::apply(event);
  const EventArguments arguments(event);
  const GaussianPush push(arguments);
  const auto velocity = smoke::velocity_views(this->model_, this->state_);
  for (int axis = 0; axis < this->model_.shape.dims(); ++axis) {
    const grid::Place place = grid::face_place(axis);
    const grid::Box box = grid::sample_box(this->model_.shape, place);
    grid::for_each_row(box, [&](int j, int k) {
      for (int i = 0; i < box.hi[0]; ++i)
        velocity[static_cast<std::size_t>(axis)](i, j, k) +=
            static_cast<Real>(push.at(this->model_.shape.position(place, i, j, k))[axis]);
    });
  }
}

template <class Real>
Figures SmokeSystem<Real>::figures(const Environment&) {
  const grid::Shape& shape = this->model_.shape;
  const double volume = std::pow(shape.cell_size(), shape.dims());
  // What is continued into solids does not count.
  const std::uint8_t* const kinds = this->work_.solids.any() ? this->work_.solids.kinds.data() : nullptr;
  auto total = [&](const Buffer<Real>& field) {
    return volume * grid::sum_rows(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
             double sum = 0;
             const auto first = static_cast<std::size_t>(shape.at(0, j, k));
             for (std::size_t i = first; i < first + static_cast<std::size_t>(shape.cells()[0]); ++i)
               if (kinds == nullptr || kinds[i] == grid::code_of(grid::CellKind::fluid))
                 sum += static_cast<double>(field[i]);
             return sum;
           });
  };
  Figures figures{{"smoke", total(this->state_.density)},
                  {"heat", total(this->state_.temperature)},
                  {"top_speed", smoke::top_speed(this->model_, this->state_)},
                  {"vortices", static_cast<double>(this->state_.vortex_positions.size())}};
  if (this->model_.burns) figures.emplace_back("fuel", total(this->state_.fuel));
  return figures;
}

namespace {

// A cell field without its padding.
template <class Real>
std::span<const float> packed(const grid::Shape& shape, const Buffer<Real>& field, std::vector<float>& out) {
  const auto cells = grid::view(shape, field);
  const auto length = static_cast<std::size_t>(shape.cells()[0]),
             rows = static_cast<std::size_t>(shape.cells()[1]);
  out.resize(shape.cell_count());
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    const std::size_t row = static_cast<std::size_t>(k) * rows + static_cast<std::size_t>(j);
    const Real* const from = cells.line(j, k);
    std::transform(from, from + length, out.data() + row * length,
                   [](Real value) { return static_cast<float>(value); });
  });
  return out;
}

}  // namespace

template <class Real>
ports::Drawable SmokeSystem<Real>::volume() {
  const grid::Shape& shape = this->model_.shape;
  ports::Volume volume;
  volume.origin = shape.origin();
  volume.cell_size = shape.cell_size();
  volume.cells = shape.cells();
  volume.fields.push_back({"density", "1", 1, packed(shape, this->state_.density, drawn_density_)});
  volume.fields.push_back(
      {"temperature", "K", 1, packed(shape, this->state_.temperature, drawn_temperature_)});
  if (this->model_.burns)
    volume.fields.push_back({"fuel", "1", 1, packed(shape, this->state_.fuel, drawn_fuel_)});
  ports::Drawable drawable;
  drawable.look = this->model_.burns ? ports::Look::fire : ports::Look::smoke;
  drawable.shape = std::move(volume);
  return drawable;
}

template <class Real>
ports::Drawable SmokeSystem<Real>::plane() {
  const grid::Shape& shape = this->model_.shape;
  plane_.begin(shape);
  const auto velocity = smoke::velocity_views(this->model_, std::as_const(this->state_));
  const auto density = grid::view(shape, std::as_const(this->state_.density));
  const auto temperature = grid::view(shape, std::as_const(this->state_.temperature));
  plane_.fill([&](int i, int j) {
    const Vec3 u(0.5 * double(velocity[0](i, j, 0) + velocity[0](i + 1, j, 0)),
                 0.5 * double(velocity[1](i, j, 0) + velocity[1](i, j + 1, 0)), 0);
    return DrawnPlane::Sample{u, double(density(i, j, 0)), double(temperature(i, j, 0))};
  });
  ports::Drawable drawable;
  drawable.shape = plane_.surface();
  return drawable;
}

template <class Real>
std::vector<ports::Drawable> SmokeSystem<Real>::drawables() {
  ports::Drawable drawable = this->model_.shape.dims() == 3 ? volume() : plane();
  drawable.name = this->name();
  drawable.colour = Vec3(0.85, 0.85, 0.87);
  std::vector<ports::Drawable> all{std::move(drawable)};
  if (scene_.show_vortices && !this->state_.vortex_positions.empty()) {
    ports::Drawable vortices;
    vortices.name = this->name() + "-vortices";
    vortices.shape = ports::Vectors{"vorticity", "m³/s", this->state_.vortex_positions.span(),
                                    this->state_.vortex_strengths.span()};
    all.push_back(std::move(vortices));
  }
  return all;
}

template <class Real>
Estimate SmokeSystem<Real>::estimate() {
  Estimate estimate;
  const auto [nx, ny, nz] = this->model_.shape.cells();
  estimate.size = this->model_.shape.dims() == 3 ? fmt::format("{} × {} × {} cells", nx, ny, nz)
                                                 : fmt::format("{} × {} cells", nx, ny);
  // A state of 6 numbers a cell (7 with fuel), kept twice more, and scratch of 15.
  estimate.memory_bytes =
      (this->model_.burns ? 36.0 : 33.0) * sizeof(Real) * static_cast<double>(this->model_.shape.size());
  return estimate;
}

template <class Real>
std::optional<GridField> SmokeSystem<Real>::grid_field(std::string_view name) const {
  constexpr std::array<std::string_view, 3> kFaces{"velocity_x", "velocity_y", "velocity_z"};
  for (int axis = 0; axis < 3; ++axis)
    if (name == kFaces[static_cast<std::size_t>(axis)])
      return GridField{this->model_.shape, grid::face_place(axis)};
  for (const std::string_view cells : {"density", "temperature", "fuel", "pressure"})
    if (name == cells) return GridField{this->model_.shape, grid::Place::cell};
  return std::nullopt;
}

template class SmokeSystem<float>;
template class SmokeSystem<double>;

}  // namespace selkie::sim
