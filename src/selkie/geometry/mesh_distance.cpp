// See mesh_distance.h.
#include "selkie/geometry/mesh_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"

namespace selkie::geometry {
namespace {

constexpr double kMargin = 0.25;  // of the mesh's size
constexpr double kOnFeature = 1e-9;

double angle_between(const Vec3& a, const Vec3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

}  // namespace

MeshDistance::MeshDistance(TriangleMesh mesh, int cells)
    : mesh_(std::move(mesh)), tree_(mesh_.positions, mesh_.triangles) {
  find_normals();
  if (cells > 0) sample_grid(cells);
}

void MeshDistance::move(std::span<const Vec3> positions) {
  SELKIE_CHECK(distances_.empty(), "a grid of distances does not move");
  mesh_.positions.assign(positions.begin(), positions.end());
  tree_.refit(mesh_.positions);
  find_normals();
}

// Corners weigh the faces around them by angle, edges equally: then the sign is right wherever the nearest
// point lies.
void MeshDistance::find_normals() {
  const std::vector<Vec3>& x = mesh_.positions;
  vertex_normals_.assign(x.size(), Vec3::Zero());
  face_normals_.clear();
  edge_normals_.clear();
  std::map<Segment, Vec3> at_edge;
  auto edge = [](std::uint32_t a, std::uint32_t b) { return Segment{std::min(a, b), std::max(a, b)}; };
  for (const Triangle& t : mesh_.triangles) {
    const Vec3 normal = (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).normalized();
    face_normals_.push_back(normal);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
      vertex_normals_[a] += angle_between(x[b] - x[a], x[c] - x[a]) * normal;
      at_edge.try_emplace(edge(b, c), Vec3::Zero()).first->second += normal;
    }
  }
  for (const Triangle& t : mesh_.triangles)
    edge_normals_.push_back(
        {at_edge[edge(t[1], t[2])], at_edge[edge(t[2], t[0])], at_edge[edge(t[0], t[1])]});
}

Vec3 MeshDistance::normal_at(const SurfacePoint& nearest) const {
  int zeros = 0, zero = 0, corner = 0;
  for (int k = 0; k < 3; ++k) {
    if (nearest.weights[k] <= kOnFeature) ++zeros, zero = k;
    if (nearest.weights[k] > nearest.weights[corner]) corner = k;
  }
  if (zeros == 0) return face_normals_[nearest.triangle];
  if (zeros == 1) return edge_normals_[nearest.triangle][static_cast<std::size_t>(zero)].normalized();
  return vertex_normals_[mesh_.triangles[nearest.triangle][static_cast<std::size_t>(corner)]].normalized();
}

SurfaceDistance MeshDistance::exact(const Vec3& point) const {
  SurfacePoint nearest;
  return exact(point, nearest);
}

SurfaceDistance MeshDistance::exact(const Vec3& point, SurfacePoint& nearest) const {
  const std::optional<SurfacePoint> found = tree_.nearest(mesh_.positions, point);
  if (!found)
    return {std::numeric_limits<double>::infinity(), Vec3::UnitY()};  // of a point that is not finite
  nearest = *found;
  const Vec3 outwards = normal_at(nearest), away = point - nearest.point;
  const double side = away.dot(outwards) < 0 ? -1 : 1;
  // On the surface the direction to it drowns in round-off.
  const double scale = 1e-9 * spacing_;
  return {side * nearest.distance,
          nearest.distance > scale ? Vec3(side / nearest.distance * away) : outwards};
}

void MeshDistance::sample_grid(int cells) {
  const BoundingBox box = bounding_box(mesh_.positions);
  const Vec3 size = box.sizes() + Vec3::Constant(2 * kMargin * box.sizes().maxCoeff());
  spacing_ = size.maxCoeff() / cells;
  origin_ = box.center() - 0.5 * size;
  for (int k = 0; k < 3; ++k)
    nodes_[static_cast<std::size_t>(k)] = static_cast<std::size_t>(std::ceil(size[k] / spacing_)) + 1;
  distances_.resize(nodes_[0] * nodes_[1] * nodes_[2]);
  parallel_for(
      distances_.size(),
      [&](std::size_t n) {
        const std::size_t i = n % nodes_[0], j = n / nodes_[0] % nodes_[1], k = n / (nodes_[0] * nodes_[1]);
        const Vec3 steps(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k));
        distances_[n] = exact(origin_ + spacing_ * steps).distance;
      },
      256);
}

SurfaceDistance MeshDistance::at(const Vec3& point) const {
  if (distances_.empty()) return exact(point);
  const Vec3 p = (point - origin_) / spacing_;
  std::array<std::size_t, 3> cell;
  Vec3 t;
  for (int k = 0; k < 3; ++k) {
    const auto n = static_cast<std::size_t>(k);
    if (!(p[k] >= 0 && p[k] < static_cast<double>(nodes_[n] - 1))) return exact(point);
    cell[n] = static_cast<std::size_t>(p[k]);
    t[k] = p[k] - static_cast<double>(cell[n]);
  }
  double value = 0;
  Vec3 gradient = Vec3::Zero();
  for (std::size_t corner = 0; corner < 8; ++corner) {
    const std::array<std::size_t, 3> up = {corner & 1, corner >> 1 & 1, corner >> 2};
    Vec3 weight, slope;
    for (int k = 0; k < 3; ++k) {
      weight[k] = up[static_cast<std::size_t>(k)] ? t[k] : 1 - t[k];
      slope[k] = up[static_cast<std::size_t>(k)] ? 1 : -1;
    }
    const double d =
        distances_[cell[0] + up[0] + nodes_[0] * (cell[1] + up[1] + nodes_[1] * (cell[2] + up[2]))];
    value += d * weight.prod();
    gradient += d * Vec3(slope[0] * weight[1] * weight[2], weight[0] * slope[1] * weight[2],
                         weight[0] * weight[1] * slope[2]);
  }
  // A cell is 1.73 spacings across: nearer than two the surface may cross it.
  const double length = gradient.norm();
  if (std::abs(value) < 2 * spacing_ || !(length > 0.5 * spacing_)) return exact(point);
  return {value, gradient / length};
}

}  // namespace selkie::geometry
