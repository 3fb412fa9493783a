// Sheets, boxes, chains and tetrahedral boxes: shapes whose vertices sit on a lattice.
#include "selkie/geometry/generators.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "selkie/core/error.h"
#include "selkie/geometry/detail/generator_input.h"

namespace selkie::geometry {
namespace {

// i of n equal steps from a to b; both ends exact, so that neighbouring shapes meet.
double step_between(double a, double b, int i, int n) { return i == n ? b : a + (b - a) * i / n; }

// The six ways to walk a cell's three axes, each a tet around the diagonal [Kuhn60]; odd ones are mirrored.
struct KuhnPath {
  std::array<int, 3> axes;
  bool odd;
};
constexpr std::array<KuhnPath, 6> kKuhnPaths = {{{{0, 1, 2}, false},
                                                 {{1, 2, 0}, false},
                                                 {{2, 0, 1}, false},
                                                 {{0, 2, 1}, true},
                                                 {{2, 1, 0}, true},
                                                 {{1, 0, 2}, true}}};

// A dense lattice of (n+1)³ vertices with six tets per cell. `step(cell, axis)` is +1 where cells are walked
// upwards along the axis and -1 where they are walked downwards: the walk starts at the opposite corner then.
template <class Step>
std::vector<Tet> kuhn_tets(const std::array<int, 3>& cells, Step&& step) {
  const std::array<std::int64_t, 3> stride = {1, cells[0] + 1,
                                              static_cast<std::int64_t>(cells[0] + 1) * (cells[1] + 1)};
  std::vector<Tet> tets;
  tets.reserve(static_cast<std::size_t>(cells[0]) * static_cast<std::size_t>(cells[1]) *
               static_cast<std::size_t>(cells[2]) * 6);
  std::array<int, 3> cell;
  for (cell[2] = 0; cell[2] < cells[2]; ++cell[2])
    for (cell[1] = 0; cell[1] < cells[1]; ++cell[1])
      for (cell[0] = 0; cell[0] < cells[0]; ++cell[0]) {
        std::int64_t start = 0;
        bool mirrored = false;
        std::array<int, 3> direction;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          direction[axis] = step(cell[axis], axis);
          start += stride[axis] * (cell[axis] + (direction[axis] > 0 ? 0 : 1));
          mirrored ^= direction[axis] < 0;
        }
        for (const KuhnPath& path : kKuhnPaths) {
          Tet tet;
          std::int64_t vertex = start;
          tet[0] = static_cast<std::uint32_t>(vertex);
          for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<std::size_t>(path.axes[k]);
            vertex += stride[axis] * direction[axis];
            tet[k + 1] = static_cast<std::uint32_t>(vertex);
          }
          if (path.odd != mirrored) std::swap(tet[2], tet[3]);
          tets.push_back(tet);
        }
      }
  return tets;
}

// Numbers lattice points of the box's surface in the order in which faces first meet them.
class BoxSurface {
 public:
  explicit BoxSurface(const BoxShape& shape) : shape_(shape) {}

  // The face where coordinate `axis` has lattice value `level`; its normal points along ±axis.
  void add_face(std::size_t axis, int level) {
    const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
    const bool upper = level > 0;
    for (int j = 0; j < shape_.divisions[b]; ++j)
      for (int i = 0; i < shape_.divisions[a]; ++i) {
        auto corner = [&](int di, int dj) {
          std::array<int, 3> at;
          at[axis] = level, at[a] = i + di, at[b] = j + dj;
          return vertex(at);
        };
        const std::uint32_t p = corner(0, 0), q = corner(1, 0), r = corner(1, 1), s = corner(0, 1);
        if (upper)
          mesh_.triangles.insert(mesh_.triangles.end(), {Triangle{p, q, r}, Triangle{p, r, s}});
        else
          mesh_.triangles.insert(mesh_.triangles.end(), {Triangle{p, r, q}, Triangle{p, s, r}});
      }
  }
  TriangleMesh take() { return std::move(mesh_); }

 private:
  std::uint32_t vertex(const std::array<int, 3>& at) {
    const auto& n = shape_.divisions;
    const std::uint64_t key = (static_cast<std::uint64_t>(at[2]) * static_cast<std::uint64_t>(n[1] + 1) +
                               static_cast<std::uint64_t>(at[1])) *
                                  static_cast<std::uint64_t>(n[0] + 1) +
                              static_cast<std::uint64_t>(at[0]);
    const auto [found, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size()));
    if (is_new) {
      Vec3 position;
      for (int k = 0; k < 3; ++k) {
        const auto c = static_cast<std::size_t>(k);
        position[k] = step_between(shape_.min[k], shape_.max[k], at[c], n[c]);
      }
      mesh_.positions.push_back(position);
    }
    return found->second;
  }

  const BoxShape& shape_;
  TriangleMesh mesh_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

}  // namespace

TriangleMesh sheet(const SheetShape& shape) {
  detail::require(shape);
  const auto [nu, nv] = shape.divisions;
  const Vec3 u = shape.u.normalized(), v = shape.v.normalized();
  TriangleMesh mesh;
  for (int j = 0; j <= nv; ++j)
    for (int i = 0; i <= nu; ++i)
      mesh.positions.push_back(shape.center + step_between(-0.5, 0.5, i, nu) * shape.size[0] * u +
                               step_between(-0.5, 0.5, j, nv) * shape.size[1] * v);
  auto vertex = [nu = nu](int i, int j) { return static_cast<std::uint32_t>(i + j * (nu + 1)); };
  for (int j = 0; j < nv; ++j)
    for (int i = 0; i < nu; ++i) {
      const std::uint32_t p = vertex(i, j), q = vertex(i + 1, j), r = vertex(i + 1, j + 1),
                          s = vertex(i, j + 1);
      // [HY-25] herringbone: the diagonal alternates by parity.
      if (shape.pattern == SheetPattern::herringbone && (i + j) % 2 != 0)
        mesh.triangles.insert(mesh.triangles.end(), {Triangle{p, q, s}, Triangle{q, r, s}});
      else
        mesh.triangles.insert(mesh.triangles.end(), {Triangle{p, q, r}, Triangle{p, r, s}});
    }
  return mesh;
}

TriangleMesh box_surface(const BoxShape& shape) {
  detail::require(shape);
  BoxSurface surface(shape);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    surface.add_face(axis, 0);
    surface.add_face(axis, shape.divisions[axis]);
  }
  return surface.take();
}

SegmentMesh chain(const ChainShape& shape) {
  detail::require(shape);
  SegmentMesh mesh;
  for (int i = 0; i <= shape.segments; ++i) {
    Vec3 position;
    for (int k = 0; k < 3; ++k) position[k] = step_between(shape.start[k], shape.end[k], i, shape.segments);
    mesh.positions.push_back(position);
  }
  for (std::uint32_t i = 0; i + 1 < mesh.positions.size(); ++i) mesh.segments.push_back({i, i + 1});
  return mesh;
}

TetMesh tet_box(const BoxShape& shape) {
  detail::require(shape);
  for (const Problem& problem : validate_solid(shape))
    throw InputError("'shape." + problem.member + "' " + problem.text, problem.remedy);
  const auto [nx, ny, nz] = shape.divisions;
  TetMesh mesh;
  for (int k = 0; k <= nz; ++k)
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i)
        mesh.positions.emplace_back(step_between(shape.min.x(), shape.max.x(), i, nx),
                                    step_between(shape.min.y(), shape.max.y(), j, ny),
                                    step_between(shape.min.z(), shape.max.z(), k, nz));
  mesh.tets = kuhn_tets(shape.divisions, [](int, std::size_t) { return 1; });
  return mesh;
}

TetMesh tet_ball(const TetBallShape& shape) {
  detail::require(shape);
  const int n = shape.divisions;
  TetMesh mesh;
  // Each concentric cube becomes the sphere it touches: p ↦ p |p|∞ / |p|.
  for (int k = -n; k <= n; ++k)
    for (int j = -n; j <= n; ++j)
      for (int i = -n; i <= n; ++i) {
        const Vec3 p = Vec3(i, j, k) / n;
        const double size = p.norm();
        const double stretch = size > 0 ? p.cwiseAbs().maxCoeff() / size : 0.0;
        mesh.positions.push_back(shape.center + shape.radius * stretch * p);
      }
  // Diagonals point away from the middle in every octant: the creases of the map (|x| = |y| and the like) are
  // then faces of the mesh, and no tet has all corners on the sphere, which would flatten it.
  mesh.tets = kuhn_tets({2 * n, 2 * n, 2 * n}, [n](int cell, std::size_t) { return cell < n ? -1 : 1; });
  return mesh;
}

TetMesh tet_torus(const TetTorusShape& shape) {
  detail::require(shape);
  const auto [around, n] = shape.divisions;
  const Vec3 axis = shape.axis.normalized(), side = axis.unitOrthogonal(), up = axis.cross(side);
  TetMesh mesh;
  // Cross-sections are squares whose concentric rings become circles; along (turn, height, radius) the frame
  // is right-handed.
  for (int k = -n; k <= n; ++k)
    for (int j = -n; j <= n; ++j)
      for (int i = 0; i < around; ++i) {
        const Vec2 p = Vec2(j, k) / n;
        const double size = p.norm();
        const Vec2 q =
            size > 0 ? Vec2(shape.minor_radius * p.cwiseAbs().maxCoeff() / size * p) : Vec2::Zero();
        const double angle = 2 * std::numbers::pi * i / around;
        const Vec3 outwards = std::cos(angle) * side + std::sin(angle) * up;
        mesh.positions.push_back(shape.center + q[0] * axis + (shape.major_radius + q[1]) * outwards);
      }
  // As for the ball; the last cross-section is the first.
  mesh.tets = kuhn_tets({around, 2 * n, 2 * n},
                        [n = n](int cell, std::size_t a) { return a > 0 && cell < n ? -1 : 1; });
  const auto row = static_cast<std::uint32_t>(around);
  for (Tet& tet : mesh.tets)
    for (std::uint32_t& v : tet) v = v / (row + 1) * row + v % (row + 1) % row;
  return mesh;
}

}  // namespace selkie::geometry
