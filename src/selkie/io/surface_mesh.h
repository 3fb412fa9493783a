// A closed triangle mesh of a level set's surface, for export and pictures. (LE-17)
// Dual contouring on the samples: a vertex per patch of surface in a cell between samples, put on the zero of
// the multilinear interpolant; a quadrangle, cut in two, per edge between samples of opposite sign
// [Gibson98; Nielson04; Wenger13]. Where the inside touches the grid's walls flat caps close the mesh, with
// their rims on the line of contact. Every edge belongs to two triangles; normals point outwards. Vertices
// come in the order of the cells: the same bits for any number of threads.
// OpenVDB's mesher is not used: it wants a sparse copy of the field, and knows no walls.
#pragma once

#include <cstdint>
#include <vector>

#include "selkie/geometry/mesh.h"
#include "selkie/grid/field.h"

namespace selkie::io {

struct SurfaceMeshOptions {
  // Passes of Taubin's smoothing, which keeps the volume: removes ripples of the cell's size, from markers or
  // particles. Rims and caps stay in their walls. [Taubin95]
  int smoothing = 0;
};

struct SurfaceMesh {
  geometry::TriangleMesh mesh;
  std::vector<Vec3> normals;          // unit, per vertex: of the level set; on caps and rims of the mesh
  std::vector<Vec3> velocities;       // m/s, per vertex; empty unless asked for
  std::vector<std::uint8_t> on_wall;  // per vertex: bit a if it lies on a wall across axis a
};

// Scratch, kept between calls so that a run of frames does not allocate.
struct SurfaceMeshWork {
  std::vector<float> values;         // φ on the samples, the walls, and a layer outside
  std::vector<std::uint32_t> first;  // number of the first vertex of each cell between samples
  std::vector<std::uint32_t> row_vertices, row_quads;
  std::vector<Vec3> positions;  // of smoothing
  std::vector<std::uint32_t> starts, neighbours;
};

// The surface of φ = 0, at cell centres or nodes of a 3-D grid. Empty if nothing is inside.
template <class T>
void make_surface_mesh(const grid::Shape& shape, grid::Place place, const grid::View<const T>& phi,
                       const SurfaceMeshOptions& options, SurfaceMesh& surface, SurfaceMeshWork& work);

// Velocity at the vertices, for motion blur.
template <class T>
void sample_velocities(const grid::Shape& shape, const grid::FaceViews<const T>& velocity,
                       SurfaceMesh& surface);

}  // namespace selkie::io
