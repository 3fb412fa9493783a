// Building bodies and clusters.
#include "selkie/solids/shape_matching/model.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "selkie/core/error.h"
#include "selkie/core/parallel.h"
#include "selkie/core/text.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/solids/shape_matching/clusters.h"

namespace selkie::shape_matching {
namespace {

// Directions with less than this share of the largest moment count as flat: their extent is a millionth of
// the body's and drowns in the round-off of positions.
constexpr double kFlat = 1e-12;

template <int N>
struct PseudoInverse {
  Eigen::Matrix<double, N, N> inverse = Eigen::Matrix<double, N, N>::Zero();
  Eigen::Matrix<double, N, N> null = Eigen::Matrix<double, N, N>::Zero();  // projector on what has no inverse
  int rank = 0;
};

template <int N>
PseudoInverse<N> pseudo_inverse(const Eigen::Matrix<double, N, N>& m) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, N, N>> eigen(m);
  PseudoInverse<N> result;
  const double largest = eigen.eigenvalues()[N - 1];
  for (int k = 0; k < N; ++k) {
    const auto axis = eigen.eigenvectors().col(k);
    const double value = eigen.eigenvalues()[k];
    if (largest > 0 && value > kFlat * largest) {
      result.inverse += axis * axis.transpose() / value;
      ++result.rank;
    } else {
      result.null += axis * axis.transpose();
    }
  }
  return result;
}

// Two vertices at one place: clusters would count that place twice, and what joins the two in the source of
// the mesh is missing here. Equal coordinates only; nearly equal ones are a matter of taste.
void check_distinct(const BodyInput& body, const std::string& who) {
  std::vector<std::uint32_t> order(body.positions.size());
  std::iota(order.begin(), order.end(), 0u);
  auto key = [&](std::uint32_t v) {
    const Vec3& x = body.positions[v];
    return std::tuple(x.x(), x.y(), x.z());
  };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
  std::uint32_t first = 0, other = 0;  // the lowest vertex that stands where an earlier one does
  for (std::size_t i = 1; i < order.size(); ++i)
    if (key(order[i]) == key(order[i - 1]) && (first == 0 || order[i] < first))
      first = order[i], other = order[i - 1];
  if (first > 0)
    throw InputError("vertex " + std::to_string(first) + " of " + who + " stands where vertex " +
                         std::to_string(other) + " does",
                     "merge vertices that stand at one place");
}

void check(const BodyInput& body, std::size_t b) {
  const std::string who = "body " + std::to_string(b);
  if (body.positions.empty()) throw InputError(who + " has no vertices");
  if (body.masses.size() != body.positions.size())
    throw InputError(who + " has " + std::to_string(body.positions.size()) + " vertices but " +
                     std::to_string(body.masses.size()) + " masses");
  for (std::size_t i = 0; i < body.positions.size(); ++i) {
    if (!body.positions[i].allFinite())
      throw InputError("vertex " + std::to_string(i) + " of " + who + " has a position that is not finite");
    if (!(body.masses[i] > 0) || !std::isfinite(body.masses[i]))
      throw InputError("vertex " + std::to_string(i) + " of " + who + " has the mass " +
                           number_text(body.masses[i]) + " kg",
                       "masses must be positive; remove vertices that nothing uses");
  }
  check_distinct(body, who);
  auto in_range = [&](const auto& element, std::size_t e, const char* kind) {
    for (const std::uint32_t v : element)
      if (v >= body.positions.size())
        throw InputError(std::string(kind) + " " + std::to_string(e) + " of " + who + " names vertex " +
                             std::to_string(v) + ", but there are " + std::to_string(body.positions.size()),
                         "vertices count from 0");
  };
  for (std::size_t e = 0; e < body.surface.size(); ++e) in_range(body.surface[e], e, "triangle");
  for (std::size_t e = 0; e < body.edges.size(); ++e) in_range(body.edges[e], e, "edge");
}

double mean_edge(const BodyInput& body) {
  if (body.edges.empty()) return 0;
  double sum = 0;
  for (const auto& [a, b] : body.edges) sum += (body.positions[a] - body.positions[b]).norm();
  return sum / static_cast<double>(body.edges.size());
}

void append(Model& model, const BodyInput& body, const ClusterOptions& options) {
  const std::uint32_t first = model.vertex_count;
  const auto index = static_cast<std::uint32_t>(model.radii.size());
  model.rest_positions.insert(model.rest_positions.end(), body.positions.begin(), body.positions.end());
  model.masses.insert(model.masses.end(), body.masses.begin(), body.masses.end());
  model.body_of_vertex.resize(model.rest_positions.size(), index);
  for (const auto& [a, b, c] : body.surface) model.surface.push_back({first + a, first + b, first + c});
  for (const auto& part : make_clusters(body.positions, body.edges, options.vertices, options.overlap)) {
    for (const std::uint32_t v : part) model.cluster_vertices.push_back(first + v);
    model.cluster_begin.push_back(static_cast<std::uint32_t>(model.cluster_vertices.size()));
  }
  model.vertex_count = static_cast<std::uint32_t>(model.rest_positions.size());
  model.body_begin.push_back(model.vertex_count);
  model.surface_begin.push_back(static_cast<std::uint32_t>(model.surface.size()));
  model.radii.push_back(body.radius > 0 ? body.radius : 0.5 * mean_edge(body));
  model.has_inside.push_back(body.has_inside ? 1 : 0);
}

// The clusters of each vertex, and its share of mass in each.
void invert_membership(Model& model) {
  model.membership_begin.assign(model.vertex_count + 1, 0);
  for (const std::uint32_t v : model.cluster_vertices) ++model.membership_begin[v + 1];
  for (std::uint32_t v = 0; v < model.vertex_count; ++v)
    model.membership_begin[v + 1] += model.membership_begin[v];
  std::vector<std::uint32_t> next(model.membership_begin.begin(), model.membership_begin.end() - 1);
  model.vertex_clusters.resize(model.cluster_vertices.size());
  for (std::uint32_t c = 0; c + 1 < model.cluster_begin.size(); ++c)
    for (std::uint32_t k = model.cluster_begin[c]; k < model.cluster_begin[c + 1]; ++k)
      model.vertex_clusters[next[model.cluster_vertices[k]]++] = c;
  for (std::uint32_t v = 0; v < model.vertex_count; ++v)
    model.shares.push_back(model.masses[v] / static_cast<double>(model.clusters_of(v).size()));
}

}  // namespace

ClusterRest measure_cluster(std::span<const Vec3> x, std::span<const double> shares,
                            std::span<const std::uint32_t> vertices) {
  ClusterRest rest;
  for (const std::uint32_t v : vertices) {
    rest.mass += shares[v];
    rest.centre += shares[v] * x[v];
  }
  rest.centre /= rest.mass;
  Mat3 moments = Mat3::Zero();
  for (const std::uint32_t v : vertices) {
    const Vec3 q = x[v] - rest.centre;
    moments += shares[v] * q * q.transpose();
  }
  const PseudoInverse<3> inverse = pseudo_inverse<3>(moments);
  rest.inverse_moments = inverse.inverse;
  rest.flat_directions = inverse.null;
  rest.extent = inverse.rank;
  if (moments.trace() > 0) rest.size = std::sqrt(moments.trace() / rest.mass);

  for (const std::uint32_t v : vertices)
    rest.square_means +=
        shares[v] / rest.mass * quadratic_terms(x[v] - rest.centre, rest.size, Vec6::Zero()).tail<6>();
  Mat9 quadratics = Mat9::Zero();
  for (const std::uint32_t v : vertices) {
    const Vec9 q = quadratic_terms(x[v] - rest.centre, rest.size, rest.square_means);
    quadratics += shares[v] * q * q.transpose();
  }
  rest.inverse_quadratics = pseudo_inverse<9>(quadratics).inverse;
  return rest;
}

Model build_model(std::span<const BodyInput> bodies, const ClusterOptions& options) {
  if (bodies.empty()) throw InputError("shape matching needs at least one body");
  Model model;
  model.body_begin = model.surface_begin = model.cluster_begin = {0};
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    check(bodies[b], b);
    append(model, bodies[b], options);
  }
  for (const double mass : model.masses) model.inverse_masses.push_back(1 / mass);
  invert_membership(model);
  model.clusters.resize(model.cluster_begin.size() - 1);
  parallel_for(
      model.clusters.size(),
      [&](std::size_t c) {
        model.clusters[c] = measure_cluster(model.rest_positions, model.shares, model.vertices_of(c));
      },
      16);
  return model;
}

BodyInput from_tets(const geometry::TetMesh& mesh, double density) {
  return {mesh.positions, geometry::lumped_masses(mesh, density), geometry::boundary_triangles(mesh.tets),
          geometry::unique_edges(mesh.tets), true};
}

BodyInput from_triangles(const geometry::TriangleMesh& mesh, double density, double thickness) {
  const bool closed = geometry::check_mesh(mesh, geometry::kWatertight).clean();
  const double per_area =
      closed ? density * std::abs(geometry::volume(mesh)) / geometry::area(mesh) : density * thickness;
  return {mesh.positions, geometry::lumped_masses(mesh, per_area), mesh.triangles,
          geometry::unique_edges(mesh.triangles), closed};
}

BodyInput from_segments(const geometry::SegmentMesh& mesh, double density, double thickness) {
  return {mesh.positions,
          geometry::lumped_masses(mesh, density * thickness * thickness),
          {},
          geometry::unique_edges(mesh.segments)};
}

double total_mass(const Model& model) {
  return deterministic_sum(model.vertex_count, [&](std::size_t i) { return model.masses[i]; });
}

}  // namespace selkie::shape_matching
