// See sampling.h.
#include "selkie/geometry/tetrahedra/sampling.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/geometry/detail/bcc_lattice.h"

namespace selkie::geometry {
namespace {

// Accepts points that keep a distance from all accepted before; a hash grid of that distance's size.
class SpacedPoints {
 public:
  explicit SpacedPoints(double distance) : distance_(distance) {}

  bool add(const Vec3& p) {
    const std::array<std::int64_t, 3> cell = cell_of(p);
    for (std::int64_t k = -1; k <= 1; ++k)
      for (std::int64_t j = -1; j <= 1; ++j)
        for (std::int64_t i = -1; i <= 1; ++i) {
          const auto found = cells_.find(key({cell[0] + i, cell[1] + j, cell[2] + k}));
          if (found == cells_.end()) continue;
          for (const std::uint32_t other : found->second)
            if ((points_[other] - p).squaredNorm() < distance_ * distance_) return false;
        }
    cells_[key(cell)].push_back(static_cast<std::uint32_t>(points_.size()));
    points_.push_back(p);
    return true;
  }
  std::size_t size() const { return points_.size(); }
  std::vector<Vec3> take() { return std::move(points_); }

 private:
  std::array<std::int64_t, 3> cell_of(const Vec3& p) const {
    return {static_cast<std::int64_t>(std::floor(p.x() / distance_)),
            static_cast<std::int64_t>(std::floor(p.y() / distance_)),
            static_cast<std::int64_t>(std::floor(p.z() / distance_))};
  }
  // Cells that share a key only cost time.
  static std::uint64_t key(const std::array<std::int64_t, 3>& c) {
    return random_bits(static_cast<std::uint64_t>(c[0]), static_cast<std::uint64_t>(c[1]),
                       static_cast<std::uint64_t>(c[2]));
  }

  double distance_;
  std::vector<Vec3> points_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;
};

// Edges where the surface turns by more than 40 degrees.
std::vector<Segment> sharp_edges(const TriangleMesh& mesh) {
  std::vector<Segment> sharp;
  auto normal = [&](std::uint32_t t) -> Vec3 {
    const auto& [a, b, c] = mesh.triangles[t];
    return (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]).normalized();
  };
  for (const EdgePair& pair : edge_pairs(mesh.triangles))
    if (normal(pair.triangles[0]).dot(normal(pair.triangles[1])) < std::cos(40 * std::numbers::pi / 180))
      sharp.push_back(pair.edge);
  return sharp;
}

// Vertices where other than two sharp edges meet, then points along the sharp edges.
void sample_features(const TriangleMesh& mesh, double spacing, SpacedPoints& points) {
  const std::vector<Segment> sharp = sharp_edges(mesh);
  std::vector<int> degree(mesh.positions.size(), 0);
  for (const Segment& edge : sharp)
    for (const std::uint32_t vertex : edge) ++degree[vertex];
  for (std::size_t v = 0; v < degree.size(); ++v)
    if (degree[v] != 0 && degree[v] != 2) points.add(mesh.positions[v]);
  for (const Segment& edge : sharp) {
    const Vec3 &a = mesh.positions[edge[0]], &b = mesh.positions[edge[1]];
    const int parts = std::max(1, static_cast<int>(std::ceil(4 * (b - a).norm() / spacing)));
    for (int i = 0; i <= parts; ++i) points.add(a + (b - a) * i / parts);
  }
}

// Candidates by area, many more than fit.
void sample_faces(const TriangleMesh& mesh, double spacing, SpacedPoints& points) {
  constexpr double kCandidates = 24;  // per square of the spacing
  RandomStream random(0x5a3b, 1);
  double carried = 0;  // share of a candidate left over by the triangles before
  for (const Triangle& t : mesh.triangles) {
    const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
    carried += kCandidates * triangle_area(a, b, c) / (spacing * spacing);
    for (; carried >= 1; carried -= 1) {
      const double root = std::sqrt(random.uniform()), along = random.uniform();  // even over the triangle
      points.add((1 - root) * a + root * (1 - along) * b + root * along * c);
    }
  }
}

std::vector<Vec3> sample_interior(const ClosedSurface& surface, double spacing) {
  const BoundingBox& box = surface.box();
  detail::BccLattice lattice{box.min(), spacing / 2, {}};
  for (std::size_t k = 0; k < 3; ++k)
    lattice.cubes[k] = static_cast<int>(std::ceil(box.sizes()[static_cast<Eigen::Index>(k)] / spacing));
  std::vector<Vec3> points(lattice.point_count());
  std::vector<std::uint8_t> keep(points.size(), 0);
  parallel_for(
      points.size(),
      [&](std::size_t i) {
        // A little jitter: regular points are cospherical, which costs the predicates time and leaves flat
        // tets.
        const double jitter = 0.02 * spacing;
        points[i] = lattice.position(lattice.point(i)) + jitter * Vec3(random_uniform(0x1a77, i, 0) - 0.5,
                                                                       random_uniform(0x1a77, i, 1) - 0.5,
                                                                       random_uniform(0x1a77, i, 2) - 0.5);
        keep[i] = surface.signed_distance(points[i], spacing) >= 0.5 * spacing;
      },
      256);
  std::vector<Vec3> kept;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (keep[i]) kept.push_back(points[i]);
  return kept;
}

}  // namespace

SolidSamples sample_solid(const ClosedSurface& surface, double spacing) {
  SpacedPoints points(0.75 * spacing);  // dart throwing fills up to about the spacing on average
  sample_features(surface.mesh(), spacing, points);
  const std::size_t sharp_count = points.size();
  sample_faces(surface.mesh(), spacing, points);
  return {points.take(), sharp_count, sample_interior(surface, spacing)};
}

}  // namespace selkie::geometry
