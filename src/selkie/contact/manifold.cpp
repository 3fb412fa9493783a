// Manifolds of two convex shapes, and the choice of four points. See manifold.h.
#include "selkie/contact/manifold.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace selkie::contact {
namespace {

// A face counts as the one that is touched when it looks along the gap within 8°.
constexpr double kAligned = 0.99;
constexpr int kMostClipped = 2 * kMostFacePoints;

struct Polygon {
  int count = 0;
  std::array<Vec3, kMostClipped> points;
};

// Keeps the part with (p − point)·outward ≤ 0 of a polygon, or of a segment (two points, one edge).
void clip(const Polygon& from, const Vec3& point, const Vec3& outward, Polygon& kept) {
  kept.count = 0;
  auto put = [&](const Vec3& p) {
    if (kept.count < kMostClipped) kept.points[static_cast<std::size_t>(kept.count++)] = p;
  };
  const int edges = from.count == 2 ? 1 : from.count;
  for (int k = 0; k < edges; ++k) {
    const Vec3& p = from.points[static_cast<std::size_t>(k)];
    const Vec3& q = from.points[static_cast<std::size_t>((k + 1) % from.count)];
    const double sp = (p - point).dot(outward), sq = (q - point).dot(outward);
    if (sp <= 0) put(p);
    if ((sp < 0 && sq > 0) || (sp > 0 && sq < 0)) put(p + (sp / (sp - sq)) * (q - p));
    if (from.count == 2 && sq <= 0) put(q);
  }
}

// The incident feature, clipped by the sides of the reference face, as points of contact. `flip`: the reference
// shape is b.
bool clip_faces(const Face& reference, double reference_radius, const Face& incident, double incident_radius,
                bool reference_is_a, double margin, Manifold& manifold) {
  const Vec3& n = reference.normal;  // out of the reference shape
  Polygon polygon, clipped;
  polygon.count = incident.count;
  std::copy_n(incident.points.begin(), incident.count, polygon.points.begin());
  for (int k = 0; k < reference.count && polygon.count > 0; ++k) {
    const Vec3& p = reference.points[static_cast<std::size_t>(k)];
    const Vec3& q = reference.points[static_cast<std::size_t>((k + 1) % reference.count)];
    clip(polygon, p, (q - p).cross(n), clipped);
    polygon = clipped;
  }
  std::array<ManifoldPoint, kMostClipped> points;
  std::size_t count = 0;
  for (int k = 0; k < polygon.count; ++k) {
    const Vec3& p = polygon.points[static_cast<std::size_t>(k)];
    const double height = (p - reference.points[0]).dot(n);
    ManifoldPoint point;
    point.separation = height - reference_radius - incident_radius;
    if (point.separation > margin) continue;
    const Vec3 on_reference = p - (height - reference_radius) * n, on_incident = p - incident_radius * n;
    point.on_a = reference_is_a ? on_reference : on_incident;
    point.on_b = reference_is_a ? on_incident : on_reference;
    points[count++] = point;
  }
  if (count == 0) return false;
  manifold.normal = reference_is_a ? Vec3(-n) : n;
  manifold.count = keep_four(manifold.normal, std::span(points).first(count));
  std::copy_n(points.begin(), manifold.count, manifold.points.begin());
  return true;
}

// Two segments side by side touch along the stretch they share.
bool clip_segments(const Face& fa, double ra, const Face& fb, double rb, const Gap& g, double margin,
                   Manifold& manifold) {
  const Vec3 da = fa.points[1] - fa.points[0], db = fb.points[1] - fb.points[0];
  const double la = da.norm(), lb = db.norm();
  if (la == 0 || lb == 0 || da.cross(db).norm() > 0.1 * la * lb) return false;
  Polygon segment, clipped;
  segment.count = 2;
  segment.points[0] = fb.points[0], segment.points[1] = fb.points[1];
  clip(segment, fa.points[0], -da, clipped);
  if (clipped.count < 2) return false;
  clip(clipped, fa.points[1], da, segment);
  if (segment.count < 2) return false;
  manifold.normal = g.normal;
  manifold.count = 0;
  for (int k = 0; k < 2; ++k) {
    const Vec3& p = segment.points[static_cast<std::size_t>(k)];
    const Vec3 q = fa.points[0] + da * ((p - fa.points[0]).dot(da) / (la * la));
    ManifoldPoint point{q - ra * g.normal, p + rb * g.normal, (q - p).dot(g.normal) - ra - rb};
    if (point.separation <= margin) manifold.points[static_cast<std::size_t>(manifold.count++)] = point;
  }
  return manifold.count > 0;
}

bool flat_beside(const Face& incident, const Vec3& normal) {
  if (incident.count >= 3) return true;
  const Vec3 d = incident.points[1] - incident.points[0];
  return std::abs(d.dot(normal)) < 0.2 * d.norm();
}

}  // namespace

int keep_four(const Vec3& normal, std::span<ManifoldPoint> points) {
  if (points.size() <= Manifold::kMost) return static_cast<int>(points.size());
  auto choose = [&](std::size_t place, auto&& score) {
    std::size_t best = place;
    for (std::size_t i = place + 1; i < points.size(); ++i)
      if (score(points[i]) > score(points[best])) best = i;
    std::swap(points[place], points[best]);
  };
  choose(0, [](const ManifoldPoint& p) { return -p.separation; });
  const Vec3 first = points[0].on_b;
  choose(1, [&](const ManifoldPoint& p) { return (p.on_b - first).squaredNorm(); });
  const Vec3 second = points[1].on_b;
  auto area = [&](const ManifoldPoint& p, const Vec3& a, const Vec3& b) { return (b - a).cross(p.on_b - a).dot(normal); };
  choose(2, [&](const ManifoldPoint& p) { return std::abs(area(p, first, second)); });
  // The fourth lies as far as possible beyond one of the three sides.
  Vec3 third = points[2].on_b;
  Vec3 a = first, b = second;
  if (area(points[2], a, b) < 0) std::swap(a, b);
  choose(3, [&](const ManifoldPoint& p) { return -std::min({area(p, a, b), area(p, b, third), area(p, third, a)}); });
  return Manifold::kMost;
}

bool collide(const Convex& a, const Convex& b, double margin, Manifold& manifold) {
  const Gap g = gap(a, b, margin);
  if (g.distance > margin) return false;
  if (a.kind != Kind::ball && b.kind != Kind::ball) {
    Face fa, fb;
    supporting_face(a, -g.normal, fa);
    supporting_face(b, g.normal, fb);
    const double along_a = fa.count >= 3 ? -fa.normal.dot(g.normal) : -1,
                 along_b = fb.count >= 3 ? fb.normal.dot(g.normal) : -1;
    // b is the reference where both are equally good: which one is chosen must not flicker.
    const bool reference_is_a = along_a > along_b + 1e-3;
    const Face& incident = reference_is_a ? fb : fa;
    if (std::max(along_a, along_b) > kAligned && incident.count >= 2 && flat_beside(incident, g.normal) &&
        clip_faces(reference_is_a ? fa : fb, reference_is_a ? a.radius : b.radius, incident,
                   reference_is_a ? b.radius : a.radius, reference_is_a, margin, manifold))
      return true;
    if (fa.count == 2 && fb.count == 2 && clip_segments(fa, a.radius, fb, b.radius, g, margin, manifold)) return true;
  }
  manifold.normal = g.normal;
  manifold.count = 1;
  manifold.points[0] = {g.on_a, g.on_b, g.distance};
  return true;
}

void ManifoldGatherer::add(const Vec3& normal, const ManifoldPoint& point) {
  constexpr double kAlike = 0.985;  // 10°
  for (std::size_t c = 0; c < used_; ++c)
    if (clusters_[c].normal.dot(normal) > kAlike) {
      clusters_[c].points.push_back(point);
      return;
    }
  if (used_ == clusters_.size()) clusters_.emplace_back();
  clusters_[used_].normal = normal;
  clusters_[used_].points.assign(1, point);
  ++used_;
}

void ManifoldGatherer::finish(std::vector<Manifold>& manifolds) {
  for (std::size_t c = 0; c < used_; ++c) {
    Cluster& cluster = clusters_[c];
    Manifold m;
    m.normal = cluster.normal;
    m.count = keep_four(cluster.normal, cluster.points);
    std::copy_n(cluster.points.begin(), m.count, m.points.begin());
    manifolds.push_back(m);
  }
  used_ = 0;
}

}  // namespace selkie::contact
