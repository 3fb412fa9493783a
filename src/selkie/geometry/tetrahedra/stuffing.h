// Tetrahedra of good shape from a body-centred cubic lattice, its boundary fitted to a surface that is given
// as the zero set of a function, positive inside [HY-25]. Isosurface stuffing [Labelle07]: where the surface
// passes close to a lattice point the point is moved onto it; the tets it still cuts are replaced by the
// parts inside. The points of the boundary lie on the surface; the angles between faces stay within fixed
// bounds for every surface (kDihedralBounds below). Limits: one cell size everywhere; features thinner than a
// cell are lost or roughened, and sharp edges are cut off by up to a cell's diagonal. The function must be
// continuous and is called from several threads.
#pragma once

#include "selkie/core/function_ref.h"
#include "selkie/geometry/mesh.h"

namespace selkie::geometry {

struct AngleRange {
  double min = 180, max = 0;  // degrees
};

// The least and greatest angle between two faces of a tet, over the mesh.
AngleRange dihedral_angles(const TetMesh& mesh);
AngleRange dihedral_angles(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// Nothing that stuff() makes lies outside of these.
inline constexpr AngleRange kDihedralBounds{10.7, 164.8};

// Throws InputError where cells of this size in the box would be more than a machine of today can hold.
void require_moderate_lattice(const BoundingBox& box, double cell);

// The zero set must lie inside `box`; `cell` is the side of a cube of the lattice (twelve tets), in metres.
// The function is positive inside. Empty when no lattice point is inside.
TetMesh stuff(FunctionRef<double(const Vec3&)> field, const BoundingBox& box, double cell);

}  // namespace selkie::geometry
