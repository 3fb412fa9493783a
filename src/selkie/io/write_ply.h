// PLY files of drawables: binary little-endian, one contiguous buffer, one write.
// - vertex: x y z, then the attributes as floats: "velocity" as vx vy vz, other vectors as name_x name_y
//   name_z, scalars by name;
// - face (triangles) as vertex_indices, edge (curves) as vertex1 vertex2: the layouts Blender and MeshLab
// read;
// - a HeightSurface becomes a triangle grid, Vectors become points with the arrow as an attribute;
// - comments "selkie ..." say kind, look, colour, radius, names and units, so that read_frame.h gives the
// drawable back. Volumes have no PLY form: see write_vdb.h and write_vtk.h.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "selkie/ports/drawable.h"

namespace selkie::io {

struct PlyOptions {
  bool double_positions = false;  // x y z as double: exact, twice the size
};

// False for volumes.
bool has_ply_form(const ports::Drawable& drawable);

// The file's bytes. Throws InputError when spans disagree in length, an index points past the vertices or
// the drawable has no PLY form.
std::vector<std::byte> ply_bytes(const ports::Drawable& drawable, const PlyOptions& options = {});

void write_ply(const std::filesystem::path& path, const ports::Drawable& drawable,
               const PlyOptions& options = {});

}  // namespace selkie::io
