// See skinning.h.
#include "selkie/geometry/skinning.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"
#include "selkie/geometry/box_tree.h"
#include "selkie/geometry/closed_surface.h"

namespace selkie::geometry {
namespace {

std::array<Vec3, 4> corners_of(const TetMesh& mesh, const Tet& t) {
  return {mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]], mesh.positions[t[3]]};
}

double squared_distance(const std::array<Vec3, 4>& x, const Vec3& p) {
  const std::array<double, 4> w = barycentric_weights(x, p);
  if (*std::min_element(w.begin(), w.end()) >= 0) return 0;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 4; ++i)
    best = std::min(
        best,
        (closest_point_on_triangle(p, x[(i + 1) % 4], x[(i + 2) % 4], x[(i + 3) % 4]) - p).squaredNorm());
  return best;
}

std::uint32_t nearest_tet(const TetMesh& mesh, const BoxTree& tree, const Vec3& p) {
  constexpr double kNowhere = std::numeric_limits<double>::infinity();
  // Nodes as near as the best are entered, too: equals go to the lowest number.
  double bound = kNowhere, best = kNowhere;
  std::uint32_t nearest = 0;
  tree.nearest(p, bound, [&](std::uint32_t item) {
    const double distance = squared_distance(corners_of(mesh, mesh.tets[item]), p);
    if (distance > best || (distance == best && item > nearest)) return;
    best = distance, nearest = item;
    bound = std::nextafter(distance, kNowhere);
  });
  return nearest;
}

template <class T>
void apply_to(const Skin& skin, std::span<const T> values, std::span<T> points) {
  SELKIE_CHECK(points.size() == skin.size(), "one result per point of the skin");
  parallel_for(skin.size(), [&](std::size_t i) {
    const Tet& c = skin.carriers[i];
    const std::array<double, 4>& w = skin.weights[i];
    points[i] = (w[0] * values[c[0]] + w[1] * values[c[1]]) + (w[2] * values[c[2]] + w[3] * values[c[3]]);
  });
}

}  // namespace

std::array<double, 4> barycentric_weights(const std::array<Vec3, 4>& tet, const Vec3& point) {
  const Vec3 a = tet[1] - tet[0], b = tet[2] - tet[0], c = tet[3] - tet[0], p = point - tet[0];
  const double det = a.cross(b).dot(c);
  const double wa = p.cross(b).dot(c) / det, wb = a.cross(p).dot(c) / det, wc = a.cross(b).dot(p) / det;
  return {1 - wa - wb - wc, wa, wb, wc};
}

Skin make_skin(const TetMesh& rest, std::span<const Vec3> points) {
  SELKIE_CHECK(!rest.tets.empty(), "a body with tetrahedra");
  std::vector<BoundingBox> boxes(rest.tets.size());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (const std::uint32_t vertex : rest.tets[i]) boxes[i].extend(rest.positions[vertex]);
  const BoxTree tree(boxes);
  Skin skin;
  skin.carriers.resize(points.size());
  skin.weights.resize(points.size());
  parallel_for(
      points.size(),
      [&](std::size_t i) {
        skin.carriers[i] = rest.tets[nearest_tet(rest, tree, points[i])];
        skin.weights[i] = barycentric_weights(corners_of(rest, skin.carriers[i]), points[i]);
      },
      256);
  return skin;
}

void apply(const Skin& skin, std::span<const Vec3> values, std::span<Vec3> points) {
  apply_to(skin, values, points);
}
void apply(const Skin& skin, std::span<const double> values, std::span<double> points) {
  apply_to(skin, values, points);
}

}  // namespace selkie::geometry
