// Tetrahedra for what a closed surface encloses: from a lattice fitted to the surface (stuffing.h; the
// default: every tet has a good shape) or by Delaunay from points on and in it (keeps sharp corners, makes
// flat tets).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "selkie/geometry/mesh_check.h"
#include "selkie/geometry/tetrahedra/stuffing.h"

namespace selkie::geometry {

enum class Mesher { bcc, delaunay };
constexpr auto describe(Mesher*) { return std::array<std::string_view, 2>{"bcc", "delaunay"}; }

// What the surface of a solid must be: watertight, without coinciding vertices, and not cutting itself.
inline constexpr MeshRequirements kSolidSurface{
    .closed = true, .all_vertices_used = false, .distinct_vertices = true, .no_self_intersections = true};

// The side of a cube of the lattice: `divisions` of them along the longest side of the surface's box.
double cell_size(const TriangleMesh& surface, int divisions);

// Deterministic for any number of threads. The surface must satisfy kSolidSurface; InputError when nothing of
// it is thick enough to hold a tet of this cell size.
TetMesh fill_surface(const TriangleMesh& surface, Mesher mesher, int divisions);

struct MeshingReport {
  std::size_t vertices = 0, tets = 0;
  AngleRange dihedral;        // degrees
  double volume = 0;          // m³
  double surface_volume = 0;  // m³, of the surface
  std::string text() const;   // one line
};
MeshingReport report_of(const TetMesh& mesh, const TriangleMesh& surface);

}  // namespace selkie::geometry
