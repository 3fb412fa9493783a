// See build_smoke.h.
#include "selkie/scene/build_smoke.h"

#include "selkie/sim/systems/smoke_system.h"

namespace selkie::scene {
std::unique_ptr<sim::System> build_smoke(const SmokeDescription& d) {
  smoke::Model model;
  model.shape = shape_of(d.domain);
  model.sides = {d.sides.low_x, d.sides.high_x, d.sides.low_y, d.sides.high_y, d.sides.low_z, d.sides.high_z};
  model.burns = d.burns;
  smoke::State<float> state = smoke::make_state<float>(model);
  if (d.initial) {
    fill_from(model.shape, grid::Place::face_x, d.initial->velocity.velocity_x, state.velocity_x);
    fill_from(model.shape, grid::Place::face_y, d.initial->velocity.velocity_y, state.velocity_y);
    fill_from(model.shape, grid::Place::face_z, d.initial->velocity.velocity_z, state.velocity_z);
    fill_from(model.shape, grid::Place::cell, d.initial->density, state.density);
    fill_from(model.shape, grid::Place::cell, d.initial->temperature, state.temperature);
    fill_from(model.shape, grid::Place::cell, d.initial->fuel, state.fuel);
  }
  sim::SmokeScene scene;
  scene.show_vortices = d.show_vortices;
  for (const EmitterDescription& e : d.emit) {
    scene.emitters.push_back(e.emitter);
    scene.emitter_motions.push_back(e.motion ? sim::Motion(*e.motion) : sim::Motion());
  }
  return std::make_unique<sim::SmokeSystem>(d.name, std::move(model), d.params, std::move(state),
                                            std::move(scene));
}

}  // namespace selkie::scene
