// See build_position_based.h.
#include "selkie/scene/build_position_based.h"

#include <algorithm>

#include "selkie/core/error.h"
#include "selkie/geometry/tetrahedra/delaunay.h"
#include "selkie/io/read_toml.h"
#include "selkie/scene/build_body.h"
#include "selkie/sim/systems/position_based_system.h"

namespace selkie::scene {
namespace {

using geometry::SegmentMesh;
using geometry::TetMesh;
using geometry::TriangleMesh;

double default_density(const AnyMesh& mesh) {
  return std::holds_alternative<TetMesh>(mesh)        ? 1000
         : std::holds_alternative<TriangleMesh>(mesh) ? 0.2
                                                      : 0.1;
}

pbd::Model make_model(const AnyMesh& mesh, const PositionBasedDescription& d, double density) {
  if (const auto* tets = std::get_if<TetMesh>(&mesh)) return pbd::from_tets(*tets, density);
  if (const auto* triangles = std::get_if<TriangleMesh>(&mesh))
    return pbd::from_triangles(*triangles, density, {d.bending, d.inflated});
  const bool links = d.bending == pbd::Bending::links;
  return pbd::from_segments(std::get<SegmentMesh>(mesh), density,
                            links ? pbd::Bending::links : pbd::Bending::none);
}

pbd::Model make_model(const AnyMesh& mesh, const PositionBasedDescription& d) {
  if (!d.mass) return make_model(mesh, d, d.density.value_or(default_density(mesh)));
  return make_model(mesh, d, *d.mass / pbd::total_mass(make_model(mesh, d, 1)));
}

// Constraints need sound elements; a balloon also an inside.
geometry::MeshRequirements requirements(const PositionBasedDescription& d) {
  geometry::MeshRequirements want;
  want.closed = want.oriented = want.manifold = d.inflated;
  want.distinct_vertices = true;  // sheets and solids would come apart there
  return want;
}

}  // namespace

std::unique_ptr<sim::System> build_position_based(const PositionBasedDescription& d, const Scene& scene,
                                                  const Value& table) {
  const BodySource source{d.name, scene, table};
  const AnyMesh mesh = make_mesh(d.mesh, d.place, requirements(d), source);
  if (d.inflated && !std::holds_alternative<TriangleMesh>(mesh))
    throw InputError(find_place(table, "inflated").location(),
                     "'" + d.name + "' has no surface of its own that could be inflated",
                     "use a closed surface such as icosphere, or leave 'inflated' out");
  sim::DeformableBody body = make_body(mesh);
  if (d.inflated) body.tets = geometry::tets_inside(std::get<TriangleMesh>(mesh));
  body.fixed_step = d.step;
  body.colour = d.colour;
  pbd::Model model = make_model(mesh, d);
  pbd::State state = pbd::make_state(model);
  std::fill(state.velocities.begin(), state.velocities.end(), d.velocity);
  apply_pins(d.pin, source, state.pinned, body);
  for (std::size_t v = 0; v < state.pinned.size(); ++v)
    if (state.pinned[v]) state.velocities[v].setZero();
  std::vector<geometry::Segment> lines;
  if (const auto* segments = std::get_if<SegmentMesh>(&mesh)) lines = segments->segments;
  return std::make_unique<sim::PositionBasedSystem>(d.name, std::move(model), d.params, std::move(state),
                                                    std::move(body), lines);
}

}  // namespace selkie::scene
