// Balls, cylinders, rings and shells. Surfaces of revolution come from one profile walked from pole to pole.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/core/check.h"
#include "selkie/geometry/detail/generator_input.h"
#include "selkie/geometry/shape_choice.h"

namespace selkie::geometry {
namespace {

// Right-handed: side × up = axis.
struct AxisFrame {
  Vec3 origin, axis, side, up;
  AxisFrame(const Vec3& origin_, const Vec3& direction) : origin(origin_), axis(direction.normalized()) {
    side = axis.unitOrthogonal();
    up = axis.cross(side);
  }
  Vec3 point(double radius, double height, double angle) const {
    return origin + height * axis + radius * (std::cos(angle) * side + std::sin(angle) * up);
  }
};

double turn(int i, int n) { return 2 * std::numbers::pi * i / n; }

struct ProfilePoint {
  double radius, height;
};

void add_quad(TriangleMesh& mesh, std::uint32_t p, std::uint32_t q, std::uint32_t r, std::uint32_t s) {
  mesh.triangles.push_back({p, q, r});
  mesh.triangles.push_back({p, r, s});
}

// Turns a profile, rising along the axis, about it; its first and last point lie on the axis (the poles).
TriangleMesh revolve(const AxisFrame& frame, const std::vector<ProfilePoint>& profile, int around) {
  TriangleMesh mesh;
  const auto n = static_cast<std::uint32_t>(around);
  const auto rings = static_cast<std::uint32_t>(profile.size() - 2);
  mesh.positions.push_back(frame.point(0, profile.front().height, 0));
  for (std::uint32_t ring = 0; ring < rings; ++ring)
    for (int k = 0; k < around; ++k)
      mesh.positions.push_back(
          frame.point(profile[ring + 1].radius, profile[ring + 1].height, turn(k, around)));
  mesh.positions.push_back(frame.point(0, profile.back().height, 0));

  const std::uint32_t last = 1 + rings * n;
  auto vertex = [n](std::uint32_t ring, std::uint32_t k) { return 1 + ring * n + k % n; };
  for (std::uint32_t k = 0; k < n; ++k) mesh.triangles.push_back({0, vertex(0, k + 1), vertex(0, k)});
  for (std::uint32_t ring = 0; ring + 1 < rings; ++ring)
    for (std::uint32_t k = 0; k < n; ++k)
      add_quad(mesh, vertex(ring, k), vertex(ring, k + 1), vertex(ring + 1, k + 1), vertex(ring + 1, k));
  for (std::uint32_t k = 0; k < n; ++k)
    mesh.triangles.push_back({vertex(rings - 1, k), vertex(rings - 1, k + 1), last});
  return mesh;
}

struct Icosahedron {
  std::array<Vec3, 12> corners;
  std::array<Triangle, 20> faces;
};

// Two poles and two rings of five, the rings turned against each other by half a step.
Icosahedron icosahedron() {
  Icosahedron ico;
  const double height = 1 / std::sqrt(5.0), radius = 2 / std::sqrt(5.0);
  const AxisFrame frame(Vec3::Zero(), Vec3::UnitY());
  ico.corners[0] = frame.point(0, -1, 0);
  ico.corners[11] = frame.point(0, 1, 0);
  for (int k = 0; k < 5; ++k) {
    ico.corners[static_cast<std::size_t>(1 + k)] = frame.point(radius, -height, turn(2 * k, 10));
    ico.corners[static_cast<std::size_t>(6 + k)] = frame.point(radius, height, turn(2 * k + 1, 10));
  }
  for (std::uint32_t k = 0; k < 5; ++k) {
    const std::uint32_t low = 1 + k, next_low = 1 + (k + 1) % 5, high = 6 + k, next_high = 6 + (k + 1) % 5;
    ico.faces[4 * k] = {0, next_low, low};
    ico.faces[4 * k + 1] = {low, next_low, high};
    ico.faces[4 * k + 2] = {next_low, next_high, high};
    ico.faces[4 * k + 3] = {high, next_high, 11};
  }
  return ico;
}

// Splits each face into n² triangles and pushes the new vertices out to the unit sphere. Vertices: the 12
// corners, n-1 per edge, then the inner ones face by face; so each exists once without any welding.
class GeodesicSphere {
 public:
  explicit GeodesicSphere(int divisions)
      : n_(static_cast<std::uint32_t>(divisions)), ico_(icosahedron()), edges_(unique_edges(ico_.faces)) {
    for (const Vec3& corner : ico_.corners) mesh_.positions.push_back(corner.normalized());
    for (const Segment& edge : edges_)
      for (std::uint32_t t = 1; t < n_; ++t)
        add_point((n_ - t) * ico_.corners[edge[0]] + t * ico_.corners[edge[1]]);
    for (const Triangle& face : ico_.faces) split(face);
  }
  TriangleMesh take() { return std::move(mesh_); }

 private:
  void add_point(const Vec3& direction) { mesh_.positions.push_back(direction.normalized()); }

  // Vertex t steps (0 < t < n) from corner a on the way to corner b.
  std::uint32_t on_edge(std::uint32_t a, std::uint32_t b, std::uint32_t t) const {
    const Segment edge = {std::min(a, b), std::max(a, b)};
    const auto at = std::lower_bound(edges_.begin(), edges_.end(), edge);
    const auto index = static_cast<std::uint32_t>(at - edges_.begin());
    return 12 + index * (n_ - 1) + (a < b ? t : n_ - t) - 1;
  }

  // Lattice point with weights (n-i-j, i, j) of the face's corners.
  std::uint32_t vertex(const Triangle& face, std::uint32_t inner_begin, std::uint32_t i,
                       std::uint32_t j) const {
    if (i == 0 && j == 0) return face[0];
    if (i == n_) return face[1];
    if (j == n_) return face[2];
    if (j == 0) return on_edge(face[0], face[1], i);
    if (i == 0) return on_edge(face[0], face[2], j);
    if (i + j == n_) return on_edge(face[1], face[2], j);
    // Rows j = 1, 2, … hold n-2, n-3, … inner points.
    return inner_begin + (j - 1) * (n_ - 2) - (j - 1) * (j - 2) / 2 + i - 1;
  }

  void split(const Triangle& face) {
    const auto inner_begin = static_cast<std::uint32_t>(mesh_.positions.size());
    for (std::uint32_t j = 1; j < n_; ++j)
      for (std::uint32_t i = 1; i + j < n_; ++i)
        add_point((n_ - i - j) * ico_.corners[face[0]] + i * ico_.corners[face[1]] +
                  j * ico_.corners[face[2]]);
    for (std::uint32_t j = 0; j < n_; ++j)
      for (std::uint32_t i = 0; i + j < n_; ++i) {
        const std::uint32_t p = vertex(face, inner_begin, i, j), q = vertex(face, inner_begin, i + 1, j),
                            s = vertex(face, inner_begin, i, j + 1);
        mesh_.triangles.push_back({p, q, s});
        if (i + j + 2 <= n_) mesh_.triangles.push_back({q, vertex(face, inner_begin, i + 1, j + 1), s});
      }
  }

  std::uint32_t n_;
  Icosahedron ico_;
  std::vector<Segment> edges_;
  TriangleMesh mesh_;
};

TriangleMesh geodesic_sphere(const Vec3& center, double radius, int divisions) {
  TriangleMesh mesh = GeodesicSphere(divisions).take();
  for (Vec3& position : mesh.positions) position = center + radius * position;
  return mesh;
}

}  // namespace

TriangleMesh ball_surface(const BallShape& shape) {
  detail::require(shape);
  const auto [around, rows] = shape.divisions;
  std::vector<ProfilePoint> profile;
  for (int j = 0; j <= rows; ++j) {
    const double angle = std::numbers::pi * j / rows;
    profile.push_back({shape.radius * std::sin(angle), -shape.radius * std::cos(angle)});
  }
  return revolve(AxisFrame(shape.center, Vec3::UnitY()), profile, around);
}

TriangleMesh icosphere(const IcosphereShape& shape) {
  detail::require(shape);
  return geodesic_sphere(shape.center, shape.radius, shape.divisions);
}

TriangleMesh cylinder_surface(const CylinderShape& shape) {
  detail::require(shape);
  const Vec3 along = shape.end - shape.start;
  const double length = along.norm();
  std::vector<ProfilePoint> profile;
  for (int ring = 0; ring <= shape.rings; ++ring) profile.push_back({shape.radius * ring / shape.rings, 0});
  for (int j = 1; j <= shape.along; ++j) profile.push_back({shape.radius, length * j / shape.along});
  for (int ring = shape.rings - 1; ring >= 0; --ring)
    profile.push_back({shape.radius * ring / shape.rings, length});
  return revolve(AxisFrame(shape.start, along), profile, shape.around);
}

TriangleMesh torus_surface(const TorusShape& shape) {
  detail::require(shape);
  const auto [around, tube] = shape.divisions;
  const AxisFrame frame(shape.center, shape.axis);
  TriangleMesh mesh;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < tube; ++j)
      mesh.positions.push_back(frame.point(shape.major_radius + shape.minor_radius * std::cos(turn(j, tube)),
                                           shape.minor_radius * std::sin(turn(j, tube)), turn(i, around)));
  auto vertex = [around = around, tube = tube](int i, int j) {
    return static_cast<std::uint32_t>(i % around * tube + j % tube);
  };
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < tube; ++j)
      add_quad(mesh, vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1));
  return mesh;
}

TriangleMesh shell_surface(const ShellShape& shape) {
  detail::require(shape);
  TriangleMesh mesh = geodesic_sphere(shape.center, shape.radius, shape.divisions);
  const TriangleMesh inner = geodesic_sphere(shape.center, shape.radius - shape.thickness, shape.divisions);
  const auto first_inner = static_cast<std::uint32_t>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), inner.positions.begin(), inner.positions.end());
  for (const Triangle& t : inner.triangles)
    mesh.triangles.push_back({first_inner + t[0], first_inner + t[2], first_inner + t[1]});
  return mesh;
}

TriangleMesh make_surface(const SurfaceShape& shape) {
  if (shape.sheet) return sheet(*shape.sheet);
  if (shape.box) return box_surface(*shape.box);
  if (shape.ball) return ball_surface(*shape.ball);
  if (shape.icosphere) return icosphere(*shape.icosphere);
  if (shape.cylinder) return cylinder_surface(*shape.cylinder);
  if (shape.torus) return torus_surface(*shape.torus);
  if (shape.shell) return shell_surface(*shape.shell);
  SELKIE_CHECK(shape.creature, "exactly one shape must be set");
  return creature(*shape.creature);
}

}  // namespace selkie::geometry
