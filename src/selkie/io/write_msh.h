// Tetrahedra as a Gmsh file (.msh 2.2, ascii), which read_mesh.h, Gmsh and most finite-element programs read.
// Coordinates are written so that they read back to the same doubles.
#pragma once

#include <filesystem>
#include <string>

#include "selkie/geometry/mesh.h"

namespace selkie::io {

std::string msh_text(const geometry::TetMesh& mesh);
void write_msh(const std::filesystem::path& path, const geometry::TetMesh& mesh);

}  // namespace selkie::io
