// Triangle, tetrahedron and segment meshes as structures of arrays, and what every solver asks of one:
// edges, boundary, neighbours, lumped masses [RT-15], measures, and an order that keeps neighbours close in
// memory. Topology functions expect valid indices (mesh_check.h); results never depend on thread count.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "selkie/math/types.h"

namespace selkie::geometry {

using Segment = std::array<std::uint32_t, 2>;
using Triangle = std::array<std::uint32_t, 3>;
using Tet = std::array<std::uint32_t, 4>;

// Counter-clockwise seen from the side its normal points to; closed surfaces have normals pointing outwards.
struct TriangleMesh {
  std::vector<Vec3> positions;  // m
  std::vector<Triangle> triangles;
};

// Positive when (x1-x0) × (x2-x0) · (x3-x0) > 0.
struct TetMesh {
  std::vector<Vec3> positions;  // m
  std::vector<Tet> tets;
};

struct SegmentMesh {
  std::vector<Vec3> positions;  // m
  std::vector<Segment> segments;
};

// ---- topology ----

// Each edge once as (low, high), sorted; one spring per edge [RT-15].
std::vector<Segment> unique_edges(std::span<const Triangle> triangles);
std::vector<Segment> unique_edges(std::span<const Tet> tets);
std::vector<Segment> unique_edges(std::span<const Segment> segments);

// Outwards for a positive tet; face k lies opposite corner 3, 2, 1, 0.
inline std::array<Triangle, 4> faces_of(const Tet& t) {
  return {{{t[0], t[2], t[1]}, {t[0], t[1], t[3]}, {t[0], t[3], t[2]}, {t[1], t[2], t[3]}}};
}

// Faces that belong to exactly one tet, oriented outwards for positive tets, in the order of the tets.
// Vertex numbers stay those of the tet mesh.
std::vector<Triangle> boundary_triangles(std::span<const Tet> tets);

// The boundary as a mesh of its own; `volume_vertex[i]` is the tet-mesh number of its vertex i.
struct BoundarySurface {
  TriangleMesh mesh;
  std::vector<std::uint32_t> volume_vertex;
};
BoundarySurface boundary_surface(const TetMesh& mesh);

// Two triangles that share an edge, and the vertex of each that the other lacks: the ends of a bending
// spring, and the four corners of a dihedral angle.
struct EdgePair {
  Segment edge;                            // (low, high)
  std::array<std::uint32_t, 2> triangles;  // low < high
  std::array<std::uint32_t, 2> opposite;   // the vertex of triangles[k] that is not on the edge
};
// One entry per edge shared by exactly two triangles, sorted by edge. Non-manifold edges are left out.
std::vector<EdgePair> edge_pairs(std::span<const Triangle> triangles);

// Neighbours of vertex i by edges: neighbours[offsets[i]] … neighbours[offsets[i+1]-1], ascending.
struct VertexAdjacency {
  std::vector<std::uint32_t> offsets;  // vertex_count + 1
  std::vector<std::uint32_t> neighbours;
};
VertexAdjacency vertex_adjacency(std::size_t vertex_count, std::span<const Segment> edges);

// ---- renumbering for locality ----

// Reverse Cuthill-McKee: order[new] = old. Unconnected parts follow one another, loose vertices last.
// [CuthillMcKee69; George71]
std::vector<std::uint32_t> locality_order(std::size_t vertex_count, std::span<const Segment> edges);

// Renumbers vertices so that new vertex i is the old order[i], and sorts the elements by lowest new vertex.
// Corner order inside an element, hence orientation, is kept.
void renumber(TriangleMesh& mesh, std::span<const std::uint32_t> order);
void renumber(TetMesh& mesh, std::span<const std::uint32_t> order);
void renumber(SegmentMesh& mesh, std::span<const std::uint32_t> order);

// Largest |i - j| over the edges: what renumbering reduces.
std::size_t bandwidth(std::span<const Segment> edges);

// ---- measures ----

// Negative when the tet is inverted.
double signed_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);  // m³
double triangle_area(const Vec3& a, const Vec3& b, const Vec3& c);                 // m²

double volume(const TetMesh& mesh);       // m³, sum of signed tet volumes
double volume(const TriangleMesh& mesh);  // m³ enclosed by a closed surface (divergence theorem)
double area(const TriangleMesh& mesh);    // m²
double length(const SegmentMesh& mesh);   // m

// Vertices - edges + faces: 2 for a ball, 0 for a torus, 4 for a shell of two spheres. Counts only vertices
// in use.
long euler_characteristic(const TriangleMesh& mesh);

using BoundingBox = Eigen::AlignedBox3d;
BoundingBox bounding_box(std::span<const Vec3> positions);  // isEmpty() for no positions

// Each element's mass shared equally by its corners [RT-15]; kg per vertex.
std::vector<double> lumped_masses(const TetMesh& mesh, double density);       // kg/m³: m_i = Σ ρV/4
std::vector<double> lumped_masses(const TriangleMesh& mesh, double density);  // kg/m²: m_i = Σ ρA/3
std::vector<double> lumped_masses(const SegmentMesh& mesh, double density);   // kg/m:  m_i = Σ ρL/2

// Area-weighted unit normals; zero for vertices of no (or only degenerate) triangles.
std::vector<Vec3> vertex_normals(std::span<const Vec3> positions, std::span<const Triangle> triangles);

}  // namespace selkie::geometry
