// Meshes from files, and what is wrong with a mesh.
#include "bindings.h"
#include "mesh_arguments.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/io/read_mesh.h"
#include "value_conversion.h"

namespace selkie::python {
namespace {

using namespace geometry;

const char* name_of(Trouble trouble) {
  switch (trouble) {
    case Trouble::index_out_of_range:
      return "index_out_of_range";
    case Trouble::non_finite_vertex:
      return "non_finite_vertex";
    case Trouble::zero_length_segment:
      return "zero_length_segment";
    case Trouble::zero_area_triangle:
      return "zero_area_triangle";
    case Trouble::degenerate_tet:
      return "degenerate_tet";
    case Trouble::inverted_tet:
      return "inverted_tet";
    case Trouble::duplicate_segment:
      return "duplicate_segment";
    case Trouble::duplicate_triangle:
      return "duplicate_triangle";
    case Trouble::duplicate_tet:
      return "duplicate_tet";
    case Trouble::overlapping_tets:
      return "overlapping_tets";
    case Trouble::non_manifold_edge:
      return "non_manifold_edge";
    case Trouble::hole:
      return "hole";
    case Trouble::flipped_face:
      return "flipped_face";
    case Trouble::inside_out:
      return "inside_out";
    case Trouble::unreferenced_vertex:
      return "unreferenced_vertex";
    case Trouble::duplicate_vertex:
      return "duplicate_vertex";
    case Trouble::self_intersection:
      return "self_intersection";
  }
  return "unknown";
}

py::dict findings_of(const MeshReport& report) {
  py::dict findings;
  for (const Finding& finding : report.findings)
    findings[name_of(finding.trouble)] = py::make_tuple(finding.count, finding.first);
  return findings;
}

void bind_report(py::module_& m) {
  py::class_<MeshReport>(m, "MeshReport", "What check_mesh() found; str() of it lists it in words.")
      .def_property_readonly("clean", &MeshReport::clean, "True when nothing was found.")
      .def_property_readonly(
          "findings", &findings_of,
          "A dictionary: trouble (\"hole\", \"flipped_face\", \"inverted_tet\", ...) to (count, the first\n"
          "offender in words). Numbers of elements and vertices count from 0.")
      .def_property_readonly("remedy", &MeshReport::remedy,
                             "How to mend the first finding; \"\" when there is none.")
      .def("__str__", &MeshReport::text)
      .def("__repr__", [](const MeshReport& r) { return "<selkie.geometry.MeshReport: " + r.text() + ">"; });
}

// Binds a function of a mesh and of what is wanted of it, with the same keyword arguments everywhere.
template <class Function, class... Extra>
void def_check(py::module_& m, const char* name, Function function, const char* doc, const Extra&... extra) {
  const MeshRequirements usual;
  m.def(name, function, py::arg("positions"), py::arg("elements"), extra..., py::kw_only(),
        py::arg("closed") = usual.closed, py::arg("non_degenerate") = usual.non_degenerate,
        py::arg("no_duplicates") = usual.no_duplicates, py::arg("manifold") = usual.manifold,
        py::arg("oriented") = usual.oriented, py::arg("all_vertices_used") = usual.all_vertices_used,
        py::arg("distinct_vertices") = usual.distinct_vertices,
        py::arg("no_self_intersections") = usual.no_self_intersections, doc);
}

MeshReport report_of(const py::object& positions, const py::object& elements, bool closed,
                     bool non_degenerate, bool no_duplicates, bool manifold, bool oriented,
                     bool all_vertices_used, bool distinct_vertices, bool no_self_intersections) {
  const MeshRequirements want{closed,   non_degenerate,    no_duplicates,     manifold,
                              oriented, all_vertices_used, distinct_vertices, no_self_intersections};
  return with_unchecked_mesh(positions, elements, [&](const auto& mesh) { return check_mesh(mesh, want); });
}

void require(const py::object& positions, const py::object& elements, const std::string& source, bool closed,
             bool non_degenerate, bool no_duplicates, bool manifold, bool oriented, bool all_vertices_used,
             bool distinct_vertices, bool no_self_intersections) {
  const MeshRequirements want{closed,   non_degenerate,    no_duplicates,     manifold,
                              oriented, all_vertices_used, distinct_vertices, no_self_intersections};
  with_unchecked_mesh(positions, elements, [&](const auto& mesh) { require_valid(mesh, source, want); });
}

}  // namespace

void bind_meshes(py::module_& m) {
  bind_report(m);
  def_check(m, "check_mesh", &report_of,
            "What is wrong with segments (m, 2), triangles (m, 3) or tets (m, 4): a MeshReport.\n\n"
            "The keyword arguments say what the mesh is meant to be; whatever they say, indices must be in\n"
            "range and vertices finite. Nothing is repaired. closed=True asks for a watertight solid.");
  def_check(m, "require_valid", &require,
            "Raises InputError, with the words scenes use, unless check_mesh() finds nothing.\n"
            "source: what the message calls the mesh, such as a file name.",
            py::arg("source") = "mesh");
  m.def(
      "read_triangles",
      [](const py::object& path) { return arrays_of_mesh(io::read_triangle_mesh(path_from(path))); },
      py::arg("path"),
      "(positions (n, 3), triangles (m, 3)) of a .obj, .ply, .stl, .msh, .gltf or .glb file. Polygons are\n"
      "cut into fans; equal vertices of STL and glTF are welded. Raises InputError with line or byte.");
  m.def(
      "read_tets", [](const py::object& path) { return arrays_of_mesh(io::read_tet_mesh(path_from(path))); },
      py::arg("path"), "(positions (n, 3), tets (m, 4)) of a Gmsh .msh file, version 2.2 or 4.1.");
  m.def(
      "read_segments",
      [](const py::object& path) { return arrays_of_mesh(io::read_segment_mesh(path_from(path))); },
      py::arg("path"), "(positions (n, 3), segments (m, 2)) of a Gmsh .msh file.");
}

}  // namespace selkie::python
