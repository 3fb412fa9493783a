// Convex hulls, one point after the other: the faces a new point sees are replaced by a fan over their rim.
// [Ericson04 §9.5; Barber96] Coplanar triangles become one face, so that faces can be clipped.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "selkie/contact/shape.h"

namespace selkie::contact {
namespace {

struct HullTriangle {
  std::array<std::uint32_t, 3> corners;
  Vec3 normal;
  double offset;
};
using Edge = std::pair<std::uint32_t, std::uint32_t>;

HullTriangle make_triangle(std::span<const Vec3> p, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const Vec3 n = (p[b] - p[a]).cross(p[c] - p[a]).normalized();
  return {{a, b, c}, n, n.dot(p[a])};
}

// Four points that span a volume, the base seen counter-clockwise from outside; false: the points are flat.
bool first_simplex(std::span<const Vec3> p, double tolerance, std::array<std::uint32_t, 4>& simplex) {
  auto furthest = [&](auto&& measure) {
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < p.size(); ++i)
      if (measure(p[i]) > measure(p[best])) best = i;
    return best;
  };
  simplex[0] = furthest([&](const Vec3& q) { return (q - p[0]).squaredNorm(); });
  simplex[1] = furthest([&](const Vec3& q) { return (q - p[simplex[0]]).squaredNorm(); });
  const Vec3 line = p[simplex[1]] - p[simplex[0]];
  if (line.norm() <= tolerance) return false;
  simplex[2] = furthest([&](const Vec3& q) { return (q - p[simplex[0]]).cross(line).squaredNorm(); });
  const Vec3 area = line.cross(p[simplex[2]] - p[simplex[0]]);
  if (area.norm() <= tolerance * line.norm()) return false;
  const Vec3 n = area.normalized();
  simplex[3] = furthest([&](const Vec3& q) { return std::abs((q - p[simplex[0]]).dot(n)); });
  const double height = (p[simplex[3]] - p[simplex[0]]).dot(n);
  if (std::abs(height) <= tolerance) return false;
  if (height > 0) std::swap(simplex[1], simplex[2]);
  return true;
}

std::vector<HullTriangle> hull_triangles(std::span<const Vec3> p, double tolerance) {
  std::array<std::uint32_t, 4> s{};
  if (p.size() < 4 || !first_simplex(p, tolerance, s)) return {};
  std::vector<HullTriangle> faces{make_triangle(p, s[0], s[1], s[2]), make_triangle(p, s[0], s[3], s[1]),
                                  make_triangle(p, s[1], s[3], s[2]), make_triangle(p, s[2], s[3], s[0])};
  for (std::uint32_t i = 0; i < p.size(); ++i) {
    std::set<Edge> rim;
    std::vector<HullTriangle> kept;
    for (const HullTriangle& face : faces) {
      if (face.normal.dot(p[i]) - face.offset <= tolerance) {
        kept.push_back(face);
        continue;
      }
      for (int k = 0; k < 3; ++k) {
        const Edge edge{face.corners[static_cast<std::size_t>(k)], face.corners[static_cast<std::size_t>((k + 1) % 3)]};
        if (!rim.erase({edge.second, edge.first})) rim.insert(edge);
      }
    }
    if (rim.empty()) continue;
    for (const Edge& edge : rim) kept.push_back(make_triangle(p, edge.first, edge.second, i));
    faces = std::move(kept);
  }
  return faces;
}

// The rim of coplanar triangles as one polygon, without corners on a straight line.
std::vector<std::uint32_t> outline(std::span<const HullTriangle* const> triangles, std::span<const Vec3> p) {
  std::map<std::uint32_t, std::uint32_t> next;
  std::set<Edge> edges;
  for (const HullTriangle* t : triangles)
    for (std::size_t k = 0; k < 3; ++k) edges.insert({t->corners[k], t->corners[(k + 1) % 3]});
  for (const Edge& edge : edges)
    if (!edges.contains({edge.second, edge.first})) next[edge.first] = edge.second;
  std::vector<std::uint32_t> ring;
  const std::uint32_t first = next.begin()->first;
  std::uint32_t at = first;
  do {
    ring.push_back(at);
    const auto found = next.find(at);
    if (found == next.end()) break;
    at = found->second;
  } while (at != first && ring.size() <= next.size());
  std::vector<std::uint32_t> corners;
  for (std::size_t k = 0; k < ring.size(); ++k) {
    const Vec3 in = p[ring[k]] - p[ring[(k + ring.size() - 1) % ring.size()]];
    const Vec3 out = p[ring[(k + 1) % ring.size()]] - p[ring[k]];
    if (in.cross(out).norm() > 1e-6 * in.norm() * out.norm()) corners.push_back(ring[k]);
  }
  return corners;
}

}  // namespace

std::optional<Hull> make_hull(std::span<const Vec3> points) {
  const geometry::BoundingBox box = geometry::bounding_box(points);
  if (points.size() < 4 || box.isEmpty()) return std::nullopt;
  const double tolerance = 1e-9 * box.diagonal().norm();
  const std::vector<HullTriangle> triangles = hull_triangles(points, tolerance);
  if (triangles.empty()) return std::nullopt;
  Hull hull;
  std::map<std::uint32_t, std::uint32_t> numbers;
  hull.face_offsets.push_back(0);
  std::vector<bool> used(triangles.size(), false);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (used[t]) continue;
    std::vector<const HullTriangle*> plane;
    for (std::size_t u = t; u < triangles.size(); ++u)
      if (!used[u] && triangles[u].normal.dot(triangles[t].normal) > 1 - 1e-8 &&
          std::abs(triangles[u].offset - triangles[t].offset) < 1e2 * tolerance)
        used[u] = true, plane.push_back(&triangles[u]);
    const std::vector<std::uint32_t> ring = outline(plane, points);
    if (ring.size() < 3) continue;
    for (std::uint32_t corner : ring) {
      const auto [found, fresh] = numbers.try_emplace(corner, static_cast<std::uint32_t>(hull.points.size()));
      if (fresh) hull.points.push_back(points[corner]);
      hull.face_points.push_back(found->second);
    }
    hull.face_offsets.push_back(static_cast<std::uint32_t>(hull.face_points.size()));
    hull.normals.push_back(triangles[t].normal);
  }
  return hull;
}

geometry::TriangleMesh surface_of(const Hull& hull) {
  geometry::TriangleMesh mesh;
  mesh.positions = hull.points;
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    const auto face = hull.face(f);
    for (std::size_t k = 2; k < face.size(); ++k) mesh.triangles.push_back({face[0], face[k - 1], face[k]});
  }
  return mesh;
}

}  // namespace selkie::contact
