// Generators and measures on arrays. Keyword arguments of a generator are the keys a scene file takes.
#include "arrays.h"
#include "bindings.h"
#include "described.h"
#include "mesh_arguments.h"
#include "selkie/geometry/creature.h"
#include "selkie/geometry/generators.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/geometry/shapes.h"
#include "selkie/geometry/tet_spoon.h"
#include "value_conversion.h"

namespace selkie::python {
namespace {

using namespace geometry;

template <class Shape, class Mesh>
void def_generator(py::module_& m, const std::string& name, Mesh (*make)(const Shape&),
                   const std::string& text) {
  const Shape fresh{};
  const std::string doc =
      text + "\n\nKeyword arguments, with their defaults:\n" + params_table(type_of<Shape>(), &fresh);
  m.def(
      name.c_str(),
      [name, make](const py::kwargs& keywords) {
        Shape shape;
        read_keywords(type_of<Shape>(), &shape, keywords, name);
        return arrays_of_mesh(make(shape));
      },
      doc.c_str());
}

void bind_generators(py::module_& m) {
  const std::string surface = "; (positions (n, 3) in m, triangles (m, 3)).";
  def_generator(m, "sheet", &sheet, "A flat rectangle" + surface);
  def_generator(m, "box", &box_surface, "The surface of a box" + surface);
  def_generator(m, "ball", &ball_surface, "A sphere by longitude and latitude" + surface);
  def_generator(m, "icosphere", &icosphere, "A sphere of nearly equal triangles" + surface);
  def_generator(m, "cylinder", &cylinder_surface, "A closed cylinder" + surface);
  def_generator(m, "torus", &torus_surface, "A ring" + surface);
  def_generator(m, "shell", &shell_surface, "A hollow ball with a thick wall" + surface);
  def_generator(m, "creature", &creature, "A sitting animal with long ears" + surface);
  const std::string volume = "; (positions (n, 3) in m, tets (m, 4)).";
  def_generator(m, "tet_box", &tet_box, "A solid box of six tetrahedra per cell" + volume);
  def_generator(m, "tet_ball", &tet_ball, "A solid ball of tetrahedra" + volume);
  def_generator(m, "tet_torus", &tet_torus, "A solid ring of tetrahedra" + volume);
  def_generator(m, "tet_spoon", &tet_spoon, "A spoon of tetrahedra" + volume);
  def_generator(m, "chain", &chain, "A row of segments; (positions (n, 3) in m, segments (m, 2)).");
}

// Calls function(mesh) for the mesh that the width of `elements` asks for, after checking its indices.
template <class Function>
auto with_mesh(const py::object& positions, const py::object& elements, Function function) {
  return with_unchecked_mesh(positions, elements, [&](const auto& mesh) {
    require_valid(mesh, "elements", kReadable);
    return function(mesh);
  });
}

py::tuple distances(const py::object& shape, const py::object& points) {
  AnalyticShape solid;
  read(type_of<AnalyticShape>(), to_value(shape, ""), &solid, "shape");
  const std::vector<Vec3> where = points_from(points, "points");
  std::vector<double> distance(where.size());
  std::vector<Vec3> normal(where.size());
  for (std::size_t i = 0; i < where.size(); ++i) {
    const SurfaceDistance found = signed_distance(solid, where[i]);
    distance[i] = found.distance, normal[i] = found.normal;
  }
  return py::make_tuple(to_numpy(distance), to_numpy(normal));
}

}  // namespace

void bind_geometry(py::module_& m) {
  bind_generators(m);
  m.def("signed_distance", &distances, py::arg("shape"), py::arg("points"),
        "(distance (n,) in m, negative inside; normal (n, 3)) of points (n, 3) to a solid such as\n"
        "{\"ball\": {\"radius\": 1}}: plane, ball, box, cylinder, capsule or torus, as colliders in scenes.");
  m.def(
      "unique_edges",
      [](const py::object& elements) -> py::array {
        const py::array array = py::array::ensure(elements);
        if (array && array.ndim() == 2 && array.shape(1) == 4)
          return to_numpy(unique_edges(indices_from<4>(elements, "elements")));
        return to_numpy(unique_edges(indices_from<3>(elements, "elements")));
      },
      py::arg("elements"), "Each edge of triangles (m, 3) or tets (m, 4) once, as (low, high), sorted.");
  m.def(
      "boundary_triangles",
      [](const py::object& tets) { return to_numpy(boundary_triangles(indices_from<4>(tets, "tets"))); },
      py::arg("tets"), "Faces of exactly one tet, oriented outwards; numbers stay those of the tets.");
  m.def(
      "lumped_masses",
      [](const py::object& positions, const py::object& elements, double density) {
        return with_mesh(positions, elements,
                         [&](const auto& mesh) { return to_numpy(lumped_masses(mesh, density)); });
      },
      py::arg("positions"), py::arg("elements"), py::arg("density"),
      "kg per vertex; density in kg/m³ (tets), kg/m² (triangles) or kg/m (segments).");
  m.def(
      "measure",
      [](const py::object& positions, const py::object& elements) {
        struct Measure {
          double operator()(const SegmentMesh& mesh) const { return length(mesh); }
          double operator()(const TriangleMesh& mesh) const { return area(mesh); }
          double operator()(const TetMesh& mesh) const { return volume(mesh); }
        };
        return with_mesh(positions, elements, Measure{});
      },
      py::arg("positions"), py::arg("elements"),
      "Length (m) of segments, area (m²) of triangles or volume (m³) of tets.");
  m.def(
      "vertex_normals",
      [](const py::object& positions, const py::object& triangles) {
        const TriangleMesh mesh{points_from(positions, "positions"), indices_from<3>(triangles, "triangles")};
        require_valid(mesh, "triangles", kReadable);
        return to_numpy(vertex_normals(mesh.positions, mesh.triangles));
      },
      py::arg("positions"), py::arg("triangles"), "Area-weighted unit normals (n, 3).");
}

}  // namespace selkie::python
