// Places meshes; see placement.h for the order of operations.
#include "selkie/geometry/placement.h"

#include <numbers>
#include <utility>

namespace selkie::geometry {
namespace {

bool mirrors(const Placement& placement) { return placement.scale.prod() < 0; }

}  // namespace

std::vector<Problem> validate(const Placement& placement) {
  if ((placement.scale.array() != 0).all()) return {};
  return {{"scale", "has a factor of 0, which flattens the mesh", "use factors other than 0"}};
}

Eigen::Affine3d world_from_local(const Placement& placement) {
  const Vec3 radians = placement.rotate * (std::numbers::pi / 180);
  Eigen::Affine3d transform = Eigen::Affine3d::Identity();
  transform.translate(placement.translate)
      .rotate(Eigen::AngleAxisd(radians.z(), Vec3::UnitZ()))
      .rotate(Eigen::AngleAxisd(radians.y(), Vec3::UnitY()))
      .rotate(Eigen::AngleAxisd(radians.x(), Vec3::UnitX()))
      .scale(placement.scale);
  return transform;
}

void place(std::span<Vec3> positions, const Placement& placement) {
  const Eigen::Affine3d transform = world_from_local(placement);
  for (Vec3& position : positions) position = transform * position;
}

void place(TriangleMesh& mesh, const Placement& placement) {
  place(std::span<Vec3>(mesh.positions), placement);
  if (mirrors(placement))
    for (Triangle& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
}

void place(TetMesh& mesh, const Placement& placement) {
  place(std::span<Vec3>(mesh.positions), placement);
  if (mirrors(placement))
    for (Tet& tet : mesh.tets) std::swap(tet[2], tet[3]);
}

void place(SegmentMesh& mesh, const Placement& placement) {
  place(std::span<Vec3>(mesh.positions), placement);
}

}  // namespace selkie::geometry
