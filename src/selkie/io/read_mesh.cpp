// Opens a mesh file and hands its bytes to the reader of its format.
#include "selkie/io/read_mesh.h"

#include <algorithm>
#include <cctype>

#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/io/detail/gltf_container.h"
#include "selkie/io/detail/gltf_fence.h"
#include "selkie/io/detail/mesh_parts.h"
#include "selkie/io/detail/read_bytes.h"

namespace selkie::io {
namespace {

const std::vector<std::string> kSurfaceFormats = {".obj", ".ply", ".stl", ".msh", ".gltf", ".glb"};
const std::vector<std::string> kMshOnly = {".msh"};

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::string checked_extension(const std::filesystem::path& path, const std::vector<std::string>& known,
                              const std::string& what) {
  std::string extension = lower_extension(path);
  if (std::find(known.begin(), known.end(), extension) == known.end())
    throw InputError(SourceLocation{path.string()},
                     "cannot read " + what + " from a file with the extension \"" + extension + "\"",
                     "known extensions: " + join_choices(known));
  return extension;
}

// Keeps only the vertices that the elements use: a .msh file holds those of every dimension.
template <class Element>
std::vector<Vec3> compact(const std::vector<Vec3>& positions, std::vector<Element>& elements) {
  std::vector<std::uint32_t> number(positions.size(), 0);
  for (const Element& element : elements)
    for (const std::uint32_t vertex : element) number[vertex] = 1;
  std::vector<Vec3> kept;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (number[i] == 0) continue;
    number[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(positions[i]);
  }
  for (Element& element : elements)
    for (std::uint32_t& vertex : element) vertex = number[vertex];
  return kept;
}

MshContent read_msh(const std::filesystem::path& path) {
  return parse_msh(detail::read_bytes(path), path.string());
}

geometry::TriangleMesh triangles_of(MshContent content, const std::string& source) {
  geometry::TriangleMesh mesh{{}, std::move(content.triangles)};
  mesh.positions = compact(content.positions, mesh.triangles);
  detail::require_readable(mesh, source);
  return mesh;
}

geometry::TetMesh tets_of(MshContent content, const std::string& source) {
  geometry::TetMesh mesh{{}, std::move(content.tets)};
  mesh.positions = compact(content.positions, mesh.tets);
  geometry::require_valid(mesh, source, geometry::kReadable);
  return mesh;
}

geometry::SegmentMesh segments_of(MshContent content, const std::string& source) {
  geometry::SegmentMesh mesh{{}, std::move(content.segments)};
  mesh.positions = compact(content.positions, mesh.segments);
  geometry::require_valid(mesh, source, geometry::kReadable);
  return mesh;
}

}  // namespace

geometry::TriangleMesh read_triangle_mesh(const std::filesystem::path& path) {
  const std::string extension = checked_extension(path, kSurfaceFormats, "a surface");
  const std::string source = path.string();
  if (extension == ".msh") return triangles_of(read_msh(path), source);
  const std::string bytes = detail::read_bytes(path);
  if (extension == ".obj") return parse_obj(bytes, source);
  if (extension == ".ply") return parse_ply(bytes, source);
  if (extension == ".stl") return parse_stl(bytes, source);
  return detail::read_gltf(bytes, source, path.parent_path());
}

geometry::TetMesh read_tet_mesh(const std::filesystem::path& path) {
  checked_extension(path, kMshOnly, "tetrahedra");
  MshContent content = read_msh(path);
  if (content.tets.empty())
    throw InputError(SourceLocation{path.string()}, "the file holds no tetrahedra",
                     "in Gmsh generate the 3D mesh before saving, and save all elements");
  return tets_of(std::move(content), path.string());
}

geometry::SegmentMesh read_segment_mesh(const std::filesystem::path& path) {
  checked_extension(path, kMshOnly, "segments");
  MshContent content = read_msh(path);
  if (content.segments.empty())
    throw InputError(SourceLocation{path.string()}, "the file holds no lines",
                     "in Gmsh generate the 1D mesh before saving, and save all elements");
  return segments_of(std::move(content), path.string());
}

std::variant<geometry::TriangleMesh, geometry::TetMesh, geometry::SegmentMesh> read_any_mesh(
    const std::filesystem::path& path) {
  if (lower_extension(path) != ".msh") return read_triangle_mesh(path);
  MshContent content = read_msh(path);
  if (!content.tets.empty()) return tets_of(std::move(content), path.string());
  if (!content.triangles.empty()) return triangles_of(std::move(content), path.string());
  if (!content.segments.empty()) return segments_of(std::move(content), path.string());
  throw InputError(SourceLocation{path.string()}, "the file holds no tetrahedra, triangles or lines",
                   "in Gmsh generate the mesh before saving, and save all elements");
}

std::vector<std::filesystem::path> files_read_with(const std::filesystem::path& path) {
  // A .glb has its first buffer inside, but may name further ones as a .gltf does.
  const std::string extension = lower_extension(path);
  if (extension != ".gltf" && extension != ".glb") return {};
  return detail::buffer_files(detail::read_bytes(path), path.string(), path.parent_path());
}

geometry::TriangleMesh parse_gltf(std::string_view bytes, const std::string& source) {
  return detail::read_gltf(bytes, source, std::nullopt);
}

}  // namespace selkie::io
