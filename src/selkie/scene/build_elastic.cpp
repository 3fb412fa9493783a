// See build_elastic.h.
#include "selkie/scene/build_elastic.h"

#include <algorithm>

#include "selkie/core/error.h"
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

Vec3 middle_of(std::span<const Vec3> positions) {
  Vec3 low = positions[0], high = low;
  for (const Vec3& x : positions) low = low.cwiseMin(x), high = high.cwiseMax(x);
  return 0.5 * (low + high);
}

}  // namespace

std::unique_ptr<sim::System> build_elastic(const ElasticDescription& d, const Scene& scene,
                                           const Value& table) {
  const BodySource source{d.name, scene, table};
  const AnyMesh mesh = make_mesh(d.mesh, d.place, {.manifold = false, .distinct_vertices = true}, source);
  sim::DeformableBody body = make_body(mesh);
  add_skin(d.mesh, d.place, mesh, source, body);
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
  return std::make_unique<sim::ElasticSystem>(d.name, std::move(model), d.params, std::move(state),
                                              std::move(body));
}

}  // namespace selkie::scene
