// Where a mesh stands in the world: scaled, then turned about the fixed x, y and z axes in this order, then
// moved.
#pragma once

#include <span>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/geometry/mesh.h"

namespace selkie::geometry {

struct Placement {
  Vec3 translate = Vec3::Zero();
  Vec3 rotate = Vec3::Zero();
  Vec3 scale = Vec3::Ones();
};
constexpr auto describe(Placement*) {
  using P = Placement;
  return Members{
      member("translate", &P::translate, "m", "moved by this, after scale and rotate"),
      member("rotate", &P::rotate, "degrees", "turned about the world's x, then y, then z axis"),
      member("scale", &P::scale, "", "stretched along x, y and z; a negative factor mirrors")};
}
static_assert(complete<Placement>());
std::vector<Problem> validate(const Placement& placement);  // no factor of scale may be 0

Eigen::Affine3d world_from_local(const Placement& placement);

void place(std::span<Vec3> positions, const Placement& placement);
// Mirrored meshes have their corners swapped, so that normals stay outwards and tets positive.
void place(TriangleMesh& mesh, const Placement& placement);
void place(TetMesh& mesh, const Placement& placement);
void place(SegmentMesh& mesh, const Placement& placement);

}  // namespace selkie::geometry
