// See build_lattice_boltzmann.h.
#include "selkie/scene/build_lattice_boltzmann.h"

#include <algorithm>

#include "selkie/core/error.h"
#include "selkie/sim/systems/lattice_boltzmann_system.h"

namespace selkie::scene {

namespace lb = lattice_boltzmann;

std::vector<Problem> validate(const LatticeBoltzmannDescription& lattice) {
  std::vector<Problem> problems;
  const WallsDescription& w = lattice.walls;
  const PeriodicDescription& p = lattice.periodic;
  const double allowed = lattice.params.top_speed / lattice.params.lattice_speed / 3;
  for (const auto& [key, velocity, periodic] : {std::tuple{"low_x", &w.low_x, p.x},
                                                {"high_x", &w.high_x, p.x},
                                                {"low_y", &w.low_y, p.y},
                                                {"high_y", &w.high_y, p.y},
                                                {"low_z", &w.low_z, p.z},
                                                {"high_z", &w.high_z, p.z}}) {
    if (velocity->norm() == 0) continue;
    if (periodic)
      problems.push_back({std::string("walls.") + key, "moves a side that is joined to the opposite one",
                          "make the axis not periodic"});
    else if (velocity->norm() >= allowed)
      problems.push_back({std::string("walls.") + key, "is faster than a third of a cell a step",
                          "raise top_speed to the speed of the fastest wall"});
  }
  return problems;
}

namespace {

// Sides that slide.
void set_walls(const WallsDescription& w, lb::Model& model) {
  const std::array<std::array<Vec3, 2>, 3> walls{
      {{w.low_x, w.high_x}, {w.low_y, w.high_y}, {w.low_z, w.high_z}}};
  for (int axis = 0; axis < model.shape.dims(); ++axis)
    for (const bool high : {false, true})
      if (const Vec3& velocity = walls[static_cast<std::size_t>(axis)][high]; velocity.norm() > 0)
        lb::set_side_velocity(model, axis, high, velocity);
}

void set_velocity(const VelocityFormulas& formulas, const lb::Params& params, const lb::Model& model,
                  const Value& source, lb::State<float>& state) {
  const grid::Shape& shape = model.shape;
  std::array<Buffer<float>, 3> velocity;
  const std::array<const std::string*, 3> formula{&formulas.velocity_x, &formulas.velocity_y,
                                                  &formulas.velocity_z};
  bool moves = false;
  for (std::size_t a = 0; a < 3; ++a) {
    velocity[a].assign(shape.size(), 0);
    fill_from(shape, grid::Place::cell, *formula[a], source, std::string("initial.velocity_") + "xyz"[a],
              velocity[a]);
    moves = moves || *formula[a] != "0";
  }
  if (!moves) return;
  const double dt = lb::step_length(model, params);
  for (int k = 0; k < shape.cells()[2]; ++k)
    for (int j = 0; j < shape.cells()[1]; ++j)
      for (int i = 0; i < shape.cells()[0]; ++i) {
        const auto at = static_cast<std::size_t>(shape.at(i, j, k));
        lb::set_equilibrium(model, i, j, k, 1, Vec3(velocity[0][at], velocity[1][at], velocity[2][at]), dt,
                            state);
      }
  state.step = dt;
}

}  // namespace

std::unique_ptr<sim::System> build_lattice_boltzmann(const LatticeBoltzmannDescription& d,
                                                     std::span<const sim::ColliderDescription> colliders,
                                                     const Value& source) {
  lb::Model model = lb::make_model(shape_of(d.domain), {d.periodic.x, d.periodic.y, d.periodic.z});
  set_walls(d.walls, model);
  for (const sim::ColliderDescription& collider : colliders) {
    if (collider.motion)
      throw InputError(
          source.place.location(),
          "the collider '" + collider.name + "' moves, but walls of a lattice Boltzmann gas stay",
          "let it rest, or use a [[smoke]] system");
    const auto solid = sim::make_collider(collider);
    lb::set_obstacle(model, [&](const Vec3& x) { return solid->sample(x, 0).distance; });
  }
  lb::State<float> state = lb::make_state<float>(model);
  set_velocity(d.initial, d.params, model, source, state);
  return std::make_unique<sim::LatticeBoltzmannSystem>(d.name, std::move(model), d.params, std::move(state));
}

}  // namespace selkie::scene
