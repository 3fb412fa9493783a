// Meshes on their way from and to Python: (positions, elements), whose kind follows from the columns of
// `elements`.
#pragma once

#include "arrays.h"
#include "selkie/core/error.h"
#include "selkie/geometry/mesh.h"

namespace selkie::python {

// Calls function(mesh) for segments, triangles or tets. Indices may still be out of range.
template <class Function>
auto with_unchecked_mesh(const py::object& positions, const py::object& elements, Function function) {
  std::vector<Vec3> points = points_from(positions, "positions");
  const py::array array = py::array::ensure(elements);
  const py::ssize_t width = array && array.ndim() == 2 ? array.shape(1) : 0;
  if (width == 2)
    return function(geometry::SegmentMesh{std::move(points), indices_from<2>(elements, "elements")});
  if (width == 4)
    return function(geometry::TetMesh{std::move(points), indices_from<4>(elements, "elements")});
  if (width == 3)
    return function(geometry::TriangleMesh{std::move(points), indices_from<3>(elements, "elements")});
  PyErr_Clear();
  throw InputError("'elements' must have 2, 3 or 4 columns: segments, triangles or tetrahedra");
}

inline py::tuple arrays_of_mesh(const geometry::TriangleMesh& mesh) {
  return py::make_tuple(to_numpy(mesh.positions), to_numpy(mesh.triangles));
}
inline py::tuple arrays_of_mesh(const geometry::TetMesh& mesh) {
  return py::make_tuple(to_numpy(mesh.positions), to_numpy(mesh.tets));
}
inline py::tuple arrays_of_mesh(const geometry::SegmentMesh& mesh) {
  return py::make_tuple(to_numpy(mesh.positions), to_numpy(mesh.segments));
}

}  // namespace selkie::python
