// See closed_surface.h.
#include "selkie/geometry/closed_surface.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/check.h"
#include "selkie/geometry/predicates.h"
#include "selkie/math/random_vector.h"

namespace selkie::geometry {
namespace {

// Whether the segment from `from` meets the box, by slabs; a little generous, so that round-off loses
// nothing.
class SegmentBoxTest {
 public:
  SegmentBoxTest(const Vec3& from, const Vec3& to) : from_(from), inverse_((to - from).cwiseInverse()) {}
  bool operator()(const BoundingBox& box) const {
    double enter = 0, leave = 1;
    for (int k = 0; k < 3; ++k) {
      const double a = (box.min()[k] - from_[k]) * inverse_[k], b = (box.max()[k] - from_[k]) * inverse_[k];
      enter = std::max(enter, std::min(a, b));
      leave = std::min(leave, std::max(a, b));
    }
    constexpr double kMargin = 1e-12;
    return enter <= leave + kMargin;
  }

 private:
  Vec3 from_, inverse_;
};

// A direction with no small component: slabs divide by them.
Vec3 random_direction(std::uint64_t number) {
  RandomStream random(0x5e1f, number);
  while (true) {
    const Vec3 d = random_vector(random, -1, 1);
    if (d.squaredNorm() <= 1 && d.cwiseAbs().minCoeff() > 0.1) return d.normalized();
  }
}

}  // namespace

Vec3 closest_point_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, n = ab.cross(ac);
  const double n2 = n.squaredNorm();
  if (n2 > 0) {
    // Weights of b and c of the foot of the perpendicular; inside when none is negative.
    const Vec3 ap = p - a;
    const double wb = ap.cross(ac).dot(n) / n2, wc = ab.cross(ap).dot(n) / n2;
    if (wb >= 0 && wc >= 0 && wb + wc <= 1) return a + wb * ab + wc * ac;
  }
  auto on_edge = [&](const Vec3& from, const Vec3& to) -> Vec3 {
    const Vec3 along = to - from;
    const double length2 = along.squaredNorm();
    return length2 > 0 ? Vec3(from + std::clamp((p - from).dot(along) / length2, 0.0, 1.0) * along) : from;
  };
  Vec3 best = on_edge(a, b);
  for (const Vec3& candidate : {on_edge(b, c), on_edge(c, a)})
    if ((candidate - p).squaredNorm() < (best - p).squaredNorm()) best = candidate;
  return best;
}

BoundingBox box_of(const TriangleMesh& mesh, const Triangle& triangle) {
  BoundingBox box;
  for (const std::uint32_t vertex : triangle) box.extend(mesh.positions[vertex]);
  return box;
}

ClosedSurface::ClosedSurface(const TriangleMesh& mesh) : mesh_(mesh) {
  std::vector<BoundingBox> boxes;
  boxes.reserve(mesh.triangles.size());
  for (const Triangle& triangle : mesh.triangles) boxes.push_back(box_of(mesh, triangle));
  for (const BoundingBox& box : boxes) box_.extend(box);
  tree_ = BoxTree(boxes);
}

ClosedSurface::Parity ClosedSurface::cast(const Vec3& from, const Vec3& to) const {
  bool odd = false, unclear = false, touches = false;
  tree_.descend(SegmentBoxTest(from, to), [&](std::uint32_t item) {
    const Triangle& t = mesh_.triangles[item];
    const Vec3 &a = mesh_.positions[t[0]], &b = mesh_.positions[t[1]], &c = mesh_.positions[t[2]];
    // The line passes inside the triangle when it turns the same way about all three sides.
    const int ab = orient3d(from, to, a, b), bc = orient3d(from, to, b, c), ca = orient3d(from, to, c, a);
    if (std::max({ab, bc, ca}) > 0 && std::min({ab, bc, ca}) < 0) return;
    const int side = orient3d(a, b, c, from);
    if (side == orient3d(a, b, c, to)) {
      unclear |= side == 0;  // the segment lies in the triangle's plane
      return;
    }
    if (side == 0)
      touches = true;
    else if (ab == 0 || bc == 0 || ca == 0)
      unclear = true;
    else
      odd = !odd;
  });
  if (touches) return Parity::on_surface;
  return unclear ? Parity::unclear : odd ? Parity::odd : Parity::even;
}

bool ClosedSurface::inside(const Vec3& point) const {
  if (!box_.contains(point)) return false;
  const double reach = 2 * box_.diagonal().norm();
  // A direction is unlucky with a probability near the rounding unit: sixty-four in a row never are.
  for (std::uint64_t attempt = 0; attempt < 64; ++attempt) {
    const Parity parity = cast(point, point + reach * random_direction(attempt));
    if (parity != Parity::unclear) return parity != Parity::even;
  }
  SELKIE_CHECK(false, "every ray met an edge of the surface");
  return false;
}

std::optional<ClosedSurface::Closest> ClosedSurface::closest(const Vec3& point, double within) const {
  Closest found{point, within, 0};
  double best = within * within;
  bool any = false;
  tree_.nearest(point, best, [&](std::uint32_t item) {
    const Triangle& t = mesh_.triangles[item];
    const Vec3 candidate =
        closest_point_on_triangle(point, mesh_.positions[t[0]], mesh_.positions[t[1]], mesh_.positions[t[2]]);
    const double distance = (candidate - point).squaredNorm();
    if (distance >= best) return;
    best = distance;
    found = {candidate, 0, item};
    any = true;
  });
  if (!any) return std::nullopt;
  found.distance = std::sqrt(best);
  return found;
}

double ClosedSurface::signed_distance(const Vec3& point, double within) const {
  const std::optional<Closest> near = closest(point, within);
  const double distance = near ? near->distance : within;
  return inside(point) ? distance : -distance;
}

}  // namespace selkie::geometry
