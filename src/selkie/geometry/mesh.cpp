// Measures and lumped masses. Totals go through core's fixed-order sums; per-vertex sums run over elements in
// their order, so that every result has the same bits on any number of threads.
#include "selkie/geometry/mesh.h"

#include "selkie/core/parallel.h"

namespace selkie::geometry {
namespace {

// Shares measure(element) · density equally among the corners of each element.
template <class Element, class Measure>
std::vector<double> share_among_corners(std::size_t vertex_count, const std::vector<Element>& elements,
                                        double density, Measure&& measure) {
  std::vector<double> masses(vertex_count, 0.0);
  for (const Element& element : elements) {
    const double share = density * measure(element) / static_cast<double>(element.size());
    for (const std::uint32_t vertex : element) masses[vertex] += share;
  }
  return masses;
}

double tet_volume(const TetMesh& mesh, const Tet& t) {
  const auto& x = mesh.positions;
  return signed_volume(x[t[0]], x[t[1]], x[t[2]], x[t[3]]);
}

double face_area(const TriangleMesh& mesh, const Triangle& t) {
  const auto& x = mesh.positions;
  return triangle_area(x[t[0]], x[t[1]], x[t[2]]);
}

double segment_length(const SegmentMesh& mesh, const Segment& s) {
  return (mesh.positions[s[1]] - mesh.positions[s[0]]).norm();
}

}  // namespace

double signed_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return (b - a).cross(c - a).dot(d - a) / 6.0;
}

double triangle_area(const Vec3& a, const Vec3& b, const Vec3& c) {
  return 0.5 * (b - a).cross(c - a).norm();
}

double volume(const TetMesh& mesh) {
  return deterministic_sum(mesh.tets.size(), [&](std::size_t i) { return tet_volume(mesh, mesh.tets[i]); });
}

double volume(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return 0;
  // Any apex gives the same volume; one near the surface keeps cancellation small far from the origin.
  const Vec3 apex = bounding_box(mesh.positions).center();
  return deterministic_sum(mesh.triangles.size(), [&](std::size_t i) {
    const Triangle& t = mesh.triangles[i];
    return signed_volume(apex, mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]);
  });
}

double area(const TriangleMesh& mesh) {
  return deterministic_sum(mesh.triangles.size(),
                           [&](std::size_t i) { return face_area(mesh, mesh.triangles[i]); });
}

double length(const SegmentMesh& mesh) {
  return deterministic_sum(mesh.segments.size(),
                           [&](std::size_t i) { return segment_length(mesh, mesh.segments[i]); });
}

long euler_characteristic(const TriangleMesh& mesh) {
  std::vector<bool> used(mesh.positions.size(), false);
  for (const Triangle& triangle : mesh.triangles)
    for (const std::uint32_t vertex : triangle) used[vertex] = true;
  long vertices = 0;
  for (const bool is_used : used) vertices += is_used ? 1 : 0;
  return vertices - static_cast<long>(unique_edges(mesh.triangles).size()) +
         static_cast<long>(mesh.triangles.size());
}

BoundingBox bounding_box(std::span<const Vec3> positions) {
  BoundingBox box;
  for (const Vec3& position : positions) box.extend(position);
  return box;
}

std::vector<double> lumped_masses(const TetMesh& mesh, double density) {
  return share_among_corners(mesh.positions.size(), mesh.tets, density,
                             [&](const Tet& t) { return tet_volume(mesh, t); });
}

std::vector<double> lumped_masses(const TriangleMesh& mesh, double density) {
  return share_among_corners(mesh.positions.size(), mesh.triangles, density,
                             [&](const Triangle& t) { return face_area(mesh, t); });
}

std::vector<double> lumped_masses(const SegmentMesh& mesh, double density) {
  return share_among_corners(mesh.positions.size(), mesh.segments, density,
                             [&](const Segment& s) { return segment_length(mesh, s); });
}

std::vector<Vec3> vertex_normals(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
  std::vector<Vec3> normals(positions.size(), Vec3::Zero());
  for (const Triangle& t : triangles) {
    const Vec3 area_vector =
        (positions[t[1]] - positions[t[0]]).cross(positions[t[2]] - positions[t[0]]);  // twice the area
    for (const std::uint32_t vertex : t) normals[vertex] += area_vector;
  }
  for (Vec3& normal : normals) {
    const double size = normal.norm();
    if (size > 0) normal /= size;
  }
  return normals;
}

}  // namespace selkie::geometry
