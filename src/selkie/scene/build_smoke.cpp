// See build_smoke.h.
#include "selkie/scene/build_smoke.h"

#include "selkie/core/error.h"
#include "selkie/scene/paths.h"
#include "selkie/sim/systems/smoke_system.h"

namespace selkie::scene {
namespace {

// The closed mesh that emitter e fills; what is wrong with it is said at its place in the scene.
std::shared_ptr<const geometry::MeshDistance> read_form(sim::ColliderMesh mesh, std::size_t e,
                                                        const Scene& scene, const Value& table) {
  const Place place = find_place(table, "emit." + std::to_string(e) + ".mesh.file");
  const std::string file = mesh.file;
  mesh.file = existing_file(file, scene.folder, place).string();
  try {
    return std::make_shared<geometry::MeshDistance>(sim::read_collider_mesh(mesh));
  } catch (const InputError& trouble) {
    throw InputError(place.location(), "nothing can be emitted inside '" + file + "': " + trouble.problem(),
                     trouble.remedy());
  }
}

template <class Real>
std::unique_ptr<sim::System> build(const SmokeDescription& d, smoke::Model model, sim::SmokeScene scene,
                                   const Value& table) {
  smoke::State<Real> state = smoke::make_state<Real>(model);
  if (d.initial) {
    auto fill = [&](grid::Place place, const std::string& formula, const std::string& key,
                    Buffer<Real>& field) {
      fill_from(model.shape, place, formula, table, "initial." + key, field);
    };
    fill(grid::Place::face_x, d.initial->velocity.velocity_x, "velocity_x", state.velocity_x);
    fill(grid::Place::face_y, d.initial->velocity.velocity_y, "velocity_y", state.velocity_y);
    fill(grid::Place::face_z, d.initial->velocity.velocity_z, "velocity_z", state.velocity_z);
    fill(grid::Place::cell, d.initial->density, "density", state.density);
    fill(grid::Place::cell, d.initial->temperature, "temperature", state.temperature);
    fill(grid::Place::cell, d.initial->fuel, "fuel", state.fuel);
  }
  return std::make_unique<sim::SmokeSystem<Real>>(d.name, std::move(model), d.params, std::move(state),
                                                  std::move(scene));
}

}  // namespace

std::unique_ptr<sim::System> build_smoke(const SmokeDescription& d, const Scene& scene, const Value& table) {
  smoke::Model model;
  model.shape = shape_of(d.domain);
  model.sides = {d.sides.low_x, d.sides.high_x, d.sides.low_y, d.sides.high_y, d.sides.low_z, d.sides.high_z};
  model.burns = d.burns;
  sim::SmokeScene known;
  known.show_vortices = d.show_vortices;
  for (std::size_t e = 0; e < d.emit.size(); ++e) {
    const EmitterDescription& emit = d.emit[e];
    known.emitters.push_back(emit.emitter);
    known.emitter_motions.push_back(emit.motion ? sim::Motion(*emit.motion) : sim::Motion());
    known.emitter_meshes.push_back(emit.mesh ? read_form(*emit.mesh, e, scene, table) : nullptr);
  }
  return d.precision == Precision::twofold ? build<double>(d, std::move(model), std::move(known), table)
                                           : build<float>(d, std::move(model), std::move(known), table);
}

}  // namespace selkie::scene
