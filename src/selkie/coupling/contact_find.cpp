// Where vertices inside tetrahedra or triangles should leave; see contact.h. [Müller08 §3.7 and §3.8; RT-18,
// RT-19]
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "selkie/core/profile.h"
#include "selkie/coupling/contact.h"

namespace selkie::coupling {
namespace {

using geometry::Facing;
using geometry::SurfacePoint;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Shares of a tetrahedron's size: deeper than this a vertex counts as tangled; so far before its start a path
// may have come in; so near at rest two points of one body do not collide but compress; so deep a vertex was
// inside before.
constexpr double kDeep = 0.6, kSlack = 0.1, kNeighbours = 1.8, kOld = 0.1;
constexpr double kAway = 0.3;  // faces that look further away from a vertex are not what it came through

void make_caches(Bodies bodies, ContactWork& work) {
  if (work.bodies.size() == bodies.size()) return;
  work.bodies.assign(bodies.size(), {});
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    ContactWork::Body& cache = work.bodies[i];
    cache.shape = ContactShape(*bodies[i]);
    if (cache.shape.solid())
      cache.tree = geometry::TriangleTree(cache.shape.positions(), cache.shape.faces());
  }
}

void find_normals(const ports::DeformableSolid& body, const ContactShape& shape, std::vector<Vec3>& normals) {
  const std::span<const Vec3> x = shape.positions();
  normals.assign(body.positions().size(), Vec3::Zero());
  for (const auto& [a, b, c] : shape.faces()) {
    const Vec3 area = (x[b] - x[a]).cross(x[c] - x[a]);
    for (const std::uint32_t corner : {a, b, c}) normals[shape.vertex(corner)] += area;
  }
  for (const std::uint32_t v : body.surface_vertices())
    if (const double length = normals[v].norm(); length > 0) normals[v] /= length;
}

// Points to be looked for: the vertices, moved outwards by the thickness where there is an outside.
void find_test_points(const ports::DeformableSolid& body, double thickness, ContactWork::Body& cache) {
  const std::span<const Vec3> x = body.positions();
  cache.test_points.assign(x.begin(), x.end());
  if (thickness == 0 || !cache.shape.solid()) return;
  find_normals(body, cache.shape, cache.normals);
  for (const std::uint32_t v : body.surface_vertices()) cache.test_points[v] += thickness * cache.normals[v];
}

// One vertex in one body, and what it takes to find its way out.
class WayOut {
 public:
  WayOut(Bodies bodies, const ContactWork& work, const geometry::VertexInTet& found)
      : a_(*bodies[found.vertex_body]),
        b_(*bodies[found.tet_body]),
        cache_a_(work.bodies[found.vertex_body]),
        cache_b_(work.bodies[found.tet_body]),
        shape_b_(cache_b_.shape),
        found_(found),
        self_(found.vertex_body == found.tet_body),
        point_(work.views[found.vertex_body].point(found.vertex)) {
    // How the vertex moved relative to the material it is in.
    const geometry::Tet& tet = shape_b_.tets()[found.tet];
    Vec3 carried = Vec3::Zero();
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t v = shape_b_.vertex(tet[static_cast<std::size_t>(k)]);
      carried += found.weights[k] * (b_.positions()[v] - b_.start_positions()[v]);
    }
    moved_ = a_.positions()[found.vertex] - a_.start_positions()[found.vertex] - carried;
  }

  // Back along its path if it came in during this step by a face that looks at it, else against its normal,
  // else to the nearest point of the surface. False where there is none, or where the body is merely
  // squeezed.
  bool find(Contact& contact) const {
    contact.a = found_.vertex_body, contact.vertex = found_.vertex, contact.b = found_.tet_body;
    std::optional<SurfacePoint> path;
    if (const double length = moved_.norm(); length > 1e-9 * shape_b_.size())
      path = ray(-moved_ / length, length + kSlack * shape_b_.size());
    if (path && facing(*path) < (cache_a_.shape.solid() ? -0.5 : 1)) return use(*path, contact);
    const double deep = kDeep * shape_b_.size();
    const Vec3 normal = vertex_normal();
    const auto back = normal.isZero(0) ? std::nullopt : ray(-normal, kInfinity);
    if (back && back->distance <= deep) return use(*back, contact);
    if (path && facing(*path) < kAway) return use(*path, contact);
    const auto nearest = cache_b_.tree.nearest(shape_b_.positions(), point_, kInfinity,
                                               [&](std::uint32_t t) { return counts(t); });
    if (nearest && facing(*nearest) < kAway && (nearest->distance <= deep || !back))
      return use(*nearest, contact);
    if (!back) return nearest && use(*nearest, contact);
    contact.tangled = !self_;
    return use(*back, contact);
  }

  // Out along a direction common to all vertices of the two bodies.
  bool find_along(const Vec3& direction, Contact& contact) const {
    const auto hit = ray(direction, kInfinity);
    if (!hit || !use(*hit, contact)) return false;
    contact.normal = direction;
    contact.depth = contact.start_depth = hit->distance;
    return true;
  }

 private:
  Vec3 vertex_normal() const {  // zero for cloth and ropes, which have no inside
    return cache_a_.shape.solid() ? cache_a_.normals[found_.vertex] : Vec3::Zero();
  }
  // −1 where a face looks at the vertex, 1 where it looks the same way, which is not what the vertex came
  // through. One that slides along a surface meets, at its end, faces across its way: those are not, either.
  double facing(const SurfacePoint& exit) const {
    return shape_b_.face_normal(exit.triangle).dot(vertex_normal());
  }
  bool counts(std::uint32_t triangle) const { return !self_ || !shape_b_.face_has(triangle, found_.vertex); }
  std::optional<SurfacePoint> ray(const Vec3& direction, double reach) const {
    return cache_b_.tree.first_hit(shape_b_.positions(), point_, direction, reach, Facing::along,
                                   [&](std::uint32_t t) { return counts(t); });
  }
  bool use(const SurfacePoint& exit, Contact& contact) const {
    const Foot foot = shape_b_.foot(exit);
    contact.corners = foot.corners;
    contact.weights = foot.weights;
    contact.way_out = exit.point - point_;
    if (shape_b_.flat()) contact.way_out.z() = 0;
    contact.normal = shape_b_.face_normal(exit.triangle);
    if (!contact.normal.allFinite()) return false;
    contact.depth = std::max(0.0, contact.way_out.dot(contact.normal));
    contact.start_depth = contact.depth + moved_.dot(contact.normal);
    if (!self_) return true;
    Vec3 there = Vec3::Zero();
    for (int k = 0; k < 3; ++k)
      there += contact.weights[k] * b_.rest_positions()[contact.corners[static_cast<std::size_t>(k)]];
    return (there - a_.rest_positions()[found_.vertex]).norm() > kNeighbours * shape_b_.size();
  }

  const ports::DeformableSolid &a_, &b_;
  const ContactWork::Body &cache_a_, &cache_b_;
  const ContactShape& shape_b_;
  const geometry::VertexInTet& found_;
  bool self_;
  const Vec3& point_;
  Vec3 moved_;
};

Vec3 center_of(std::span<const Vec3> x) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : x) sum += p;
  return sum / static_cast<double>(x.size());
}

// Unit vector along which b is left by a: what most of the tangled vertices say, else from centre to centre,
// else along the axis of least overlap.
Vec3 way_apart(const ports::DeformableSolid& a, const ports::DeformableSolid& b, double size, bool flat,
               const Vec3& votes, double vote_total) {
  if (votes.norm() > 0.5 * vote_total) return votes.normalized();
  const Vec3 apart = center_of(a.positions()) - center_of(b.positions());
  if (apart.norm() > 1e-3 * size) return apart.normalized();
  const geometry::BoundingBox common =
      geometry::bounding_box(a.positions()).intersection(geometry::bounding_box(b.positions()));
  Vec3 sizes = common.sizes();
  if (flat) sizes.z() = kInfinity;
  int axis = 0;
  sizes.minCoeff(&axis);
  return Vec3::Unit(axis);
}

// Where vertices of two bodies are tangled, those that were inside before, less deep, are led the same way:
// the nearest surface is not what they came through, and would part the bodies in directions that contradict.
void spread_tangles(ContactWork& work) {
  for (std::size_t i = 0; i < work.contacts.size(); ++i) {
    const Contact tangled = work.contacts[i];
    if (!tangled.tangled) continue;
    for (Contact& c : work.contacts) {
      const bool same = (c.a == tangled.a && c.b == tangled.b) || (c.a == tangled.b && c.b == tangled.a);
      if (same && c.start_depth > kOld * work.bodies[c.b].shape.size()) c.tangled = true;
    }
  }
}

// Tangled contacts of two bodies all leave one way: each by its own would pull the bodies to pieces.
void untangle(Bodies bodies, ContactWork& work) {
  spread_tangles(work);
  for (std::size_t i = 0; i < work.contacts.size(); ++i) {
    if (!work.contacts[i].tangled || work.untangled[i] != 0) continue;
    const std::uint32_t low = std::min(work.contacts[i].a, work.contacts[i].b);
    const std::uint32_t high = std::max(work.contacts[i].a, work.contacts[i].b);
    auto is_of_pair = [&](const Contact& c) {
      return c.tangled && std::min(c.a, c.b) == low && std::max(c.a, c.b) == high;
    };
    Vec3 votes = Vec3::Zero();
    double total = 0;
    for (const Contact& c : work.contacts)
      if (is_of_pair(c)) votes += (c.a == high ? 1.0 : -1.0) * c.way_out, total += c.way_out.norm();
    const ContactShape &below = work.bodies[low].shape, &above = work.bodies[high].shape;
    const Vec3 up = way_apart(*bodies[high], *bodies[low], std::max(below.size(), above.size()), below.flat(),
                              votes, total);
    for (std::size_t k = i; k < work.contacts.size(); ++k) {
      Contact& c = work.contacts[k];
      if (!is_of_pair(c)) continue;
      const bool found = WayOut(bodies, work, work.found[k]).find_along(c.a == high ? up : Vec3(-up), c);
      work.untangled[k] = 1;
      if (!found) c.depth = -1;
    }
  }
  std::erase_if(work.contacts, [](const Contact& c) { return c.depth < 0; });
}

// Within one body a cell that is turned inside out says nothing about who is inside whom, nor does one that
// the vertex belongs to.
bool says_nothing(Bodies bodies, const ContactWork& work, const geometry::VertexInTet& f) {
  const ContactShape& shape = work.bodies[f.tet_body].shape;
  return f.vertex_body == f.tet_body &&
         (shape.tet_has(f.tet, f.vertex) || shape.is_turned(*bodies[f.tet_body], f.tet));
}

}  // namespace

bool share_space(const ports::DeformableSolid& a, const ports::DeformableSolid& b) {
  const bool flat = !a.flat_cells().empty();
  if (flat == b.flat_cells().empty()) return false;
  // Nearer planes than this (m) are the same, placed with round-off.
  return !flat || std::abs(a.rest_positions()[0].z() - b.rest_positions()[0].z()) < 1e-6;
}

void find_contacts(Bodies bodies, const ContactParams& params,
                   FunctionRef<bool(std::size_t, std::size_t)> may_touch, ContactWork& work) {
  const ProfileZone zone("contact.find");
  make_caches(bodies, work);
  work.views.clear();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    ContactWork::Body& cache = work.bodies[i];
    cache.touches = false;
    cache.shape.follow(*bodies[i]);
    geometry::TouchingBody view{cache.shape.positions(), bodies[i]->surface_vertices(), cache.shape.tets()};
    if (cache.shape.flat()) view.points = bodies[i]->positions();
    if (params.thickness > 0) {
      find_test_points(*bodies[i], params.thickness, cache);
      view.points = cache.test_points;
    }
    work.views.push_back(view);
  }
  work.contacts.clear(), work.found.clear();
  const std::span<const geometry::VertexInTet> found = work.detector.find(
      work.views,
      [&](std::size_t a, std::size_t b) { return may_touch(a, b) && share_space(*bodies[a], *bodies[b]); });
  for (const geometry::VertexInTet& f : found)
    for (const std::uint32_t i : {f.vertex_body, f.tet_body}) {
      ContactWork::Body& cache = work.bodies[i];
      if (cache.touches) continue;
      cache.touches = true;
      if (!cache.shape.solid()) continue;
      find_normals(*bodies[i], cache.shape, cache.normals);
      cache.tree.refit(cache.shape.positions());
    }
  for (const geometry::VertexInTet& f : found) {
    const bool known = !work.contacts.empty() && work.contacts.back().a == f.vertex_body &&
                       work.contacts.back().vertex == f.vertex && work.contacts.back().b == f.tet_body;
    if (known || says_nothing(bodies, work, f)) continue;
    Contact contact;
    if (!WayOut(bodies, work, f).find(contact)) continue;
    work.contacts.push_back(contact);
    work.found.push_back(f);
  }
  work.untangled.assign(work.contacts.size(), 0);
  untangle(bodies, work);
}

}  // namespace selkie::coupling
