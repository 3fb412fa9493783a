// Description to World.
#include <algorithm>
#include <variant>

#include "selkie/core/error.h"
#include "selkie/core/pages.h"
#include "selkie/core/schema.h"
#include "selkie/io/read_toml.h"
#include "selkie/scene/build_body.h"
#include "selkie/scene/build_contact.h"
#include "selkie/scene/build_coupling.h"
#include "selkie/scene/build_elastic.h"
#include "selkie/scene/build_lattice_boltzmann.h"
#include "selkie/scene/build_liquid.h"
#include "selkie/scene/build_modal.h"
#include "selkie/scene/build_position_based.h"
#include "selkie/scene/build_rigid.h"
#include "selkie/scene/build_shallow_water.h"
#include "selkie/scene/build_shape_matching.h"
#include "selkie/scene/build_smoke.h"
#include "selkie/scene/build_surface_water.h"
#include "selkie/scene/build_vortex_method.h"
#include "selkie/scene/paths.h"
#include "selkie/scene/scene.h"
#include "selkie/sim/input_log.h"
#include "selkie/sim/systems/mass_spring_system.h"

namespace selkie::scene {
namespace {

using geometry::SegmentMesh;
using geometry::TetMesh;
using geometry::TriangleMesh;

// Springs need sound elements; a hole or an inconsistent orientation does them no harm.
constexpr geometry::MeshRequirements kForSprings{.closed = false,
                                                 .non_degenerate = true,
                                                 .no_duplicates = true,
                                                 .manifold = false,
                                                 .oriented = false,
                                                 .all_vertices_used = true};

double default_density(const AnyMesh& mesh) {
  return std::holds_alternative<TetMesh>(mesh)        ? 1000
         : std::holds_alternative<TriangleMesh>(mesh) ? 0.2
                                                      : 0.1;
}

mass_spring::Model make_model(const AnyMesh& mesh, const MassSpringDescription& d) {
  const mass_spring::BuildOptions options{.stiffness_per_length = d.stiffness_per_length,
                                          .altitude_factor = d.altitude};
  auto build = [&](double density) {
    if (const auto* tets = std::get_if<TetMesh>(&mesh))
      return mass_spring::from_tets(*tets, density, options);
    if (const auto* triangles = std::get_if<TriangleMesh>(&mesh))
      return mass_spring::from_triangles(*triangles, density, d.bending, options);
    return mass_spring::from_segments(std::get<SegmentMesh>(mesh), density, options);
  };
  if (!d.mass) return build(d.density.value_or(default_density(mesh)));
  return build(*d.mass / mass_spring::total_mass(build(1)));
}

std::unique_ptr<sim::System> build_mass_spring(const MassSpringDescription& d, const Scene& scene,
                                               const Value& table) {
  const BodySource source{d.name, scene, table};
  const AnyMesh mesh = make_mesh(d.mesh, d.place, kForSprings, source);
  sim::MassSpringBody body = make_body(mesh);
  add_skin(d.mesh, d.place, mesh, source, body);
  body.fixed_step = d.step;
  body.colour = d.colour;

  mass_spring::Model model = make_model(mesh, d);
  mass_spring::State state = mass_spring::make_state(model, body.rest_positions);
  std::fill(state.velocities.begin(), state.velocities.end(), d.velocity);
  apply_pins(d.pin, source, state.pinned, body);
  for (std::size_t v = 0; v < state.pinned.size(); ++v)
    if (state.pinned[v]) state.velocities[v].setZero();
  return std::make_unique<sim::MassSpringSystem>(d.name, std::move(model), d.params, std::move(state),
                                                 std::move(body));
}

void queue_inputs(const Scene& scene, sim::World& world) {
  const std::filesystem::path path =
      existing_file(scene.description.scene.inputs, scene.folder, find_place(scene.source, "scene.inputs"),
                    "inputs file");
  for (ports::InputEvent& event : sim::read_events(path)) world.queue(std::move(event));
  world.check_pending_events();
}

}  // namespace

sim::World build(const Scene& scene) {
  const SceneDescription& d = scene.description;
  sim::World world({.fps = d.scene.fps, .steps_per_frame = d.scene.steps_per_frame},
                   {.gravity = d.scene.gravity, .colliders = {}});
  // Elements of a list as they stand in the file, for messages.
  auto element = [&](const char* list, std::size_t i) -> const Value& {
    static const Value nowhere{ValueTable{}};
    const Value* values = scene.source.find(list);
    return values && values->is_array() && i < values->array().size() ? values->array()[i] : nowhere;
  };
  auto require_memory_of = [&](const char* list, const auto& systems) {
    for (std::size_t i = 0; i < systems.size(); ++i)
      require_memory(systems[i].domain, machine_memory(), element(list, i));
  };
  require_memory_of("smoke", d.smoke);
  require_memory_of("liquid", d.liquid);
  require_memory_of("lattice_boltzmann", d.lattice_boltzmann);
  require_memory_of("vortex_method", d.vortex_method);
  for (const sim::ColliderDescription& collider : d.collider)
    world.add_collider(sim::make_collider(collider));
  const auto planes = plane_colliders(scene);
  for (const auto& plane : planes) world.add_collider(plane);
  for (std::size_t i = 0; i < d.mass_spring.size(); ++i)
    world.add(build_mass_spring(d.mass_spring[i], scene, element("mass_spring", i)));
  for (std::size_t i = 0; i < d.elastic.size(); ++i)
    world.add(build_elastic(d.elastic[i], scene, element("elastic", i)));
  for (std::size_t i = 0; i < d.position_based.size(); ++i)
    world.add(build_position_based(d.position_based[i], scene, element("position_based", i)));
  for (std::size_t i = 0; i < d.modal.size(); ++i)
    world.add(build_modal(d.modal[i], scene, element("modal", i)));
  for (std::size_t i = 0; i < d.shape_matching.size(); ++i)
    world.add(build_shape_matching(d.shape_matching[i], scene, element("shape_matching", i)));
  for (std::size_t i = 0; i < d.smoke.size(); ++i)
    world.add(build_smoke(d.smoke[i], scene, element("smoke", i)));
  for (const LiquidDescription& liquid : d.liquid)
    world.add(build_liquid(liquid, world.environment().colliders));
  for (std::size_t i = 0; i < d.lattice_boltzmann.size(); ++i)
    world.add(build_lattice_boltzmann(d.lattice_boltzmann[i], d.collider, element("lattice_boltzmann", i)));
  for (std::size_t i = 0; i < d.vortex_method.size(); ++i)
    world.add(build_vortex_method(d.vortex_method[i], d.collider, element("vortex_method", i)));
  for (std::size_t i = 0; i < d.shallow_water.size(); ++i) {
    BuiltWater water = build_shallow_water(d.shallow_water[i], scene, element("shallow_water", i));
    world.add_collider(std::move(water.ground));
    world.add(std::move(water.system));
  }
  for (std::size_t i = 0; i < d.surface_water.size(); ++i)
    world.add(build_surface_water(d.surface_water[i], scene, element("surface_water", i)));
  add_contacts(d, world, [&](std::size_t i) -> const Value& { return element("contact", i); });
  world.add(build_rigid(scene, planes));  // empty until a user throws something, where the scene has no rigid bodies
  for (std::size_t i = 0; i < d.coupling.size(); ++i)
    world.add(build_coupling(d, i, world, element("coupling", i)));
  if (!d.scene.inputs.empty()) queue_inputs(scene, world);
  return world;
}

void require_something_to_simulate(const Scene& scene, const sim::World& world) {
  const bool empty = std::all_of(world.systems().begin(), world.systems().end(),
                                 [](const auto& system) { return system->dormant(); });
  if (empty && world.pending_events().empty())
    throw InputError(
        {scene.source.place.location().file, 0, 0}, "holds no system to simulate",
        "add one, for example [[mass_spring]]; docs/scene-format.md lists what a scene may hold");
}

}  // namespace selkie::scene
