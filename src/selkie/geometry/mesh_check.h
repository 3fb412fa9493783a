// Finds what is wrong with a mesh and says so: how often, and where first. Nothing is repaired silently.
// Topology is only examined once all indices are in range.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "selkie/geometry/mesh.h"

namespace selkie::geometry {

enum class Trouble {
  index_out_of_range,
  non_finite_vertex,
  zero_length_segment,
  zero_area_triangle,
  degenerate_tet,
  inverted_tet,
  duplicate_segment,   // the same two vertices, in whatever order
  duplicate_triangle,  // the same three
  duplicate_tet,       // the same four
  overlapping_tets,    // at a face: more than two, or two on its same side
  non_manifold_edge,   // more than two triangles at an edge
  hole,                // a connected loop of edges with one triangle each
  flipped_face,        // runs along a shared edge in the same direction as its neighbour
  inside_out,  // closed and consistent, but enclosing a negative volume; sought where `closed` is wanted
  unreferenced_vertex,
  duplicate_vertex,   // two vertices at one place
  self_intersection,  // two triangles cut or touch where they are not joined
};

// What a use of the mesh needs. Indices in range and finite vertices are always needed.
struct MeshRequirements {
  bool closed = false;
  bool non_degenerate = true;
  bool no_duplicates = true;
  bool manifold = true;
  bool oriented = true;
  bool all_vertices_used = true;
  bool distinct_vertices = false;
  bool no_self_intersections = false;  // sought when nothing else is wrong
};
// What it takes to hold the mesh in memory safely; what the readers demand.
inline constexpr MeshRequirements kReadable{.closed = false,
                                            .non_degenerate = false,
                                            .no_duplicates = false,
                                            .manifold = false,
                                            .oriented = false,
                                            .all_vertices_used = false,
                                            .distinct_vertices = false,
                                            .no_self_intersections = false};
// A watertight solid's surface: what an inside and an outside need. Loose vertices do no harm.
inline constexpr MeshRequirements kWatertight{.closed = true, .all_vertices_used = false};

struct Finding {
  Trouble trouble;
  std::size_t count;
  std::string first;  // "triangle 7 (3, 3, 9)", "edge 12-57"; element and vertex numbers count from 0
};

struct MeshReport {
  std::vector<Finding> findings;  // at most one per trouble, in the enum's order

  bool clean() const { return findings.empty(); }
  std::size_t count(Trouble trouble) const;
  // Empty when the trouble was not found.
  std::string first(Trouble trouble) const;
  // "2 holes (first: edge 12-57), 1 unreferenced vertex (first: vertex 3)"; "no trouble found" when clean.
  std::string text() const;
  // One sentence on how a user mends the first finding; empty when clean.
  std::string remedy() const;
};

MeshReport check_mesh(const TriangleMesh& mesh, const MeshRequirements& want = {});
MeshReport check_mesh(const TetMesh& mesh, const MeshRequirements& want = {});
MeshReport check_mesh(const SegmentMesh& mesh, const MeshRequirements& want = {});

// Throws InputError at `source` (a file, or the scene path of a generated mesh) unless the mesh is what
// `want` asks for.
void require_valid(const TriangleMesh& mesh, const std::string& source, const MeshRequirements& want = {});
void require_valid(const TetMesh& mesh, const std::string& source, const MeshRequirements& want = {});
void require_valid(const SegmentMesh& mesh, const std::string& source, const MeshRequirements& want = {});

}  // namespace selkie::geometry
