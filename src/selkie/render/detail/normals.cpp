// Smooth normals with creases, weighted by angle [Thurmer98]; and the test for closed surfaces.
#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/render/detail/parts.h"

namespace selkie::render::detail {
namespace {

constexpr float kCreaseCosine = 0.6f;  // 53°: folds of coarse cloth stay smooth, boxes keep their edges

using Triangles = std::span<const std::array<std::uint32_t, 3>>;

float corner_angle(std::span<const Vec3f> x, const std::array<std::uint32_t, 3>& t, std::size_t corner) {
  const Vec3f a = x[t[(corner + 1) % 3]] - x[t[corner]], b = x[t[(corner + 2) % 3]] - x[t[corner]];
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

// Corners by vertex: those of vertex v are at [start[v], start[v + 1]).
struct Corners {
  std::vector<std::uint32_t> start, corner;
};
Corners corners_by_vertex(std::size_t vertex_count, Triangles triangles) {
  Corners result;
  result.start.assign(vertex_count + 1, 0);
  for (const auto& t : triangles)
    for (const std::uint32_t v : t) ++result.start[v + 1];
  for (std::size_t v = 0; v < vertex_count; ++v) result.start[v + 1] += result.start[v];
  result.corner.resize(triangles.size() * 3);
  std::vector<std::uint32_t> next(result.start.begin(), result.start.end() - 1);
  for (std::uint32_t c = 0; c < result.corner.size(); ++c) result.corner[next[triangles[c / 3][c % 3]]++] = c;
  return result;
}

}  // namespace

std::vector<Vec3f> corner_normals(std::span<const Vec3f> positions, Triangles triangles) {
  std::vector<Vec3f> face(triangles.size()), normals(triangles.size() * 3);
  std::vector<float> angles(triangles.size() * 3);
  parallel_for(triangles.size(), [&](std::size_t f) {
    const auto& t = triangles[f];
    face[f] = (positions[t[1]] - positions[t[0]]).cross(positions[t[2]] - positions[t[0]]).normalized();
    for (std::size_t k = 0; k < 3; ++k) angles[3 * f + k] = corner_angle(positions, t, k);
  });
  const Corners corners = corners_by_vertex(positions.size(), triangles);
  parallel_for(normals.size(), [&](std::size_t c) {
    const Vec3f& own = face[c / 3];
    const std::uint32_t v = triangles[c / 3][c % 3];
    Vec3f sum = Vec3f::Zero();
    for (std::uint32_t i = corners.start[v]; i < corners.start[v + 1]; ++i) {
      const std::uint32_t other = corners.corner[i];
      if (face[other / 3].dot(own) > kCreaseCosine) sum += angles[other] * face[other / 3];
    }
    const float length = sum.norm();
    normals[c] = length > 1e-6f ? Vec3f(sum / length) : own;
  });
  return normals;
}

bool is_closed(Triangles triangles) {
  std::vector<std::uint64_t> edges;
  edges.reserve(triangles.size() * 3);
  for (const auto& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint64_t a = t[k], b = t[(k + 1) % 3];
      edges.push_back(std::min(a, b) << 32 | std::max(a, b));
    }
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 0; i < edges.size(); i += 2)
    if (i + 1 >= edges.size() || edges[i] != edges[i + 1] ||
        (i + 2 < edges.size() && edges[i + 2] == edges[i]))
      return false;
  return !edges.empty();
}

}  // namespace selkie::render::detail
