// See sliver_smoothing.h.
#include "selkie/geometry/detail/sliver_smoothing.h"

#include <algorithm>

#include "selkie/core/random.h"
#include "selkie/geometry/tetrahedra/stuffing.h"
#include "selkie/math/random_vector.h"

namespace selkie::geometry::detail {
namespace {

class Smoothing {
 public:
  explicit Smoothing(TetMesh& mesh) : mesh_(mesh), offsets_(mesh.positions.size() + 1, 0) {
    for (const Tet& tet : mesh.tets)
      for (const std::uint32_t vertex : tet) ++offsets_[vertex + 1];
    for (std::size_t v = 0; v + 1 < offsets_.size(); ++v) offsets_[v + 1] += offsets_[v];
    tets_at_.resize(4 * mesh.tets.size());
    std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
    for (std::uint32_t t = 0; t < mesh.tets.size(); ++t)
      for (const std::uint32_t vertex : mesh.tets[t]) tets_at_[next[vertex]++] = t;
  }

  // Vertices of tets with an angle below the limit, ascending.
  std::vector<std::uint32_t> vertices_below(double degrees) const {
    std::vector<std::uint32_t> found;
    for (const Tet& tet : mesh_.tets)
      if (least_angle(tet) < degrees) found.insert(found.end(), tet.begin(), tet.end());
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  // The least angle around the vertex; anything at or below `enough` is as good as that.
  double least_angle_around(std::uint32_t vertex, double enough) const {
    double least = 180;
    for (std::size_t k = offsets_[vertex]; k < offsets_[vertex + 1] && least > enough; ++k)
      least = std::min(least, least_angle(mesh_.tets[tets_at_[k]]));
    return least;
  }

 private:
  double least_angle(const Tet& tet) const {
    const auto& x = mesh_.positions;
    const auto& [a, b, c, d] = tet;
    if (signed_volume(x[a], x[b], x[c], x[d]) <= 0) return -1;
    return dihedral_angles(x[a], x[b], x[c], x[d]).min;
  }

  TetMesh& mesh_;
  std::vector<std::size_t> offsets_;
  std::vector<std::uint32_t> tets_at_;
};

}  // namespace

void smooth_slivers(TetMesh& mesh, std::size_t fixed, std::size_t on_surface, const ClosedSurface& surface,
                    double reach) {
  constexpr double kWanted = 12;  // degrees; what is above is left alone
  constexpr int kSweeps = 8, kTrials = 12;
  const Smoothing smoothing(mesh);
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (const std::uint32_t v : smoothing.vertices_below(kWanted)) {
      if (v < fixed) continue;
      Vec3 best = mesh.positions[v];
      double best_angle = smoothing.least_angle_around(v, -1);
      RandomStream random(0x5117 + static_cast<std::uint64_t>(sweep), v);
      for (int trial = 0; trial < kTrials; ++trial) {
        const double size = reach * (1 + trial % 4) / 4;  // small moves and large ones
        Vec3 place = best + size * random_vector(random, -1, 1);
        if (v < on_surface) place = surface.closest(place)->point;
        mesh.positions[v] = place;
        const double angle = smoothing.least_angle_around(v, best_angle);
        if (angle <= best_angle) continue;
        best_angle = angle;
        best = place;
      }
      mesh.positions[v] = best;
    }
}

}  // namespace selkie::geometry::detail
