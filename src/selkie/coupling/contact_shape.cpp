// See contact_shape.h.
#include "selkie/coupling/contact_shape.h"

#include <algorithm>

namespace selkie::coupling {
namespace {

double mean_edge(const ports::DeformableSolid& body) {
  const std::span<const Vec3> x = body.rest_positions();
  double sum = 0, count = 0;
  for (const auto& [a, b, c, d] : body.tets()) sum += (x[a] - x[b]).norm() + (x[c] - x[d]).norm(), count += 2;
  for (const auto& [a, b, c] : body.flat_cells())
    sum += (x[a] - x[b]).norm() + (x[b] - x[c]).norm() + (x[c] - x[a]).norm(), count += 3;
  return count > 0 ? sum / count : 0;
}

}  // namespace

ContactShape::ContactShape(const ports::DeformableSolid& body)
    : count_(static_cast<std::uint32_t>(body.rest_positions().size())), size_(mean_edge(body)) {
  const std::uint32_t n = count_;
  for (const auto& [a, b, c] : body.flat_cells())
    for (const geometry::Tet& tet : {geometry::Tet{a, b, c, c + n}, geometry::Tet{a, b, b + n, c + n},
                                     geometry::Tet{a, a + n, b + n, c + n}})
      flat_tets_.push_back(tet);
  for (const auto& [a, b] : body.outline()) {
    walls_.push_back({a, b, b + n});
    walls_.push_back({a, b + n, a + n});
  }
  if (flat()) plane_ = body.rest_positions()[0].z();
  place(body, body.rest_positions());
}

void ContactShape::place(const ports::DeformableSolid& body, std::span<const Vec3> positions) {
  positions_ = positions;
  tets_ = body.tets();
  faces_ = body.surface();
  if (!flat()) return;
  slab_.resize(2 * positions_.size());
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const Vec3& x = positions_[i];
    slab_[i] = Vec3(x.x(), x.y(), plane_ - size_);
    slab_[i + positions_.size()] = Vec3(x.x(), x.y(), plane_ + size_);
  }
}

bool ContactShape::tet_has(std::uint32_t tet, std::uint32_t v) const {
  const geometry::Tet& t = tets()[tet];
  return std::any_of(t.begin(), t.end(), [&](std::uint32_t corner) { return vertex(corner) == v; });
}

bool ContactShape::face_has(std::uint32_t face, std::uint32_t v) const {
  const geometry::Triangle& t = faces()[face];
  return std::any_of(t.begin(), t.end(), [&](std::uint32_t corner) { return vertex(corner) == v; });
}

Vec3 ContactShape::face_normal(std::uint32_t face) const {
  const std::span<const Vec3> x = positions();
  const auto& [a, b, c] = faces()[face];
  return (x[b] - x[a]).cross(x[c] - x[a]).normalized();
}

Foot ContactShape::foot(const geometry::SurfacePoint& point) const {
  Foot foot{faces()[point.triangle], point.weights.cwiseMax(0)};
  foot.weights /= foot.weights.sum();
  if (!flat()) return foot;
  const geometry::Triangle wall = foot.corners;
  const std::uint32_t a = wall[0], b = vertex(wall[1]);
  double of_b = 0;
  for (int k = 0; k < 3; ++k)
    if (vertex(wall[static_cast<std::size_t>(k)]) == b) of_b += foot.weights[k];
  return {{a, b, a}, {1 - of_b, of_b, 0}};
}

bool ContactShape::is_turned(const ports::DeformableSolid& body, std::uint32_t tet) const {
  auto keeps_sign = [&](auto measure) {
    return measure(body.positions()) * measure(body.rest_positions()) > 0;
  };
  if (flat()) {
    const auto& t = body.flat_cells()[tet / 3];
    return !keeps_sign(
        [&](std::span<const Vec3> x) { return (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).z(); });
  }
  const auto& t = body.tets()[tet];
  return !keeps_sign(
      [&](std::span<const Vec3> x) { return geometry::signed_volume(x[t[0]], x[t[1]], x[t[2]], x[t[3]]); });
}

}  // namespace selkie::coupling
