// Distance and overlap of convex shapes on the Minkowski difference a − b: the simplex nearest to the origin
// [Gilbert88; Ericson04 §9.5], and where the origin is inside, the expanding polytope [Bergen01].
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "selkie/contact/convex.h"
#include "selkie/math/rotation.h"

namespace selkie::contact {
namespace {

struct Vertex {
  Vec3 w, a, b;  // w = a − b
};

Vertex vertex(const Convex& a, const Convex& b, const Vec3& direction) {
  Vertex v;
  v.a = support(a, direction);
  v.b = support(b, -direction);
  v.w = v.a - v.b;
  return v;
}

// Up to four vertices with the weights of the point nearest to the origin.
struct Simplex {
  std::array<Vertex, 4> v;
  std::array<double, 4> weight{};
  int count = 0;

  Vec3 point() const { return blend([](const Vertex& x) { return x.w; }); }
  template <class Pick>
  Vec3 blend(Pick&& pick) const {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < count; ++k) sum += weight[static_cast<std::size_t>(k)] * pick(v[static_cast<std::size_t>(k)]);
    return sum;
  }
};

Simplex of_point(const Vertex& a) { return {{a, a, a, a}, {1, 0, 0, 0}, 1}; }

Simplex nearest_of_segment(const Vertex& a, const Vertex& b) {
  const Vec3 ab = b.w - a.w;
  const double t = -a.w.dot(ab), length = ab.squaredNorm();
  if (t <= 0 || length == 0) return of_point(a);
  if (t >= length) return of_point(b);
  return {{a, b, a, a}, {1 - t / length, t / length, 0, 0}, 2};
}

// Regions of a triangle seen from the origin. [Ericson04 §5.1.5]
Simplex nearest_of_triangle(const Vertex& a, const Vertex& b, const Vertex& c) {
  const Vec3 ab = b.w - a.w, ac = c.w - a.w;
  const double d1 = -ab.dot(a.w), d2 = -ac.dot(a.w);
  if (d1 <= 0 && d2 <= 0) return of_point(a);
  const double d3 = -ab.dot(b.w), d4 = -ac.dot(b.w);
  if (d3 >= 0 && d4 <= d3) return of_point(b);
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return nearest_of_segment(a, b);
  const double d5 = -ab.dot(c.w), d6 = -ac.dot(c.w);
  if (d6 >= 0 && d5 <= d6) return of_point(c);
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return nearest_of_segment(a, c);
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return nearest_of_segment(b, c);
  const double sum = va + vb + vc;
  if (!(sum > 0)) return nearest_of_segment(a, b);
  return {{a, b, c, a}, {va / sum, vb / sum, vc / sum, 0}, 3};
}

// count 4: the origin is inside.
Simplex nearest_of_tet(const Simplex& s) {
  Simplex best;
  double least = std::numeric_limits<double>::infinity();
  bool outside = false;
  constexpr std::array<std::array<std::size_t, 4>, 4> kFaces{{{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}}};
  for (const auto& f : kFaces) {
    const Vec3& p = s.v[f[0]].w;
    const Vec3 n = (s.v[f[1]].w - p).cross(s.v[f[2]].w - p);
    const double origin = -p.dot(n), inner = (s.v[f[3]].w - p).dot(n);
    // A flat tetrahedron has no inside: all its faces count.
    if (origin * inner > 0 && std::abs(inner) > 1e-12 * n.norm() * (s.v[f[3]].w - p).norm()) continue;
    outside = true;
    const Simplex candidate = nearest_of_triangle(s.v[f[0]], s.v[f[1]], s.v[f[2]]);
    if (const double d = candidate.point().squaredNorm(); d < least) least = d, best = candidate;
  }
  if (!outside) return s;
  return best;
}

Simplex nearest(const Simplex& s) {
  switch (s.count) {
    case 1: return of_point(s.v[0]);
    case 2: return nearest_of_segment(s.v[0], s.v[1]);
    case 3: return nearest_of_triangle(s.v[0], s.v[1], s.v[2]);
    default: return nearest_of_tet(s);
  }
}

struct PolytopeFace {
  std::array<int, 3> corners;
  Vec3 normal;
  double distance;
};

// The convex body spanned by vertices found so far, origin inside; faces look outwards.
struct Polytope {
  static constexpr int kMostVertices = 64, kMostFaces = 160;
  std::array<Vertex, kMostVertices> vertices;
  std::array<PolytopeFace, kMostFaces> faces;
  int vertex_count = 0, face_count = 0;

  const Vec3& w(int i) const { return vertices[static_cast<std::size_t>(i)].w; }
  PolytopeFace& face(int f) { return faces[static_cast<std::size_t>(f)]; }
  bool add_face(int a, int b, int c) {
    if (face_count == kMostFaces) return false;
    Vec3 n = (w(b) - w(a)).cross(w(c) - w(a));
    const double length = n.norm();
    if (!(length > 0)) return false;
    n /= length;
    face(face_count++) = {{a, b, c}, n, n.dot(w(a))};
    return true;
  }
  int nearest_face() {
    int best = 0;
    for (int f = 1; f < face_count; ++f)
      if (face(f).distance < face(best).distance) best = f;
    return best;
  }
  // Replaces all faces that see the new vertex by a fan over their rim.
  bool grow(const Vertex& v) {
    if (vertex_count == kMostVertices) return false;
    std::array<std::pair<int, int>, 3 * kMostFaces> rim;
    int edges = 0;
    const int apex = vertex_count;
    vertices[static_cast<std::size_t>(vertex_count++)] = v;
    for (int f = face_count; f-- > 0;) {
      if (face(f).normal.dot(v.w) - face(f).distance <= 0) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::pair<int, int> edge{face(f).corners[k], face(f).corners[(k + 1) % 3]};
        const auto end = rim.begin() + edges;
        const auto twin = std::find(rim.begin(), end, std::pair{edge.second, edge.first});
        if (twin != end)
          *twin = rim[static_cast<std::size_t>(--edges)];
        else
          rim[static_cast<std::size_t>(edges++)] = edge;
      }
      face(f) = face(--face_count);
    }
    for (int e = 0; e < edges; ++e)
      if (!add_face(rim[static_cast<std::size_t>(e)].first, rim[static_cast<std::size_t>(e)].second, apex)) return false;
    return face_count > 0;
  }
};

// A tetrahedron around the origin (or nearly) from whatever simplex the distance search ended with.
bool make_tet(const Convex& a, const Convex& b, Simplex& s) {
  auto volume = [&] {
    return (s.v[1].w - s.v[0].w).cross(s.v[2].w - s.v[0].w).dot(s.v[3].w - s.v[0].w);
  };
  const double size = 1e-9 * (a.size.norm() + b.size.norm());
  auto try_add = [&](const Vec3& direction) {
    for (const double side : {1.0, -1.0}) {
      const Vertex v = vertex(a, b, side * direction);
      const Vec3 d = v.w - s.v[0].w;
      bool grows = d.norm() > size;
      if (s.count == 2) grows = d.cross(s.v[1].w - s.v[0].w).norm() > size * size;
      if (s.count == 3)
        grows = std::abs((s.v[1].w - s.v[0].w).cross(s.v[2].w - s.v[0].w).normalized().dot(d)) > size;
      if (!grows) continue;
      s.v[static_cast<std::size_t>(s.count++)] = v;
      return true;
    }
    return false;
  };
  if (s.count == 1 && !try_add(Vec3::UnitX()) && !try_add(Vec3::UnitY()) && !try_add(Vec3::UnitZ())) return false;
  if (s.count == 2) {
    const Vec3 n = any_perpendicular((s.v[1].w - s.v[0].w).normalized());
    if (!try_add(n) && !try_add(n.cross((s.v[1].w - s.v[0].w).normalized()))) return false;
  }
  if (s.count == 3 && !try_add((s.v[1].w - s.v[0].w).cross(s.v[2].w - s.v[0].w).normalized())) return false;
  if (volume() > 0) std::swap(s.v[0], s.v[1]);
  return volume() != 0;
}

// The cores overlap: the face of a − b nearest to the origin is the shortest way out.
Gap penetration(const Convex& a, const Convex& b, Simplex s) {
  Gap result;
  if (!make_tet(a, b, s)) {  // flat cores that cross: leave along the normal of the flat one
    const Vec3 between = a.pose.position - b.pose.position;
    result.normal = between.norm() > 0 ? Vec3(between.normalized()) : Vec3(Vec3::UnitY());
    for (const Convex* c : {&a, &b})
      if (c->kind == Kind::triangle) {
        const Vec3 n = (c->corners[1] - c->corners[0]).cross(c->corners[2] - c->corners[0]).normalized();
        result.normal = n.dot(between) >= 0 ? n : Vec3(-n);
      }
    result.on_a = s.v[0].a, result.on_b = s.v[0].b;
    return result;
  }
  Polytope hull;
  for (std::size_t k = 0; k < 4; ++k) hull.vertices[k] = s.v[k];
  hull.vertex_count = 4;
  hull.add_face(0, 1, 2), hull.add_face(0, 3, 1), hull.add_face(0, 2, 3), hull.add_face(1, 3, 2);
  const double tolerance = 1e-6 * (a.size.minCoeff() + b.size.minCoeff());
  PolytopeFace best = hull.face(hull.nearest_face());
  for (int n = 0; n < Polytope::kMostVertices - 4; ++n) {
    best = hull.face(hull.nearest_face());
    const Vertex v = vertex(a, b, best.normal);
    if (v.w.dot(best.normal) - best.distance <= tolerance) break;
    if (!hull.grow(v)) break;
  }
  // Weights of the nearest point of the face give the points on the shapes.
  auto corner = [&](std::size_t k) { return hull.vertices[static_cast<std::size_t>(best.corners[k])]; };
  const Simplex on = nearest_of_triangle(corner(0), corner(1), corner(2));
  result.distance = -std::max(0.0, best.distance);
  result.normal = -best.normal;
  result.on_a = on.blend([](const Vertex& x) { return x.a; });
  result.on_b = on.blend([](const Vertex& x) { return x.b; });
  return result;
}

Gap core_gap(const Convex& a, const Convex& b, double limit) {
  Vec3 v = a.pose.position - b.pose.position;
  if (!(v.squaredNorm() > 0)) v = Vec3::UnitX();
  Simplex s = of_point(vertex(a, b, -v));
  v = s.point();
  const double tiny = 1e-10 * (a.size.norm() + b.size.norm());
  for (int n = 0; n < 64; ++n) {
    const double length2 = v.squaredNorm();
    if (length2 <= tiny * tiny) return penetration(a, b, s);
    const Vertex next = vertex(a, b, -v);
    const double bound = v.dot(next.w);
    if (bound > 0 && bound * bound > limit * limit * length2) {  // further apart than anyone asks
      Gap far;
      far.distance = bound / std::sqrt(length2);
      far.normal = v / std::sqrt(length2);
      far.on_a = next.a, far.on_b = next.b;
      return far;
    }
    bool known = length2 - bound <= 1e-10 * length2;
    for (int k = 0; k < s.count; ++k) known = known || s.v[static_cast<std::size_t>(k)].w == next.w;
    if (known) break;
    s.v[static_cast<std::size_t>(s.count++)] = next;
    s = nearest(s);
    if (s.count == 4) return penetration(a, b, s);
    const Vec3 closer = s.point();
    if (!(closer.squaredNorm() < length2)) break;  // round-off: no progress left
    v = closer;
  }
  Gap result;
  result.distance = v.norm();
  if (result.distance <= tiny) return penetration(a, b, s);
  result.normal = v / result.distance;
  result.on_a = s.blend([](const Vertex& x) { return x.a; });
  result.on_b = s.blend([](const Vertex& x) { return x.b; });
  return result;
}

}  // namespace

Gap gap(const Convex& a, const Convex& b, double limit) {
  Gap g = core_gap(a, b, std::max(0.0, limit) + a.radius + b.radius);
  g.distance -= a.radius + b.radius;
  g.on_a -= a.radius * g.normal;
  g.on_b += b.radius * g.normal;
  return g;
}

}  // namespace selkie::contact
