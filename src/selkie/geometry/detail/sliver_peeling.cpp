// See sliver_peeling.h.
#include "selkie/geometry/detail/sliver_peeling.h"

#include <algorithm>
#include <unordered_map>

#include "selkie/geometry/tetrahedra/stuffing.h"

namespace selkie::geometry::detail {
namespace {

constexpr std::uint32_t kBoundary = 0xffffffff;

class Peeling {
 public:
  explicit Peeling(const TetMesh& mesh)
      : tets_(mesh.tets), neighbours_(mesh.tets.size()), faces_at_vertex_(mesh.positions.size(), 0) {
    struct Side {
      Triangle sorted;
      std::uint32_t tet, face;
    };
    std::vector<Side> sides;
    sides.reserve(4 * tets_.size());
    for (std::uint32_t t = 0; t < tets_.size(); ++t)
      for (std::uint32_t i = 0; i < 4; ++i) {
        Triangle face = face_of(t, i);
        std::sort(face.begin(), face.end());
        sides.push_back({face, t, i});
      }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
      return a.sorted != b.sorted ? a.sorted < b.sorted : a.tet < b.tet;
    });
    for (std::size_t k = 0; k < sides.size(); ++k) {
      const Side& side = sides[k];
      if (k + 1 < sides.size() && sides[k + 1].sorted == side.sorted) {
        neighbours_[side.tet][side.face] = sides[k + 1].tet;
        neighbours_[sides[k + 1].tet][sides[k + 1].face] = side.tet;
        ++k;
      } else {
        neighbours_[side.tet][side.face] = kBoundary;
        count_face(side.tet, side.face, +1);
      }
    }
  }

  bool may_go(std::uint32_t t) const {
    std::array<std::uint32_t, 4> bare{}, covered{};
    std::size_t bare_count = 0, covered_count = 0;
    for (std::uint32_t i = 0; i < 4; ++i)
      (neighbours_[t][i] == kBoundary ? bare[bare_count++] : covered[covered_count++]) = i;
    const Tet& c = tets_[t];
    switch (bare_count) {
      case 0:
        return false;
      case 1:
        return faces_at_vertex_[c[bare[0]]] == 0;  // the corner behind comes to the surface
      case 2:
        return !on_boundary(c[bare[0]], c[bare[1]]);  // the opposite edge comes to the surface
      case 3:
        return faces_at_vertex_[c[covered[0]]] == 3;  // the tip goes
      default:
        return true;
    }
  }

  void remove(std::uint32_t t) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t other = neighbours_[t][i];
      if (other == kBoundary) {
        count_face(t, i, -1);
        continue;
      }
      std::uint32_t back = 0;
      while (neighbours_[other][back] != t) ++back;
      neighbours_[other][back] = kBoundary;
      count_face(other, back, +1);
    }
  }

 private:
  Triangle face_of(std::uint32_t t, std::uint32_t i) const {
    const Tet& c = tets_[t];
    return {c[(i + 1) % 4], c[(i + 2) % 4], c[(i + 3) % 4]};
  }
  static std::uint64_t edge_key(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
  }
  bool on_boundary(std::uint32_t a, std::uint32_t b) const {
    const auto found = faces_at_edge_.find(edge_key(a, b));
    return found != faces_at_edge_.end() && found->second > 0;
  }
  void count_face(std::uint32_t t, std::uint32_t i, int change) {
    const Triangle face = face_of(t, i);
    for (std::size_t k = 0; k < 3; ++k) {
      faces_at_vertex_[face[k]] += change;
      faces_at_edge_[edge_key(face[k], face[(k + 1) % 3])] += change;
    }
  }

  const std::vector<Tet>& tets_;
  std::vector<std::array<std::uint32_t, 4>> neighbours_;
  std::vector<int> faces_at_vertex_;  // boundary faces
  std::unordered_map<std::uint64_t, int> faces_at_edge_;
};

}  // namespace

std::size_t peel_slivers(TetMesh& mesh, double least_volume, double least_angle) {
  std::vector<std::uint32_t> slivers;
  for (std::uint32_t t = 0; t < mesh.tets.size(); ++t) {
    const auto& x = mesh.positions;
    const auto& [a, b, c, d] = mesh.tets[t];
    if (signed_volume(x[a], x[b], x[c], x[d]) < least_volume ||
        dihedral_angles(x[a], x[b], x[c], x[d]).min < least_angle)
      slivers.push_back(t);
  }
  Peeling peeling(mesh);
  std::vector<bool> gone(mesh.tets.size(), false);
  std::size_t removed = 0;
  for (std::size_t before = 1; before != removed;) {
    before = removed;
    for (const std::uint32_t t : slivers) {
      if (gone[t] || !peeling.may_go(t)) continue;
      peeling.remove(t);
      gone[t] = true;
      ++removed;
    }
  }
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t)
    if (!gone[t]) mesh.tets[kept++] = mesh.tets[t];
  mesh.tets.resize(kept);
  return removed;
}

}  // namespace selkie::geometry::detail
