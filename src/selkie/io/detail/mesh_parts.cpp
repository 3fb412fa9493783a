// See mesh_parts.h.
#include "selkie/io/detail/mesh_parts.h"

#include <algorithm>
#include <numeric>

#include "selkie/core/error.h"
#include "selkie/geometry/mesh_check.h"

namespace selkie::io::detail {

void add_fan(std::span<const std::uint32_t> corners, std::vector<geometry::Triangle>& triangles) {
  for (std::size_t k = 2; k < corners.size(); ++k)
    triangles.push_back({corners[0], corners[k - 1], corners[k]});
}

void weld(geometry::TriangleMesh& mesh) {
  const std::vector<Vec3>& x = mesh.positions;
  // Sorting instead of hashing: no input can make it slow.
  std::vector<std::uint32_t> by_place(x.size());
  std::iota(by_place.begin(), by_place.end(), 0u);
  std::sort(by_place.begin(), by_place.end(), [&](std::uint32_t a, std::uint32_t b) {
    for (int k = 0; k < 3; ++k)
      if (x[a][k] != x[b][k]) return x[a][k] < x[b][k];
    return a < b;
  });
  std::vector<std::uint32_t> first_at_place(x.size());
  for (std::size_t i = 0; i < by_place.size(); ++i) {
    const bool same = i > 0 && x[by_place[i]] == x[by_place[i - 1]];
    first_at_place[by_place[i]] = same ? first_at_place[by_place[i - 1]] : by_place[i];
  }
  std::vector<std::uint32_t> welded_number(x.size());
  std::vector<Vec3> welded;
  for (std::uint32_t i = 0; i < x.size(); ++i) {
    if (first_at_place[i] == i) {
      welded_number[i] = static_cast<std::uint32_t>(welded.size());
      welded.push_back(x[i]);
    } else {
      welded_number[i] = welded_number[first_at_place[i]];
    }
  }
  mesh.positions = std::move(welded);
  for (geometry::Triangle& triangle : mesh.triangles)
    for (std::uint32_t& vertex : triangle) vertex = welded_number[vertex];
}

void require_readable(const geometry::TriangleMesh& mesh, const std::string& source) {
  if (mesh.triangles.empty())
    throw InputError(SourceLocation{source}, "the file holds no triangles", "export the mesh with its faces");
  geometry::require_valid(mesh, source, geometry::kReadable);
}

}  // namespace selkie::io::detail
