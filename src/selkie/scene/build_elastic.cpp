// See build_elastic.h.
#include "selkie/scene/build_elastic.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/expression.h"
#include "selkie/io/read_toml.h"
#include "selkie/scene/build_body.h"
#include "selkie/sim/systems/elastic_system.h"

namespace selkie::scene {
namespace {

fem::Model make_model(const AnyMesh& mesh, const ElasticDescription& d) {
  if (const auto* tets = std::get_if<geometry::TetMesh>(&mesh)) return fem::from_tets(*tets, d.density);
  if (const auto* triangles = std::get_if<geometry::TriangleMesh>(&mesh))
    return fem::from_triangles(*triangles, d.density, d.thickness);
  throw InputError("a chain has no elements that could be elastic bodies",
                   "use tetrahedra, or [[mass_spring]] for ropes");
}

// Errors of the model at the place of the mesh in the file.
fem::Model make_model(const AnyMesh& mesh, const ElasticDescription& d, const Value& table) {
  try {
    return make_model(mesh, d);
  } catch (const InputError& error) {
    throw InputError(find_place(table, "mesh").location(), "'" + d.name + "': " + error.problem(),
                     error.remedy());
  }
}

// Where each traction acts. Throws for one that meets no part of the surface.
std::vector<sim::SurfaceLoad> make_loads(const ElasticDescription& d, const fem::Model& model,
                                         const BodySource& source) {
  std::vector<sim::SurfaceLoad> loads;
  for (std::size_t k = 0; k < d.traction.size(); ++k) {
    const TractionDescription& t = d.traction[k];
    const std::string path = "traction." + std::to_string(k);
    const PinDescription region{t.box, t.ball, t.cylinder, t.half_space, t.vertices, {}};
    const std::vector<std::uint8_t> chosen =
        vertices_held(region, source, path, "traction", model.rest_positions);
    fem::LoadedPart part = fem::find_loaded_part(model, chosen);
    if (part.empty())
      throw InputError(
          find_place(source.table, path).location(),
          "the traction finds no part of the surface of '" + d.name + "' with all corners inside",
          extent_text(model.rest_positions));
    loads.emplace_back(std::move(part), t.force, t.pressure);
  }
  return loads;
}

Vec3 middle_of(std::span<const Vec3> positions) {
  Vec3 low = positions[0], high = low;
  for (const Vec3& x : positions) low = low.cwiseMin(x), high = high.cwiseMax(x);
  return 0.5 * (low + high);
}

}  // namespace

std::vector<Problem> validate(const TractionDescription& t) {
  std::vector<Problem> problems =
      validate(PinDescription{t.box, t.ball, t.cylinder, t.half_space, t.vertices, {}});
  if (!t.force.empty() && t.force.size() != 3)
    problems.push_back({"force", "must hold three formulas, but holds " + std::to_string(t.force.size()),
                        "write [\"0\", \"-100*t\", \"0\"]"});
  auto compile = [&](const std::string& formula, const std::string& member) {
    try {
      if (!std::isfinite(Expression(formula, {"t"})(0.0)))
        problems.push_back(
            {member, "is \"" + formula + "\", which is not finite at t = 0", "see t as seconds"});
    } catch (const InputError& error) {
      problems.push_back({member, "does not compile: " + error.problem(), error.remedy()});
    }
  };
  for (std::size_t i = 0; i < t.force.size(); ++i) compile(t.force[i], "force." + std::to_string(i));
  compile(t.pressure, "pressure");
  return problems;
}

std::unique_ptr<sim::System> build_elastic(const ElasticDescription& d, const Scene& scene,
                                           const Value& table) {
  const BodySource source{d.name, scene, table};
  const BodyMesh shape = filled(d.mesh);
  const AnyMesh mesh = make_mesh(shape, d.place, {.manifold = false, .distinct_vertices = true}, source);
  sim::DeformableBody body = make_body(mesh);
  add_skin(shape, d.place, mesh, source, body);
  body.fixed_step = d.step;
  body.colour = d.colour;
  fem::Model model = make_model(mesh, d, table);
  fem::State state = fem::make_state(model);
  std::fill(state.velocities.begin(), state.velocities.end(), d.velocity);
  const Vec3 middle = middle_of(state.positions.span());
  for (Vec3& x : state.positions) x = middle + d.stretch.cwiseProduct(x - middle);
  apply_pins(d.pin, source, state.pinned, body);
  for (std::size_t v = 0; v < state.pinned.size(); ++v)
    if (state.pinned[v]) state.velocities[v].setZero();
  std::vector<sim::SurfaceLoad> loads = make_loads(d, model, source);
  auto system = std::make_unique<sim::ElasticSystem>(d.name, std::move(model), d.params, std::move(state),
                                                     std::move(body));
  system->load(std::move(loads));
  return system;
}

}  // namespace selkie::scene
