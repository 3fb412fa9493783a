// Description to World. What can only be known with meshes in hand (a pin that holds nothing, a broken mesh)
// is said here, at the place in the file.
#include <algorithm>
#include <variant>

#include "selkie/core/error.h"
#include "selkie/core/schema.h"
#include "selkie/core/text.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/io/read_mesh.h"
#include "selkie/io/read_toml.h"
#include "selkie/scene/build_lattice_boltzmann.h"
#include "selkie/scene/build_smoke.h"
#include "selkie/scene/build_vortex_method.h"
#include "selkie/scene/scene.h"
#include "selkie/sim/input_log.h"
#include "selkie/sim/systems/mass_spring_system.h"
#include "selkie/sim/systems/rigid_system.h"
#include "selkie/sim/systems/stitch_coupling.h"

namespace selkie::scene {
namespace {

using geometry::SegmentMesh;
using geometry::TetMesh;
using geometry::TriangleMesh;
using AnyMesh = std::variant<TriangleMesh, TetMesh, SegmentMesh>;

AnyMesh read_mesh_file(const std::string& name, const Scene& scene, const Place& place) {
  const std::filesystem::path path = scene.folder / name;
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw InputError(place.location(), "the mesh file '" + name + "' does not exist",
                     "looked for " + path.string() + "; paths are relative to the scene file");
  if (path.extension() != ".msh") return io::read_triangle_mesh(path);
  const io::MshContent content = io::parse_msh(io::read_text_file(path), path.string());
  if (!content.tets.empty()) return TetMesh{content.positions, content.tets};
  if (!content.triangles.empty()) return TriangleMesh{content.positions, content.triangles};
  return SegmentMesh{content.positions, content.segments};
}

AnyMesh make_mesh(const SpringMesh& m, const Scene& scene, const Place& place) {
  if (m.sheet) return geometry::sheet(*m.sheet);
  if (m.box) return geometry::box_surface(*m.box);
  if (m.ball) return geometry::ball_surface(*m.ball);
  if (m.icosphere) return geometry::icosphere(*m.icosphere);
  if (m.cylinder) return geometry::cylinder_surface(*m.cylinder);
  if (m.torus) return geometry::torus_surface(*m.torus);
  if (m.shell) return geometry::shell_surface(*m.shell);
  if (m.tet_box) return geometry::tet_box(*m.tet_box);
  if (m.tet_ball) return geometry::tet_ball(*m.tet_ball);
  if (m.chain) return geometry::chain(*m.chain);
  return read_mesh_file(*m.file, scene, place);
}

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
  const mass_spring::BuildOptions options{.stiffness_per_length = d.stiffness_per_length};
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

bool holds(const PinDescription& pin, const Vec3& point, std::int64_t vertex) {
  if (pin.box) return geometry::contains(*pin.box, point);
  if (!pin.vertices.empty())
    return std::find(pin.vertices.begin(), pin.vertices.end(), vertex) != pin.vertices.end();
  return geometry::contains(geometry::Region{{}, pin.ball, pin.cylinder, pin.half_space}, point);
}

// Pins in order; a vertex in several regions follows the last.
void apply_pins(const MassSpringDescription& d, const Value& source, mass_spring::State& state,
                sim::MassSpringBody& body) {
  const std::size_t count = state.positions.size();
  for (std::size_t p = 0; p < d.pin.size(); ++p) {
    const PinDescription& pin = d.pin[p];
    const Place place = find_place(source, "pin." + std::to_string(p));
    for (std::size_t k = 0; k < pin.vertices.size(); ++k)
      if (static_cast<std::size_t>(pin.vertices[k]) >= count)
        throw InputError(
            find_place(source, "pin." + std::to_string(p) + ".vertices." + std::to_string(k)).location(),
            "the pin names vertex " + std::to_string(pin.vertices[k]) + ", but '" + d.name + "' has " +
                std::to_string(count) + " vertices",
            "use numbers from 0 to " + std::to_string(count - 1));
    std::int32_t motion = -1;
    if (pin.motion) {
      motion = static_cast<std::int32_t>(body.motions.size());
      body.motions.emplace_back(*pin.motion);
      if (body.motion_of_vertex.empty()) body.motion_of_vertex.assign(count, -1);
    }
    std::size_t held = 0;
    for (std::size_t v = 0; v < count; ++v) {
      if (!holds(pin, body.rest_positions[v], static_cast<std::int64_t>(v))) continue;
      ++held;
      mass_spring::pin(state, static_cast<std::uint32_t>(v));
      if (!body.motion_of_vertex.empty()) body.motion_of_vertex[v] = motion;
    }
    if (held == 0) {
      const geometry::BoundingBox box = geometry::bounding_box(body.rest_positions);
      auto text = [](const Vec3& x) {
        return "[" + number_text(x.x()) + ", " + number_text(x.y()) + ", " + number_text(x.z()) + "]";
      };
      throw InputError(place.location(), "the pin holds no vertex of '" + d.name + "'",
                       "the body reaches from " + text(box.min()) + " to " + text(box.max()));
    }
  }
}

std::unique_ptr<sim::System> build_mass_spring(const MassSpringDescription& d, const Scene& scene,
                                               const Value& source) {
  const Place mesh_place = find_place(source, d.mesh.file ? "mesh.file" : "mesh");
  AnyMesh mesh = make_mesh(d.mesh, scene, mesh_place);
  const std::string mesh_name =
      d.mesh.file ? (scene.folder / *d.mesh.file).string() : mesh_place.location().text();
  sim::MassSpringBody body;
  std::visit(
      [&](auto& m) {
        if (d.place) geometry::place(m, *d.place);
        geometry::require_valid(m, mesh_name, kForSprings);
        body.rest_positions = m.positions;
      },
      mesh);
  if (body.rest_positions.empty())
    throw InputError(mesh_place.location(), "the mesh of '" + d.name + "' has no vertices");
  if (const auto* triangles = std::get_if<TriangleMesh>(&mesh)) body.triangles = triangles->triangles;
  if (const auto* tets = std::get_if<TetMesh>(&mesh))
    body.triangles = geometry::boundary_triangles(tets->tets);
  body.fixed_step = d.step;
  body.colour = d.colour;

  mass_spring::Model model = make_model(mesh, d);
  mass_spring::State state = mass_spring::make_state(model, body.rest_positions);
  std::fill(state.velocities.begin(), state.velocities.end(), d.velocity);
  apply_pins(d, source, state, body);
  for (std::size_t v = 0; v < state.pinned.size(); ++v)
    if (state.pinned[v]) state.velocities[v].setZero();
  return std::make_unique<sim::MassSpringSystem>(d.name, std::move(model), d.params, std::move(state),
                                                 std::move(body));
}

std::unique_ptr<sim::Coupling> build_coupling(const CouplingDescription& d, const sim::World& world,
                                              const Value& source) {
  for (const std::string& name : d.between)
    if (!world.find(name)->surface_samples())
      throw InputError(source.place.location(),
                       "the stitch names '" + name + "', which has no points to join", "name two bodies");
  const auto a = world.find(d.between[0])->surface_samples(), b = world.find(d.between[1])->surface_samples();
  std::vector<coupling::StitchPair> pairs = coupling::find_stitches(a->positions, b->positions, d.distance);
  if (pairs.empty())
    throw InputError(source.place.location(),
                     "the stitch joins nothing: no points of '" + d.between[0] + "' and '" + d.between[1] +
                         "' start closer than " + number_text(d.distance) + " m",
                     "raise 'distance' or move the bodies together");
  return std::make_unique<sim::StitchCoupling>(d.between[0] + "-" + d.between[1], d.between, std::move(pairs),
                                               d.gap_share);
}

void queue_inputs(const Scene& scene, sim::World& world) {
  const std::filesystem::path path = scene.folder / scene.description.scene.inputs;
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw InputError(find_place(scene.source, "scene.inputs").location(),
                     "the inputs file '" + scene.description.scene.inputs + "' does not exist",
                     "looked for " + path.string() + "; paths are relative to the scene file");
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
  for (const sim::ColliderDescription& collider : d.collider)
    world.add_collider(sim::make_collider(collider));
  for (std::size_t i = 0; i < d.mass_spring.size(); ++i)
    world.add(build_mass_spring(d.mass_spring[i], scene, element("mass_spring", i)));
  for (const SmokeDescription& smoke : d.smoke) world.add(build_smoke(smoke));
  for (std::size_t i = 0; i < d.lattice_boltzmann.size(); ++i)
    world.add(build_lattice_boltzmann(d.lattice_boltzmann[i], d.collider, element("lattice_boltzmann", i)));
  for (std::size_t i = 0; i < d.vortex_method.size(); ++i)
    world.add(build_vortex_method(d.vortex_method[i], d.collider, element("vortex_method", i)));
  for (std::size_t i = 0; i < d.coupling.size(); ++i)
    world.add(build_coupling(d.coupling[i], world, element("coupling", i)));
  world.add(std::make_unique<sim::RigidSystem>(sim::kThrown));  // empty until a user throws something
  if (!d.scene.inputs.empty()) queue_inputs(scene, world);
  return world;
}

}  // namespace selkie::scene
