// Building models: which constraints a mesh gets. Rest values are those of the given positions.
#include "selkie/solids/pbd/model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "selkie/core/error.h"
#include "selkie/core/parallel.h"
#include "selkie/core/text.h"
#include "selkie/solids/pbd/constraints.h"

namespace selkie::pbd {
namespace {

using geometry::Segment;
using geometry::Tet;
using Hinge = std::array<std::uint32_t, 4>;

// Values per constraint to values per lane; idle lanes get `idle`.
Buffer<double> per_lane(const Batch& batch, std::span<const double> values, double idle) {
  Buffer<double> lanes(batch.source.size(), idle);
  for (std::size_t k = 0; k < lanes.size(); ++k)
    if (batch.source[k] != kNoConstraint) lanes[k] = values[batch.source[k]];
  return lanes;
}

Links make_links(const std::vector<Vec3>& x, const std::vector<Segment>& pairs, std::vector<double> rest) {
  if (rest.empty())
    for (const auto& [i, j] : pairs) rest.push_back((x[i] - x[j]).norm());
  Links links;
  links.batch = make_batch(x.size(), pairs);
  links.rest = per_lane(links.batch, rest, 1);
  return links;
}

Vector3<double> at(const std::vector<Vec3>& x, std::uint32_t i) { return vector3(x[i]); }

double rest_angle(const std::vector<Vec3>& x, const Hinge& h, Bending kind) {
  const Corners<double, 4> p{at(x, h[0]), at(x, h[1]), at(x, h[2]), at(x, h[3])};
  Corners<double, 4> g;
  double sine = 0;
  if (kind == Bending::dihedral) return signed_dihedral_constraint(p, 0.0, g);
  if (kind == Bending::dihedral_cosine) return dihedral_constraint(p, 0.0, g, sine);
  return isometric_constraint(p, isometric_factors({x[h[0]], x[h[1]], x[h[2]], x[h[3]]}), 0.0, g);
}

void check_masses(const std::vector<double>& masses) {
  for (std::size_t i = 0; i < masses.size(); ++i)
    if (!(masses[i] > 0) || !std::isfinite(masses[i]))
      throw InputError("vertex " + std::to_string(i) + " has the mass " + number_text(masses[i]) + " kg",
                       "every vertex must belong to an element, and the density must be positive");
}

Model with_masses(std::vector<Vec3> positions, std::vector<double> masses) {
  check_masses(masses);
  Model model;
  model.vertex_count = static_cast<std::uint32_t>(positions.size());
  model.masses = std::move(masses);
  for (const double m : model.masses) model.inverse_masses.push_back(1 / m);
  model.rest_positions = std::move(positions);
  return model;
}

void set_stretch(Model& model, const std::vector<Segment>& edges, std::vector<double> rest = {}) {
  model.stretch = make_links(model.rest_positions, edges, std::move(rest));
  double sum = 0, least = edges.empty() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const double length = (model.rest_positions[edges[k][0]] - model.rest_positions[edges[k][1]]).norm();
    sum += length;
    least = std::min(least, length);
  }
  model.mean_edge = edges.empty() ? 0 : sum / static_cast<double>(edges.size());
  model.shortest_edge = least;
}

void add_bending_links(Model& model, const std::vector<Segment>& pairs) {
  model.bend_links = make_links(model.rest_positions, pairs, {});
}

void check_density(double density) {
  if (!(density > 0) || !std::isfinite(density))
    throw InputError("the density is " + number_text(density), "use a positive number");
}

}  // namespace

std::size_t Model::point_count() const {
  const std::size_t chunks = std::max({stretch.batch.chunk_count(), bend_links.batch.chunk_count(),
                                       hinges.batch.chunk_count(), volumes.batch.chunk_count()});
  return vertex_count + kIdlePoints * chunks;
}

Model from_links(std::vector<Vec3> positions, std::vector<double> masses, const std::vector<Segment>& links,
                 std::vector<double> rest) {
  Model model = with_masses(std::move(positions), std::move(masses));
  set_stretch(model, links, std::move(rest));
  return model;
}

Model from_segments(const geometry::SegmentMesh& mesh, double density, Bending bending) {
  check_density(density);
  Model model = with_masses(mesh.positions, geometry::lumped_masses(mesh, density));
  const std::vector<Segment> edges = geometry::unique_edges(mesh.segments);
  set_stretch(model, edges);
  if (bending == Bending::none) return model;
  // A rope bends like a sheet of links: across each inner vertex.
  const geometry::VertexAdjacency around = geometry::vertex_adjacency(model.vertex_count, edges);
  std::vector<Segment> pairs;
  for (std::uint32_t i = 0; i < model.vertex_count; ++i)
    if (around.offsets[i + 1] - around.offsets[i] == 2)
      pairs.push_back({around.neighbours[around.offsets[i]], around.neighbours[around.offsets[i] + 1]});
  add_bending_links(model, pairs);
  return model;
}

Model from_triangles(const geometry::TriangleMesh& mesh, double density, const SurfaceOptions& options) {
  check_density(density);
  Model model = with_masses(mesh.positions, geometry::lumped_masses(mesh, density));
  model.triangles = mesh.triangles;
  set_stretch(model, geometry::unique_edges(mesh.triangles));
  add_bending(model, options.bending);
  if (options.holds_volume) add_closed_volume(model);
  return model;
}

Model from_tets(const geometry::TetMesh& mesh, double density) {
  check_density(density);
  Model model = with_masses(mesh.positions, geometry::lumped_masses(mesh, density));
  model.triangles = geometry::boundary_triangles(mesh.tets);
  set_stretch(model, geometry::unique_edges(mesh.tets));
  add_volumes(model, mesh.tets);
  return model;
}

void add_bending(Model& model, Bending bending) {
  if (bending == Bending::none) return;
  const std::vector<geometry::EdgePair> pairs = geometry::edge_pairs(model.triangles);
  if (bending == Bending::links) {
    std::vector<Segment> links;
    for (const auto& pair : pairs) links.push_back({pair.opposite[0], pair.opposite[1]});
    return add_bending_links(model, links);
  }
  const std::vector<Vec3>& x = model.rest_positions;
  std::vector<Hinge> hinges;
  std::vector<double> rest;
  for (const auto& pair : pairs) {
    hinges.push_back({pair.edge[0], pair.edge[1], pair.opposite[0], pair.opposite[1]});
    rest.push_back(rest_angle(x, hinges.back(), bending));
  }
  model.hinges.kind = bending;
  model.hinges.batch = make_batch(x.size(), hinges);
  model.hinges.rest = per_lane(model.hinges.batch, rest, 0);
  if (bending != Bending::isometric) return;
  const Batch& batch = model.hinges.batch;
  model.hinges.factors.assign(4 * batch.source.size(), 0);
  for (std::size_t k = 0; k < batch.source.size(); ++k) {
    if (batch.source[k] == kNoConstraint) continue;
    const Hinge& h = hinges[batch.source[k]];
    const auto factors = isometric_factors({x[h[0]], x[h[1]], x[h[2]], x[h[3]]});
    for (std::size_t c = 0; c < 4; ++c)
      model.hinges.factors[(k / kLanes * 4 + c) * kLanes + k % kLanes] = factors[c];
  }
}

void add_volumes(Model& model, const std::vector<Tet>& tets) {
  std::vector<double> rest;
  const std::vector<Vec3>& x = model.rest_positions;
  for (const auto& [a, b, c, d] : tets) rest.push_back(geometry::signed_volume(x[a], x[b], x[c], x[d]));
  model.volumes.batch = make_batch(x.size(), tets);
  model.volumes.rest = per_lane(model.volumes.batch, rest, 0);
}

void add_closed_volume(Model& model) {
  std::vector<std::uint32_t>& begins = model.closed.begins;
  begins.assign(model.vertex_count + 1, 0);
  for (const auto& triangle : model.triangles)
    for (const std::uint32_t v : triangle) ++begins[v + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
  model.closed.others.resize(3 * model.triangles.size());
  for (const auto& [a, b, c] : model.triangles) {
    model.closed.others[next[a]++] = {b, c};
    model.closed.others[next[b]++] = {c, a};
    model.closed.others[next[c]++] = {a, b};
  }
  model.closed.rest_volume = enclosed_volume(model, model.rest_positions);
  if (!(model.closed.rest_volume > 0))
    throw InputError("the surface encloses " + number_text(model.closed.rest_volume) + " m³",
                     "use a closed surface whose triangles look outwards");
}

double total_mass(const Model& model) {
  return deterministic_sum(model.vertex_count, [&](std::size_t i) { return model.masses[i]; });
}

double enclosed_volume(const Model& model, std::span<const Vec3> x) {
  if (x.empty()) return 0;
  const Vec3 origin = x[0];  // far from the world's origin the terms would cancel
  return deterministic_sum(model.triangles.size(), [&](std::size_t t) {
    const auto& [a, b, c] = model.triangles[t];
    return (x[a] - origin).dot((x[b] - origin).cross(x[c] - origin)) / 6;
  });
}

}  // namespace selkie::pbd
