// See lattice_boltzmann_system.h.
#include "selkie/sim/systems/lattice_boltzmann_system.h"

#include <fmt/format.h>

#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"

namespace selkie::sim {

LatticeBoltzmannSystem::LatticeBoltzmannSystem(std::string name, lattice_boltzmann::Model model,
                                               lattice_boltzmann::Params params,
                                               lattice_boltzmann::State<float> state)
    : LatticeBoltzmannBase(std::move(name), std::move(model), params, std::move(state)) {}

StepReport LatticeBoltzmannSystem::solve(const Environment&, const Interval& interval) {
  const ProfileZone zone("lattice_boltzmann.step");
  StepReport report = lattice_boltzmann::step(model_, params_, interval, from(), state_);
  report.cfl = interval.dt() / lattice_boltzmann::step_length(model_, params_);
  return report;
}

void LatticeBoltzmannSystem::find_moments() {
  lattice_boltzmann::moments(model_, params_, state_, density_, velocity_);
}

Figures LatticeBoltzmannSystem::figures(const Environment&) {
  find_moments();
  const double fastest = deterministic_max(model_.shape.size(), 0.0, [&](std::size_t i) {
    return std::hypot(double(velocity_[0][i]), double(velocity_[1][i]), double(velocity_[2][i]));
  });
  return {{"mass", lattice_boltzmann::total_mass(model_, state_)}, {"top_speed", fastest}};
}

std::vector<ports::Drawable> LatticeBoltzmannSystem::drawables() {
  find_moments();
  const grid::Shape& shape = model_.shape;
  const auto [nx, ny, nz] = shape.cells();
  ports::Drawable drawable;
  drawable.name = name();
  drawable.colour = Vec3(0.75, 0.8, 0.9);
  if (shape.dims() == 2) {
    plane_.begin(shape);
    plane_.fill([&](int i, int j) {
      const auto at = static_cast<std::size_t>(shape.at(i, j, 0));
      return DrawnPlane::Sample{Vec3(velocity_[0][at], velocity_[1][at], 0), density_[at], 0};
    });
    drawable.shape = plane_.surface();
    return {drawable};
  }
  drawn_speed_.clear(), drawn_velocity_.clear();
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const auto at = static_cast<std::size_t>(shape.at(i, j, k));
        for (const Buffer<float>& component : velocity_) drawn_velocity_.push_back(component[at]);
        drawn_speed_.push_back(std::hypot(velocity_[0][at], velocity_[1][at], velocity_[2][at]));
      }
  ports::Volume volume;
  volume.origin = shape.origin();
  volume.cell_size = shape.cell_size();
  volume.cells = shape.cells();
  volume.fields = {{"speed", "m/s", 1, drawn_speed_}, {"velocity", "m/s", 3, drawn_velocity_}};
  drawable.look = ports::Look::smoke;
  drawable.shape = std::move(volume);
  return {drawable};
}

Estimate LatticeBoltzmannSystem::estimate() {
  const auto [nx, ny, nz] = model_.shape.cells();
  Estimate estimate;
  estimate.size = model_.shape.dims() == 3 ? fmt::format("{} × {} × {} cells", nx, ny, nz)
                                           : fmt::format("{} × {} cells", nx, ny);
  // The populations, their saved copy and the copy at the start of a sub-step.
  estimate.memory_bytes = 3.0 * static_cast<double>(state_.populations.size()) * sizeof(float);
  return estimate;
}

}  // namespace selkie::sim
