// Boxes against boxes: fifteen candidate axes, then a clipped face or a pair of edges. [Gottschalk96;
// Ericson04 §5.2.1, §4.4.1]
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "selkie/solids/rigid/contacts.h"

namespace selkie::rigid {
namespace {

// Edges replace a face only where they are clearly further apart, so that a manifold does not flicker.
constexpr double kFavourFaces = 1e-3;

struct Axis {
  double separation = -std::numeric_limits<double>::infinity();
  Vec3 normal = Vec3::UnitY();  // towards a
  int of_a = -1, of_b = -1;     // axis numbers; both: crossing edges
};

double reach(const BoxPose& box, const Vec3& direction) {
  return (box.axes.transpose() * direction).cwiseAbs().dot(box.half);
}

// The axis along which the boxes are furthest apart, or overlap least.
Axis best_axis(const BoxPose& a, const BoxPose& b) {
  const Vec3 d = a.center - b.center;
  const double size = std::min(a.half.minCoeff(), b.half.minCoeff());
  Axis best;
  auto offer = [&](const Vec3& direction, int of_a, int of_b, double handicap) {
    const double along = d.dot(direction);
    const double separation = std::abs(along) - reach(a, direction) - reach(b, direction);
    if (separation - handicap > best.separation)
      best = {separation, along < 0 ? Vec3(-direction) : direction, of_a, of_b};
  };
  for (int i = 0; i < 3; ++i) offer(b.axes.col(i), -1, i, 0);
  for (int i = 0; i < 3; ++i) offer(a.axes.col(i), i, -1, kFavourFaces * size);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Vec3 cross = a.axes.col(i).cross(b.axes.col(j));
      const double length = cross.norm();
      if (length > 1e-3) offer(cross / length, i, j, 2 * kFavourFaces * size);
    }
  return best;
}

using Polygon = std::vector<Vec3>;

// Keeps the part of a polygon with (p − point)·outward ≤ 0.
Polygon clip(const Polygon& polygon, const Vec3& point, const Vec3& outward) {
  Polygon kept;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vec3& p = polygon[k];
    const Vec3& q = polygon[(k + 1) % polygon.size()];
    const double sp = (p - point).dot(outward), sq = (q - point).dot(outward);
    if (sp <= 0) kept.push_back(p);
    if ((sp < 0 && sq > 0) || (sp > 0 && sq < 0)) kept.push_back(p + sp / (sp - sq) * (q - p));
  }
  return kept;
}

Polygon incident_face(const BoxPose& box, const Vec3& against) {
  const Vec3 along = box.axes.transpose() * against;
  int axis = 0;
  along.cwiseAbs().maxCoeff(&axis);
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  const Vec3 middle = box.center - (along[axis] > 0 ? 1 : -1) * box.half[axis] * box.axes.col(axis);
  const Vec3 du = box.half[u] * box.axes.col(u), dv = box.half[v] * box.axes.col(v);
  return {middle + du + dv, middle - du + dv, middle - du - dv, middle + du - dv};
}

// Clips the face of `other` that looks at `reference` to the reference face with outward normal `outward`.
void touch_face(const BoxPose& reference, const BoxPose& other, int axis, const Vec3& outward,
                const Vec3& normal, double margin, std::vector<Touch>& touches) {
  const Vec3 middle = reference.center + reference.half[axis] * outward;
  Polygon polygon = incident_face(other, outward);
  for (int step = 1; step <= 2; ++step) {
    const int side = (axis + step) % 3;
    const Vec3 out = reference.axes.col(side);
    polygon = clip(polygon, reference.center + reference.half[side] * out, out);
    polygon = clip(polygon, reference.center - reference.half[side] * out, -out);
  }
  for (const Vec3& p : polygon) {
    const double separation = (p - middle).dot(outward);
    if (separation <= margin) touches.push_back({p - 0.5 * separation * outward, normal, separation});
  }
}

void touch_edges(const BoxPose& a, const BoxPose& b, const Axis& axis, std::vector<Touch>& touches) {
  auto support = [&](const BoxPose& box, int edge, const Vec3& direction) {
    Vec3 p = box.center;
    for (int k = 0; k < 3; ++k)
      if (k != edge) p += (direction.dot(box.axes.col(k)) > 0 ? 1 : -1) * box.half[k] * box.axes.col(k);
    return p;
  };
  const Vec3 pa = support(a, axis.of_a, -axis.normal), pb = support(b, axis.of_b, axis.normal);
  const Vec3 u = a.axes.col(axis.of_a), v = b.axes.col(axis.of_b), w = pb - pa;
  // Nearest points of two lines with unit directions.
  const double uv = u.dot(v), along_u = w.dot(u), along_v = w.dot(v), det = 1 - uv * uv;
  const double s = (along_u - uv * along_v) / det, t = (uv * along_u - along_v) / det;
  const Vec3 qa = pa + std::clamp(s, -a.half[axis.of_a], a.half[axis.of_a]) * u;
  const Vec3 qb = pb + std::clamp(t, -b.half[axis.of_b], b.half[axis.of_b]) * v;
  touches.push_back({0.5 * (qa + qb), axis.normal, axis.separation});
}

}  // namespace

void touch_boxes(const BoxPose& a, const BoxPose& b, double margin, std::vector<Touch>& touches) {
  const Axis axis = best_axis(a, b);
  if (axis.separation > margin) return;
  if (axis.of_a >= 0 && axis.of_b >= 0)
    touch_edges(a, b, axis, touches);
  else if (axis.of_b >= 0)
    touch_face(b, a, axis.of_b, axis.normal, axis.normal, margin, touches);
  else
    touch_face(a, b, axis.of_a, -axis.normal, axis.normal, margin, touches);
}

}  // namespace selkie::rigid
