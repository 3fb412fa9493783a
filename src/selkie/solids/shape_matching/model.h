// Model of bodies held together by shape matching (RT-34 … RT-36): points with masses, and clusters of them
// that remember their shape at rest. Several bodies stand one after the other in the same arrays, so that a
// crowd is one system. A vertex that belongs to n clusters gives each of them the n-th part of its mass: the
// mean of the clusters' goals then keeps momentum. [Müller05 §4; Müller08 §5.4.5]
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "selkie/geometry/mesh.h"
#include "selkie/math/types.h"

namespace selkie::shape_matching {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Vec9 = Eigen::Matrix<double, 9, 1>;
using Mat9 = Eigen::Matrix<double, 9, 9>;
using Mat39 = Eigen::Matrix<double, 3, 9>;

// What is known of the shape at rest of one cluster; q = rest position − centre.
struct ClusterRest {
  Vec3 centre = Vec3::Zero();              // m
  double mass = 0;                         // kg
  Mat3 inverse_moments = Mat3::Zero();     // 1/(kg·m²), pseudo-inverse of Σ m q qᵀ
  Mat3 flat_directions = Mat3::Zero();     // projects on directions in which the points have no extent
  int extent = 3;                          // dimensions of the point set: 3, 2 (flat), 1 (straight) or 0
  double size = 1;                         // m, the unit of length of the quadratic terms
  Vec6 square_means = Vec6::Zero();        // mass means of the quadratic terms
  Mat9 inverse_quadratics = Mat9::Zero();  // 1/kg, pseudo-inverse of Σ m q̃ q̃ᵀ
};

struct Model {
  std::uint32_t vertex_count = 0;
  std::vector<double> masses;          // kg, > 0
  std::vector<double> inverse_masses;  // 1/kg
  std::vector<Vec3> rest_positions;    // m

  // Body b: vertices body_begin[b] … body_begin[b+1]-1, and so on.
  std::vector<std::uint32_t> body_begin;
  std::vector<std::uint32_t> surface_begin;
  std::vector<geometry::Triangle> surface;  // for normals; none for bodies of points
  std::vector<std::uint32_t> body_of_vertex;
  std::vector<double> radii;             // m, per body: half the distance its vertices keep from others'
  std::vector<std::uint8_t> has_inside;  // per body: its normals tell inside from outside

  // Cluster c holds cluster_vertices[cluster_begin[c]] … ; vertex i is in
  // vertex_clusters[membership_begin[i]] …
  std::vector<std::uint32_t> cluster_begin, cluster_vertices;
  std::vector<std::uint32_t> membership_begin, vertex_clusters;
  std::vector<double> shares;  // kg, of a vertex in each of its clusters
  std::vector<ClusterRest> clusters;

  std::size_t body_count() const { return body_begin.size() - 1; }
  std::size_t cluster_count() const { return clusters.size(); }
  std::span<const std::uint32_t> vertices_of(std::size_t cluster) const {
    return std::span(cluster_vertices)
        .subspan(cluster_begin[cluster], cluster_begin[cluster + 1] - cluster_begin[cluster]);
  }
  std::span<const std::uint32_t> clusters_of(std::size_t vertex) const {
    return std::span(vertex_clusters)
        .subspan(membership_begin[vertex], membership_begin[vertex + 1] - membership_begin[vertex]);
  }
};

// One body as it stands at rest.
struct BodyInput {
  std::vector<Vec3> positions;              // m
  std::vector<double> masses;               // kg
  std::vector<geometry::Triangle> surface;  // outwards where has_inside
  std::vector<geometry::Segment> edges;     // neighbours, for growing clusters
  bool has_inside = false;
  double radius = 0;  // m; 0: half the mean length of the edges
};

struct ClusterOptions {
  int vertices = 0;  // most vertices of a cluster before it is grown; 0: one cluster per body
  int overlap = 1;   // rings of neighbours that a cluster is grown by
};

// Throws InputError for a body without vertices, an index out of range, a position that is not finite, two
// vertices at one place, and a mass that is not positive.
Model build_model(std::span<const BodyInput> bodies, const ClusterOptions& options = {});

// Masses from a density in kg/m³: of tetrahedra by their volume; of closed surfaces by the volume inside,
// shared out by area; of open ones by area times thickness; of segments by length times thickness².
BodyInput from_tets(const geometry::TetMesh& mesh, double density);
BodyInput from_triangles(const geometry::TriangleMesh& mesh, double density, double thickness);
BodyInput from_segments(const geometry::SegmentMesh& mesh, double density, double thickness);

// Moments of a point set at rest; used by build_model for every cluster.
ClusterRest measure_cluster(std::span<const Vec3> rest_positions, std::span<const double> shares,
                            std::span<const std::uint32_t> vertices);

// The quadratic terms x², y², z², xy, yz, zx of q in units of `size`, after x, y, z; the means are taken off
// so that they carry no momentum (RT-36).
inline Vec9 quadratic_terms(const Vec3& q, double size, const Vec6& means) {
  const Vec3 s = q / size;
  Vec9 terms;
  terms << s.x(), s.y(), s.z(), s.x() * s.x() - means[0], s.y() * s.y() - means[1], s.z() * s.z() - means[2],
      s.x() * s.y() - means[3], s.y() * s.z() - means[4], s.z() * s.x() - means[5];
  return terms;
}

double total_mass(const Model& model);  // kg

}  // namespace selkie::shape_matching
