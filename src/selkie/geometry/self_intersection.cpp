// See self_intersection.h. Two triangles that are not in one plane meet exactly when an edge of one meets the
// other; in one plane also when one holds the other.
#include "selkie/geometry/self_intersection.h"

#include <algorithm>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/geometry/box_tree.h"
#include "selkie/geometry/closed_surface.h"
#include "selkie/geometry/predicates.h"

namespace selkie::geometry {
namespace {

using Corners = std::array<Vec3, 3>;

Vec2 without(const Vec3& v, Eigen::Index axis) { return {v[(axis + 1) % 3], v[(axis + 2) % 3]}; }

// An axis along which the triangle is seen with an area; exact, so that thin triangles do not deceive.
Eigen::Index viewing_axis(const Corners& t) {
  const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]).cwiseAbs();
  Eigen::Index axis = 0;
  n.maxCoeff(&axis);
  return axis;
}

bool on_segment(const Vec2& a, const Vec2& b, const Vec2& p) {
  return orient2d(a, b, p) == 0 && std::min(a.x(), b.x()) <= p.x() && p.x() <= std::max(a.x(), b.x()) &&
         std::min(a.y(), b.y()) <= p.y() && p.y() <= std::max(a.y(), b.y());
}

bool segments_meet(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  if (orient2d(a, b, c) * orient2d(a, b, d) < 0 && orient2d(c, d, a) * orient2d(c, d, b) < 0) return true;
  return on_segment(a, b, c) || on_segment(a, b, d) || on_segment(c, d, a) || on_segment(c, d, b);
}

bool in_triangle(const std::array<Vec2, 3>& t, const Vec2& p) {
  const int a = orient2d(t[0], t[1], p), b = orient2d(t[1], t[2], p), c = orient2d(t[2], t[0], p);
  return !(std::max({a, b, c}) > 0 && std::min({a, b, c}) < 0);
}

// In the triangle's plane.
bool segment_meets_flat(const Vec3& p, const Vec3& q, const Corners& t) {
  const Eigen::Index axis = viewing_axis(t);
  const std::array<Vec2, 3> flat = {without(t[0], axis), without(t[1], axis), without(t[2], axis)};
  const Vec2 a = without(p, axis), b = without(q, axis);
  if (in_triangle(flat, a) || in_triangle(flat, b)) return true;
  for (std::size_t k = 0; k < 3; ++k)
    if (segments_meet(a, b, flat[k], flat[(k + 1) % 3])) return true;
  return false;
}

bool segment_meets(const Vec3& p, const Vec3& q, const Corners& t) {
  const int side_p = orient3d(t[0], t[1], t[2], p), side_q = orient3d(t[0], t[1], t[2], q);
  if (side_p == 0 && side_q == 0) return segment_meets_flat(p, q, t);
  if (side_p * side_q > 0) return false;
  const int a = orient3d(p, q, t[0], t[1]), b = orient3d(p, q, t[1], t[2]), c = orient3d(p, q, t[2], t[0]);
  return !(std::max({a, b, c}) > 0 && std::min({a, b, c}) < 0);
}

Corners corners_of(const TriangleMesh& mesh, const Triangle& t) {
  return {mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
}

// Turned so that corners which the other triangle has too come first.
Triangle shared_first(Triangle t, const Triangle& other) {
  std::stable_partition(t.begin(), t.end(), [&](std::uint32_t v) {
    return std::find(other.begin(), other.end(), v) != other.end();
  });
  return t;
}

}  // namespace

bool triangles_intersect(const TriangleMesh& mesh, std::uint32_t first, std::uint32_t second) {
  const Triangle a = shared_first(mesh.triangles[first], mesh.triangles[second]);
  const Triangle b = shared_first(mesh.triangles[second], mesh.triangles[first]);
  const auto shared = static_cast<std::size_t>(std::count_if(
      a.begin(), a.end(), [&](std::uint32_t v) { return std::find(b.begin(), b.end(), v) != b.end(); }));
  const Corners x = corners_of(mesh, a), y = corners_of(mesh, b);
  if (shared == 3) return true;
  if (shared == 2) {  // folded flat upon each other
    if (orient3d(x[0], x[1], x[2], y[2]) != 0) return false;
    const Eigen::Index axis = viewing_axis(x);
    auto side = [&](const Vec3& p) {
      return orient2d(without(x[0], axis), without(x[1], axis), without(p, axis));
    };
    return side(x[2]) == side(y[2]);
  }
  // With one corner in common, whatever else they share reaches the edge opposite to it in one of them.
  if (shared == 1) return segment_meets(x[1], x[2], y) || segment_meets(y[1], y[2], x);
  for (std::size_t k = 0; k < 3; ++k)
    if (segment_meets(x[k], x[(k + 1) % 3], y) || segment_meets(y[k], y[(k + 1) % 3], x)) return true;
  return false;
}

SelfIntersections find_self_intersections(const TriangleMesh& mesh) {
  std::vector<BoundingBox> boxes;
  for (const Triangle& t : mesh.triangles) boxes.push_back(box_of(mesh, t));
  const BoxTree tree(boxes);
  struct Found {
    std::size_t pairs = 0;
    std::uint32_t lowest = 0;
  };
  std::vector<Found> found(boxes.size());
  parallel_for(
      boxes.size(),
      [&](std::size_t i) {
        const auto self = static_cast<std::uint32_t>(i);
        tree.descend([&](const BoundingBox& box) { return box.intersects(boxes[i]); },
                     [&](std::uint32_t other) {
                       if (other <= self || !boxes[other].intersects(boxes[i])) return;
                       if (!triangles_intersect(mesh, self, other)) return;
                       if (found[i].pairs++ == 0 || other < found[i].lowest) found[i].lowest = other;
                     });
      },
      256);
  SelfIntersections result;
  for (std::uint32_t i = 0; i < found.size(); ++i) {
    if (found[i].pairs == 0) continue;
    if (result.pairs == 0) result.first = {i, found[i].lowest};
    result.pairs += found[i].pairs;
  }
  return result;
}

}  // namespace selkie::geometry
