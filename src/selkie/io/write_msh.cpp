// See write_msh.h.
#include "selkie/io/write_msh.h"

#include <fmt/format.h>

#include <iterator>

#include "selkie/io/atomic_file.h"

namespace selkie::io {

std::string msh_text(const geometry::TetMesh& mesh) {
  fmt::memory_buffer out;
  auto end = std::back_inserter(out);
  fmt::format_to(end, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", mesh.positions.size());
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Vec3& p = mesh.positions[i];
    fmt::format_to(end, "{} {} {} {}\n", i + 1, p.x(), p.y(), p.z());
  }
  fmt::format_to(end, "$EndNodes\n$Elements\n{}\n", mesh.tets.size());
  // Type 4 is the tetrahedron; two tags, for the physical and the elementary region.
  for (std::size_t i = 0; i < mesh.tets.size(); ++i) {
    const auto& [a, b, c, d] = mesh.tets[i];
    fmt::format_to(end, "{} 4 2 1 1 {} {} {} {}\n", i + 1, a + 1, b + 1, c + 1, d + 1);
  }
  fmt::format_to(end, "$EndElements\n");
  return fmt::to_string(out);
}

void write_msh(const std::filesystem::path& path, const geometry::TetMesh& mesh) {
  write_file_atomically(path, std::string_view(msh_text(mesh)));
}

}  // namespace selkie::io
