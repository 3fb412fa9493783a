// See vortex_method_system.h.
#include "selkie/sim/systems/vortex_method_system.h"

#include <fmt/format.h>

#include "selkie/grid/loops.h"

namespace selkie::sim {

namespace vm = vortex_method;

VortexMethodSystem::VortexMethodSystem(std::string name, vm::Model model, vm::Params params,
                                       vm::State<float> state, bool show_particles)
    : VortexMethodBase(std::move(name), std::move(model), params, std::move(state)),
      show_particles_(show_particles) {
  // Trouble here comes again in the first step, which reports it.
  (void)vm::begin(model_, params_, state_, work_);
  save();
}

double VortexMethodSystem::step_limit(const Environment&) {
  return vm::step_limit(model_, params_, state_, work_);
}

StepReport VortexMethodSystem::solve(const Environment& environment, const Interval& interval) {
  const double gravity = environment.gravity.norm();
  const Vec3 up = gravity > 0 ? Vec3(-environment.gravity / gravity) : Vec3(Vec3::UnitY());
  return vm::step(model_, params_, interval, from(), state_, work_, up);
}

Figures VortexMethodSystem::figures(const Environment&) {
  const grid::Shape& shape = model_.shape;
  grid::FaceField<float>& velocity = work_.flow.velocity;
  vm::curl<float>(model_, std::as_const(state_).stream(), velocity);
  const auto density = grid::view(shape, std::as_const(state_.density));
  const double smoke = grid::sum_rows(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    double sum = 0;
    for (int i = 0; i < shape.cells()[0]; ++i) sum += density(i, j, k);
    return sum;
  });
  return {{"smoke", smoke * model_.particle_volume()},
          {"particles", static_cast<double>(state_.positions.size())},
          {"vorticity", vm::total_strength(state_).norm()},
          {"impulse", vm::impulse(model_, state_).norm()},
          {"energy", vm::kinetic_energy(model_, velocity)},
          {"divergence", vm::largest_divergence(model_, velocity)},
          {"top_speed", vm::top_speed(model_, velocity)}};
}

std::vector<ports::Drawable> VortexMethodSystem::drawables() {
  const grid::Shape& shape = model_.shape;
  const auto density = grid::view(shape, std::as_const(state_.density));
  drawn_density_.resize(shape.cell_count());
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    std::copy_n(density.line(j, k), shape.cells()[0],
                drawn_density_.begin() + static_cast<std::ptrdiff_t>(vm::cell_number(shape, 0, j, k)));
  });
  ports::Volume volume;
  volume.origin = shape.origin();
  volume.cell_size = shape.cell_size();
  volume.cells = shape.cells();
  volume.fields = {{"density", "1", 1, drawn_density_}};
  ports::Drawable smoke;
  smoke.name = name();
  smoke.look = ports::Look::smoke;
  smoke.colour = Vec3(0.85, 0.85, 0.87);
  smoke.shape = std::move(volume);
  std::vector<ports::Drawable> all{std::move(smoke)};
  if (show_particles_ && !state_.positions.empty()) {
    drawn_vorticity_.clear();
    for (const Vec3& strength : state_.strengths)
      for (int a = 0; a < 3; ++a) drawn_vorticity_.push_back(strength[a] / model_.particle_volume());
    ports::Drawable particles;
    particles.name = name() + "-particles";
    particles.shape = ports::Points{
        state_.positions.span(), 0.2 * shape.cell_size(), {{"vorticity", "1/s", 3, drawn_vorticity_}}};
    all.push_back(std::move(particles));
  }
  return all;
}

Estimate VortexMethodSystem::estimate() {
  const auto [nx, ny, nz] = model_.shape.cells();
  Estimate estimate;
  estimate.size = fmt::format("{} × {} × {} cells, {} vortex particles", nx, ny, nz, state_.positions.size());
  // Per element of a field a state of 16 B, kept twice more, 32 B of fields and 62 B of three solvers; per
  // cell what redistribution and viscosity need; per particle 48 B in four copies.
  estimate.memory_bytes = 142.0 * static_cast<double>(model_.shape.size()) +
                          (params_.viscosity > 0   ? 80.0
                           : params_.buoyancy != 0 ? 32.0
                                                   : 24.0) *
                              static_cast<double>(model_.shape.cell_count()) +
                          192.0 * static_cast<double>(state_.positions.size());
  return estimate;
}

std::optional<GridField> VortexMethodSystem::grid_field(std::string_view name) const {
  constexpr std::array<std::string_view, 3> kStream{"stream_x", "stream_y", "stream_z"};
  // Edges inside the box have a shape of their own.
  for (std::size_t a = 0; a < 3; ++a)
    if (name == kStream[a]) return GridField{model_.edges[a], grid::Place::cell};
  if (name == "density") return GridField{model_.shape, grid::Place::cell};
  return std::nullopt;
}

}  // namespace selkie::sim
