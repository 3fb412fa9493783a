// See triangle_tree.h.
#include "selkie/geometry/triangle_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace selkie::geometry {
namespace {

constexpr std::uint32_t kLeaf = 4;  // triangles at most
constexpr std::size_t kDeepest = 64;

double squared_distance(const BoundingBox& box, const Vec3& point) {
  return (point - point.cwiseMax(box.min()).cwiseMin(box.max())).squaredNorm();
}

// Whether the ray meets the box, widened by a little for what hit_triangle() forgives, before `reach`. Along
// an axis the inverse is infinite, and so are the ends of the slab: they compare right.
bool meets(const BoundingBox& box, const Vec3& origin, const Vec3& inverse, double reach) {
  const double margin = 4e-9 * box.sizes().sum() + std::numeric_limits<double>::min();
  double enter = -margin, leave = reach + margin;
  for (int k = 0; k < 3; ++k) {
    const double a = (box.min()[k] - margin - origin[k]) * inverse[k];
    const double b = (box.max()[k] + margin - origin[k]) * inverse[k];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return enter <= leave;
}

// Where a ray meets a triangle, by the weights of its corners. A hit slightly beside the triangle counts, so
// that no ray slips between two that share an edge.
bool hit_triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& origin, const Vec3& direction,
                  Facing facing, SurfacePoint& hit) {
  constexpr double kBeside = 1e-9;
  const Vec3 ab = b - a, ac = c - a, normal = ab.cross(ac);
  const double along = normal.dot(direction);
  if (along == 0 || (facing == Facing::along && along < 0)) return false;
  const double s = normal.dot(a - origin) / along;
  const Vec3 across = direction.cross(origin - a);
  const double u = ac.dot(across) / along, v = -ab.dot(across) / along;
  if (!(u >= -kBeside && v >= -kBeside && u + v <= 1 + kBeside)) return false;
  if (!(s >= -kBeside * std::sqrt(normal.norm()))) return false;
  hit.weights = {1 - u - v, u, v};
  hit.distance = std::max(0.0, s);
  hit.point = origin + hit.distance * direction;
  return true;
}

}  // namespace

TrianglePoint nearest_on_triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& point) {
  const Vec3 ab = b - a, ac = c - a, ap = point - a;
  const double d00 = ab.squaredNorm(), d01 = ab.dot(ac), d11 = ac.squaredNorm();
  const double d20 = ap.dot(ab), d21 = ap.dot(ac), det = d00 * d11 - d01 * d01;
  auto at = [&](double u, double v) {
    return TrianglePoint{Vec3(a + u * ab + v * ac), Vec3(1 - u - v, u, v)};
  };
  if (det > 0) {
    const double u = (d11 * d20 - d01 * d21) / det, v = (d00 * d21 - d01 * d20) / det;
    if (u >= 0 && v >= 0 && u + v <= 1) return at(u, v);
  }
  // Outside, or a triangle without area: the nearest point of the three edges.
  auto share = [](double along, double length) {
    return length > 0 ? std::clamp(along / length, 0.0, 1.0) : 0.0;
  };
  const Vec3 bc = c - b;
  const double s = share((point - b).dot(bc), bc.squaredNorm());
  TrianglePoint best = at(share(d20, d00), 0);
  for (const TrianglePoint& other : {at(0, share(d21, d11)), at(1 - s, s)})
    if ((other.point - point).squaredNorm() < (best.point - point).squaredNorm()) best = other;
  return best;
}

TriangleTree::TriangleTree(std::span<const Vec3> positions, std::span<const Triangle> triangles)
    : triangles_(triangles.begin(), triangles.end()), order_(triangles.size()) {
  if (triangles_.empty()) return;
  std::iota(order_.begin(), order_.end(), 0u);
  std::vector<Vec3> centers;
  centers.reserve(triangles_.size());
  for (const auto& [a, b, c] : triangles_)
    centers.push_back((positions[a] + positions[b] + positions[c]) / 3);
  nodes_.reserve(2 * triangles_.size());
  build(centers, 0, static_cast<std::uint32_t>(triangles_.size()));
  refit(positions);
}

std::uint32_t TriangleTree::build(std::span<const Vec3> centers, std::uint32_t begin, std::uint32_t end) {
  const auto node = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  if (end - begin <= kLeaf) {
    nodes_[node].first = begin;
    nodes_[node].count = end - begin;
    return node;
  }
  BoundingBox box;
  for (std::uint32_t k = begin; k < end; ++k) box.extend(centers[order_[k]]);
  int axis = 0;
  box.sizes().maxCoeff(&axis);
  const std::uint32_t middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](std::uint32_t p, std::uint32_t q) {
                     return centers[p][axis] != centers[q][axis] ? centers[p][axis] < centers[q][axis]
                                                                 : p < q;
                   });
  build(centers, begin, middle);
  const std::uint32_t right = build(centers, middle, end);
  nodes_[node].right = right;
  return node;
}

void TriangleTree::refit(std::span<const Vec3> positions) {
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    Node& node = nodes_[n];
    node.box.setEmpty();
    if (node.count == 0) node.box = nodes_[n + 1].box.merged(nodes_[node.right].box);
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k)
      for (const std::uint32_t v : triangles_[order_[k]]) node.box.extend(positions[v]);
  }
}

std::optional<SurfacePoint> TriangleTree::nearest(std::span<const Vec3> positions, const Vec3& point,
                                                  double within, Choice counts) const {
  std::optional<SurfacePoint> best;
  double least = within * within;
  std::array<std::uint32_t, kDeepest> waiting;
  std::size_t depth = 0;
  if (!nodes_.empty()) waiting[depth++] = 0;
  while (depth > 0) {
    const std::uint32_t n = waiting[--depth];
    const Node& node = nodes_[n];
    if (squared_distance(node.box, point) > least) continue;
    if (node.count == 0) {  // the nearer child is looked at first
      const bool left_first =
          squared_distance(nodes_[n + 1].box, point) <= squared_distance(nodes_[node.right].box, point);
      waiting[depth++] = left_first ? node.right : n + 1;
      waiting[depth++] = left_first ? n + 1 : node.right;
      continue;
    }
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
      const std::uint32_t t = order_[k];
      if (counts && !counts(t)) continue;
      const auto& [a, b, c] = triangles_[t];
      const TrianglePoint found = nearest_on_triangle(positions[a], positions[b], positions[c], point);
      const double square = (found.point - point).squaredNorm();
      if (!(square < least || (square == least && (!best || t < best->triangle)))) continue;
      least = square;
      best = {t, found.point, found.weights, std::sqrt(square)};
    }
  }
  return best;
}

std::optional<SurfacePoint> TriangleTree::first_hit(std::span<const Vec3> positions, const Vec3& origin,
                                                    const Vec3& direction, double reach, Facing facing,
                                                    Choice counts) const {
  std::optional<SurfacePoint> best;
  const Vec3 inverse = direction.cwiseInverse();
  std::array<std::uint32_t, kDeepest> waiting;
  std::size_t depth = 0;
  if (!nodes_.empty()) waiting[depth++] = 0;
  while (depth > 0) {
    const std::uint32_t n = waiting[--depth];
    const Node& node = nodes_[n];
    if (!meets(node.box, origin, inverse, reach)) continue;
    if (node.count == 0) {
      waiting[depth++] = node.right;
      waiting[depth++] = n + 1;
      continue;
    }
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
      const std::uint32_t t = order_[k];
      if (counts && !counts(t)) continue;
      const auto& [a, b, c] = triangles_[t];
      SurfacePoint hit;
      if (!hit_triangle(positions[a], positions[b], positions[c], origin, direction, facing, hit)) continue;
      if (hit.distance > reach || (best && hit.distance == reach && t > best->triangle)) continue;
      hit.triangle = t;
      reach = hit.distance;
      best = hit;
    }
  }
  return best;
}

}  // namespace selkie::geometry
