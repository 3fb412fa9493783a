// See build_smoke.h.
#include "selkie/scene/build_smoke.h"

#include "selkie/core/expression.h"
#include "selkie/sim/systems/smoke_system.h"

namespace selkie::scene {
namespace {

// A field from its formula; one after the other, because an Expression serves one thread.
void fill_from(const grid::Shape& shape, grid::Place place, const std::string& formula,
               Buffer<float>& field) {
  if (formula == "0" || field.empty()) return;
  const Expression expression(formula, {"x", "y", "z"});
  const grid::Index samples = shape.samples(place);
  for (int k = 0; k < samples[2]; ++k)
    for (int j = 0; j < samples[1]; ++j)
      for (int i = 0; i < samples[0]; ++i) {
        const Vec3 x = shape.position(place, i, j, k);
        const std::array<double, 3> at{x.x(), x.y(), x.z()};
        field[static_cast<std::size_t>(shape.at(i, j, k))] = static_cast<float>(expression(at));
      }
}

}  // namespace

std::unique_ptr<sim::System> build_smoke(const SmokeDescription& d) {
  smoke::Model model;
  model.shape = shape_of(d.domain);
  model.sides = {d.sides.low_x, d.sides.high_x, d.sides.low_y, d.sides.high_y, d.sides.low_z, d.sides.high_z};
  model.burns = d.burns;
  smoke::State<float> state = smoke::make_state<float>(model);
  if (d.initial) {
    fill_from(model.shape, grid::Place::face_x, d.initial->velocity_x, state.velocity_x);
    fill_from(model.shape, grid::Place::face_y, d.initial->velocity_y, state.velocity_y);
    fill_from(model.shape, grid::Place::face_z, d.initial->velocity_z, state.velocity_z);
    fill_from(model.shape, grid::Place::cell, d.initial->density, state.density);
    fill_from(model.shape, grid::Place::cell, d.initial->temperature, state.temperature);
    fill_from(model.shape, grid::Place::cell, d.initial->fuel, state.fuel);
  }
  sim::SmokeScene scene;
  for (const EmitterDescription& e : d.emit) {
    scene.emitters.push_back(e.emitter);
    scene.emitter_motions.push_back(e.motion ? sim::Motion(*e.motion) : sim::Motion());
  }
  return std::make_unique<sim::SmokeSystem>(d.name, std::move(model), d.params, std::move(state),
                                            std::move(scene));
}

}  // namespace selkie::scene
