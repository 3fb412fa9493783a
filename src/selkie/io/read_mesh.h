// Mesh readers: OBJ, PLY (ascii, binary), STL (ascii, binary; equal vertices are welded), Gmsh .msh 2.2 and
// 4.1 (ascii, binary) and glTF/GLB (also welded). Polygons are cut into fans. Whatever the bytes, a reader
// returns a mesh whose indices are in range and whose vertices are finite, or throws InputError with line
// (text) or byte offset (binary) and a remedy; memory stays in proportion to the file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "selkie/geometry/mesh.h"

namespace selkie::io {

// The format follows the extension, in any case. Other properties (texture, colour, material) are ignored.
geometry::TriangleMesh read_triangle_mesh(
    const std::filesystem::path& path);                                      // .obj .ply .stl .msh .gltf .glb
geometry::TetMesh read_tet_mesh(const std::filesystem::path& path);          // .msh
geometry::SegmentMesh read_segment_mesh(const std::filesystem::path& path);  // .msh
// Whichever of the three the file holds; of a .msh file with several, the elements of highest dimension, as
// Gmsh saves the boundary of a body with it.
std::variant<geometry::TriangleMesh, geometry::TetMesh, geometry::SegmentMesh> read_any_mesh(
    const std::filesystem::path& path);

// The files that this one names in turn and that are read with it: the buffers of a .gltf or .glb.
std::vector<std::filesystem::path> files_read_with(const std::filesystem::path& path);

// Everything a .msh file may hold for us; the elements share one array of positions.
struct MshContent {
  std::vector<Vec3> positions;
  std::vector<geometry::Segment> segments;
  std::vector<geometry::Triangle> triangles;
  std::vector<geometry::Tet> tets;
};

// The same on bytes in memory; `source` names them in messages.
geometry::TriangleMesh parse_obj(std::string_view bytes, const std::string& source);
geometry::TriangleMesh parse_ply(std::string_view bytes, const std::string& source);
geometry::TriangleMesh parse_stl(std::string_view bytes, const std::string& source);
MshContent parse_msh(std::string_view bytes, const std::string& source);
// Buffers must be embedded (data URIs, GLB); files beside the .gltf are found by read_triangle_mesh only.
geometry::TriangleMesh parse_gltf(std::string_view bytes, const std::string& source);

}  // namespace selkie::io
