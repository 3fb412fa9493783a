// Angles between the faces of tets.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/geometry/tetrahedra/stuffing.h"

namespace selkie::geometry {

AngleRange dihedral_angles(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  // Area vectors of the four faces, all outwards or all inwards; that opposite corner i at [i].
  const std::array<Vec3, 4> normal = {Vec3((d - b).cross(c - b)), Vec3((c - a).cross(d - a)),
                                      Vec3((d - a).cross(b - a)), Vec3((b - a).cross(c - a))};
  AngleRange range;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j) {
      const double inner = std::atan2(normal[i].cross(normal[j]).norm(), -normal[i].dot(normal[j]));
      const double degrees = inner * 180 / std::numbers::pi;
      range.min = std::min(range.min, degrees);
      range.max = std::max(range.max, degrees);
    }
  return range;
}

AngleRange dihedral_angles(const TetMesh& mesh) {
  if (mesh.tets.empty()) return {};
  auto of = [&](std::size_t i) {
    const Tet& t = mesh.tets[i];
    const auto& x = mesh.positions;
    return dihedral_angles(x[t[0]], x[t[1]], x[t[2]], x[t[3]]);
  };
  return {-deterministic_max(mesh.tets.size(), -180, [&](std::size_t i) { return -of(i).min; }),
          deterministic_max(mesh.tets.size(), 0, [&](std::size_t i) { return of(i).max; })};
}

}  // namespace selkie::geometry
