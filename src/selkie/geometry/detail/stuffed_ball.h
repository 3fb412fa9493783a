// The boundary of a fitted lattice as one closed surface without handles: on coarse lattices parts that come
// close may touch in an edge or grow together, so finer ones are tried until they do not.
#pragma once

#include "selkie/core/error.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/geometry/tetrahedra/stuffing.h"

namespace selkie::geometry::detail {

// `field` is positive inside; `divisions` cells per unit of length, or a few more.
template <class Field>
TriangleMesh stuffed_ball(const Field& field, const BoundingBox& box, int divisions) {
  for (int finer = 0; finer < 24; ++finer) {
    TriangleMesh mesh = boundary_surface(stuff(field, box, 1.0 / (divisions + finer))).mesh;
    if (euler_characteristic(mesh) == 2 && check_mesh(mesh, {.closed = true}).clean()) return mesh;
  }
  throw InputError("the shape cannot be meshed with " + std::to_string(divisions) + " divisions",
                   "use more of them");
}

}  // namespace selkie::geometry::detail
