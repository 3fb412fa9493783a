// Any two shapes: which function finds their manifolds. Planes by the face that looks at them, meshes triangle by
// triangle, compounds part by part, closed meshes by the signed distance of points on their surfaces.
#include <algorithm>
#include <cmath>

#include "selkie/contact/manifold.h"

namespace selkie::contact {
namespace {

void flip(std::vector<Manifold>& manifolds, std::size_t first) {
  for (std::size_t k = first; k < manifolds.size(); ++k) {
    manifolds[k].normal = -manifolds[k].normal;
    for (ManifoldPoint& p : manifolds[k].points) std::swap(p.on_a, p.on_b);
  }
}

Pose child_pose(const Pose& pose, const Child& child) {
  return {pose * Vec3(child.pose.translation()), pose.axes * child.pose.linear()};
}

// Convex a on plane b.
void convex_on_plane(const Convex& a, const Pose& plane, double margin, std::vector<Manifold>& manifolds) {
  const Vec3 n = plane.axes.col(1);
  Face face;
  supporting_face(a, -n, face);
  std::array<ManifoldPoint, kMostFacePoints + 1> points;
  std::size_t count = 0;
  auto offer = [&](const Vec3& core) {
    const double height = (core - plane.position).dot(n) - a.radius;
    if (height <= margin) points[count++] = {core - a.radius * n, core - (height + a.radius) * n, height};
  };
  for (int k = 0; k < face.count; ++k) offer(face.points[static_cast<std::size_t>(k)]);
  // A tilted cylinder or a thinned-out face: the lowest point may lie between those of the face.
  if (a.kind == Kind::cylinder || face.count == kMostFacePoints) offer(support(a, -n));
  if (count == 0) return;
  Manifold m;
  m.normal = n;
  m.count = keep_four(n, std::span(points).first(count));
  std::copy_n(points.begin(), m.count, m.points.begin());
  manifolds.push_back(m);
}

struct MeshTriangle {
  Convex convex;
  Vec3 normal;
  std::uint8_t sharp;
};

// Whether the way out of triangle t along `normal` leads over an edge that stands out, and is no artefact of how a
// flat or hollow surface was cut into triangles.
bool leaves_by_sharp_edge(const MeshTriangle& t, const Vec3& normal) {
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 edge = t.convex.corners[(k + 1) % 3] - t.convex.corners[k];
    if ((t.sharp >> k & 1) && normal.dot(edge.cross(t.normal)) > 0) return true;
  }
  return false;
}

void convex_on_triangle(const Convex& a, const MeshTriangle& t, bool two_sided, double margin, Manifold& m) {
  m.count = 0;
  Vec3 facing = t.normal;
  const double side = (a.pose.position - t.convex.corners[0]).dot(t.normal);
  if (side < 0) {
    if (!two_sided) return;
    facing = -facing;
  }
  if (!collide(a, t.convex, margin, m)) return;
  const double along = m.normal.dot(facing);
  if (along > 0.999 || (along > 0.3 && leaves_by_sharp_edge(t, m.normal))) return;
  if (m.points[0].separation > 0 && along < 0.1) {  // seen edge-on, and not touched
    m.count = 0;
    return;
  }
  m.normal = facing;
  for (int k = 0; k < m.count; ++k) {
    ManifoldPoint& p = m.points[static_cast<std::size_t>(k)];
    p.separation = (p.on_a - t.convex.corners[0]).dot(facing);
    p.on_b = p.on_a - p.separation * facing;
  }
}

// Convex a on mesh b.
void convex_on_mesh(const Shape& a, const Pose& pose_a, const Form& mesh, const Pose& pose_b, double margin,
                    std::vector<Manifold>& manifolds) {
  const Convex convex = make_convex(a, pose_a);
  // The box of a in the frame of the mesh.
  const Bounds box = bounds(a, {pose_b.local(pose_a.position), pose_b.axes.transpose() * pose_a.axes});
  const geometry::BoundingBox region(box.low - Vec3::Constant(margin), box.high + Vec3::Constant(margin));
  ManifoldGatherer gatherer;
  mesh.tree.descend([&](const geometry::BoundingBox& b) { return b.intersects(region); },
                    [&](std::uint32_t index) {
                      const geometry::Triangle& corners = mesh.mesh.triangles[index];
                      MeshTriangle t;
                      t.convex = make_triangle(pose_b * mesh.mesh.positions[corners[0]],
                                               pose_b * mesh.mesh.positions[corners[1]],
                                               pose_b * mesh.mesh.positions[corners[2]]);
                      t.normal = (t.convex.corners[1] - t.convex.corners[0])
                                     .cross(t.convex.corners[2] - t.convex.corners[0])
                                     .normalized();
                      t.convex.size = Vec3::Constant(convex.size.minCoeff());
                      t.sharp = mesh.sharp_edges[index];
                      Manifold m;
                      convex_on_triangle(convex, t, mesh.two_sided, margin, m);
                      for (int k = 0; k < m.count; ++k) gatherer.add(m.normal, m.points[static_cast<std::size_t>(k)]);
                    });
  gatherer.finish(manifolds);
}

// Points of the surface of a against the distance field of b; normals point out of b.
void sample(std::span<const Vec3> points, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin,
            bool swapped, ManifoldGatherer& gatherer) {
  const double reach = bounding_radius(b) + margin;
  for (const Vec3& local : points) {
    const Vec3 p = pose_a * local, in_b = pose_b.local(p);
    if (in_b.squaredNorm() > reach * reach) continue;
    const auto d = distance(b, in_b);
    if (d.distance > margin) continue;
    const Vec3 n = pose_b.axes * d.normal, on = p - d.distance * n;
    if (swapped)
      gatherer.add(-n, {on, p, d.distance});
    else
      gatherer.add(n, {p, on, d.distance});
  }
}

void by_distance(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin,
                 std::vector<Manifold>& manifolds) {
  ManifoldGatherer gatherer;
  sample(surface_points(a), pose_a, b, pose_b, margin, false, gatherer);
  if (b.kind != Kind::plane) sample(surface_points(b), pose_b, a, pose_a, margin, true, gatherer);
  gatherer.finish(manifolds);
}

void balls(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin,
           std::vector<Manifold>& manifolds) {
  const Vec3 d = pose_a.position - pose_b.position;
  const double length = d.norm(), apart = length - a.size.x() - b.size.x();
  if (apart > margin) return;
  Manifold m;
  m.normal = length > 0 ? Vec3(d / length) : Vec3(Vec3::UnitY());
  m.count = 1;
  m.points[0] = {pose_a.position - a.size.x() * m.normal, pose_b.position + b.size.x() * m.normal, apart};
  manifolds.push_back(m);
}

}  // namespace

std::vector<Vec3> surface_points(const Shape& shape) {
  if (shape.form) return shape.form->kind == Kind::solid_mesh ? shape.form->samples : shape.form->hull.points;
  return surface_of(shape).positions;
}

void collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin,
             std::vector<Manifold>& manifolds) {
  const std::size_t first = manifolds.size();
  if (a.kind == Kind::compound) {
    for (const Child& child : a.form->children)
      collide(child.shape, child_pose(pose_a, child), b, pose_b, margin, manifolds);
  } else if (b.kind == Kind::compound) {
    collide(b, pose_b, a, pose_a, margin, manifolds);
    flip(manifolds, first);
  } else if (a.kind == Kind::solid_mesh && b.kind == Kind::mesh) {
    Shape hull = a;  // an open mesh has no inside: the hull of the solid stands for it
    hull.kind = Kind::hull;
    convex_on_mesh(hull, pose_a, *b.form, pose_b, margin, manifolds);
  } else if (b.kind == Kind::mesh && is_convex(a.kind)) {
    convex_on_mesh(a, pose_a, *b.form, pose_b, margin, manifolds);
  } else if (b.kind == Kind::plane && is_convex(a.kind)) {
    convex_on_plane(make_convex(a, pose_a), pose_b, margin, manifolds);
  } else if (b.kind == Kind::plane || (b.kind == Kind::solid_mesh && a.kind != Kind::mesh && a.kind != Kind::plane)) {
    by_distance(a, pose_a, b, pose_b, margin, manifolds);
  } else if (!is_convex(a.kind)) {
    collide(b, pose_b, a, pose_a, margin, manifolds);
    flip(manifolds, first);
  } else if (a.kind == Kind::ball && b.kind == Kind::ball) {
    balls(a, pose_a, b, pose_b, margin, manifolds);
  } else {
    Manifold m;
    const bool touch = a.kind == Kind::box && b.kind == Kind::box
                           ? collide_boxes(a.size, pose_a, b.size, pose_b, margin, m)
                           : collide(make_convex(a, pose_a), make_convex(b, pose_b), margin, m);
    if (touch) manifolds.push_back(m);
  }
}

}  // namespace selkie::contact
