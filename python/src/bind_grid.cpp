// Transport and projection on grids without a World, for studies: fields go in and come out as arrays of
// shape (nx, ny, nz) or (nx, ny), velocities as one array per axis at the faces, in double.
#include <pybind11/stl.h>

#include <cmath>
#include <optional>

#include "arrays.h"
#include "bindings.h"
#include "computing.h"
#include "errors.h"
#include "selkie/core/error.h"
#include "selkie/core/schema.h"
#include "selkie/core/text.h"
#include "selkie/grid/advect.h"
#include "selkie/grid/projection.h"
#include "selkie/grid/solid_fractions.h"
#include "value_conversion.h"

namespace selkie::python {
namespace {

using grid::Place;
using grid::Shape;

// The samples of a place over the memory of the field; only for use within a call.
py::array samples_of(const Shape& shape, Place place, Buffer<double>& field) {
  ArrayRef array = detail::array_ref(field);
  const FieldLayout layout = layout_of(shape, place);
  return view_of(array, nullptr, &layout);
}

py::array result_of(const Shape& shape, Place place, Buffer<double>& field) {
  return py::module_::import("numpy").attr("ascontiguousarray")(samples_of(shape, place, field));
}

Buffer<double> field_from(const Shape& shape, Place place, const py::handle& value, const std::string& name) {
  Buffer<double> field(shape.size(), 0.0);
  const FieldLayout layout = layout_of(shape, place);
  write_array(detail::array_ref(field), value, name, &layout);
  return field;
}

// The grid that velocities at its faces belong to.
Shape shape_from(const std::vector<py::object>& velocity, double cell_size) {
  if (velocity.size() != 2 && velocity.size() != 3)
    throw InputError("'velocity' has " + std::to_string(velocity.size()) + " components",
                     "give (u, v) or (u, v, w), one array per axis, at the faces across that axis");
  if (!(std::isfinite(cell_size) && cell_size > 0))
    throw InputError("'cell_size' is " + number_text(cell_size), "use a length above 0 m");
  const auto dims = static_cast<int>(velocity.size());
  const py::array first = py::array::ensure(velocity[0]);
  if (!first || first.ndim() != dims) {
    PyErr_Clear();
    throw InputError("'velocity' must hold arrays of " + std::to_string(dims) + " axes");
  }
  grid::Index cells{1, 1, 1};
  for (int axis = 0; axis < dims; ++axis) {
    const py::ssize_t n = first.shape(axis) - (axis == 0 ? 1 : 0);
    if (n < 1 || n > 1 << 15)
      throw InputError("'velocity' along x has " + std::to_string(first.shape(axis)) +
                           " samples along axis " + std::to_string(axis),
                       "along x it has one more than cells, along the others as many as cells");
    cells[static_cast<std::size_t>(axis)] = static_cast<int>(n);
  }
  return Shape(dims, cells, cell_size);
}

grid::FaceField<double> faces_from(const Shape& shape, const std::vector<py::object>& velocity) {
  grid::FaceField<double> faces;
  for (std::size_t a = 0; a < velocity.size(); ++a)
    faces.component[a] = field_from(shape, grid::face_place(static_cast<int>(a)), velocity[a],
                                    "velocity[" + std::to_string(a) + "]");
  return faces;
}

py::tuple faces_to(const Shape& shape, grid::FaceField<double>& faces) {
  py::tuple result(static_cast<std::size_t>(shape.dims()));
  for (int axis = 0; axis < shape.dims(); ++axis)
    result[static_cast<std::size_t>(axis)] =
        result_of(shape, grid::face_place(axis), faces.component[static_cast<std::size_t>(axis)]);
  return result;
}

Place place_from(const std::string& name, int dims) {
  const std::array<std::string, 5> names{"cell", "face_x", "face_y", "face_z", "node"};
  for (std::size_t n = 0; n < names.size(); ++n)
    if (names[n] == name && (dims == 3 || name != "face_z")) return static_cast<Place>(n);
  throw InputError("'place' is \"" + name + "\"", "use cell, face_x, face_y, face_z or node");
}

py::array advect(const py::object& field, const std::vector<py::object>& velocity, double cell_size,
                 double dt, const std::string& place_name, const std::array<bool, 3>& periodic,
                 const py::kwargs& scheme) {
  const Shape shape = shape_from(velocity, cell_size);
  const Place place = place_from(place_name, shape.dims());
  if (!(std::isfinite(dt) && dt >= 0))
    throw InputError("'dt' is " + number_text(dt), "use a time of 0 s or more");
  grid::AdvectOptions options;
  read(type_of<grid::AdvectOptions>(), to_value(scheme, ""), &options, "advect");
  grid::FaceField<double> faces = faces_from(shape, velocity);
  Buffer<double> from = field_from(shape, place, field, "field"), to(shape.size(), 0.0);
  {
    const Computing computing;
    for (int axis = 0; axis < shape.dims(); ++axis)
      grid::wrap(shape, periodic, view(shape, faces.component[static_cast<std::size_t>(axis)]));
    grid::wrap(shape, periodic, view(shape, from));
    grid::AdvectWork<double> work;
    const grid::Flow<double> flow{
        .velocity = view(shape, std::as_const(faces)), .dt = dt, .periodic = periodic};
    grid::advect<double>(shape, place, options, flow, view(shape, std::as_const(from)), view(shape, to),
                         work);
  }
  return result_of(shape, place, to);
}

grid::OpenSides sides_from(const std::vector<std::string>& open, int dims) {
  grid::OpenSides sides{};
  for (const std::string& name : open) {
    bool known = false;
    for (int axis = 0; axis < dims; ++axis)
      for (const bool high : {false, true})
        if (name == (high ? "high_" : "low_") + std::string(1, "xyz"[axis]))
          sides[static_cast<std::size_t>(axis)][high] = known = true;
    if (!known)
      throw InputError("unknown side '" + name + "'",
                       dims == 3 ? "use low_x, high_x, low_y, high_y, low_z or high_z"
                                 : "use low_x, high_x, low_y or high_y");
  }
  return sides;
}

// What projection and divergence are asked about: faces, kinds of cells, open shares.
struct Domain {
  Shape shape;
  grid::CellKinds kinds;
  grid::FaceField<double> velocity, open;
  Buffer<double> source;

  Domain(const std::vector<py::object>& given, double cell_size, const std::vector<std::string>& open_sides,
         const py::object& solid, bool voxels)
      : shape(shape_from(given, cell_size)),
        kinds(grid::all_fluid(shape, sides_from(open_sides, shape.dims()))),
        velocity(faces_from(shape, given)) {
    if (solid.is_none()) return;
    const Buffer<double> nodes = field_from(shape, Place::node, solid, "solid");
    open.assign(shape, 1);
    grid::open_fractions<double>(shape, view(shape, nodes), {.voxels = voxels}, view(shape, open),
                                 view(shape, kinds));
  }

  grid::ProjectionInputs<double> inputs() const {
    grid::ProjectionInputs<double> in;
    in.domain.shape = shape;
    in.domain.kinds = view(shape, kinds);
    if (!open.component[0].empty()) in.domain.open = view(shape, open);
    if (!source.empty()) in.source = view(shape, source);
    return in;
  }
};

py::dict project(const std::vector<py::object>& velocity, double cell_size,
                 const std::vector<std::string>& open, const py::object& solid, const py::object& source,
                 bool voxels, double tolerance, int max_iterations) {
  Domain domain(velocity, cell_size, open, solid, voxels);
  if (!source.is_none()) domain.source = field_from(domain.shape, Place::cell, source, "source");
  Buffer<double> pressure(domain.shape.size(), 0.0);
  grid::ProjectionReport report;
  {
    const Computing computing;
    grid::PressureOptions options;
    options.tolerance = tolerance;
    options.max_iterations = max_iterations;
    grid::ProjectionWork<double> work;
    report = grid::project<double, double>(domain.inputs(), options, view(domain.shape, domain.velocity),
                                           view(domain.shape, pressure), work);
  }
  if (report.refused) throw InputError(report.text());
  if (!report.ok()) throw NumericalError("pressure: " + report.text(), 0, 0);
  for (double& p : pressure) p *= domain.shape.cell_size();
  py::dict result;
  result["velocity"] = faces_to(domain.shape, domain.velocity);
  result["pressure"] = result_of(domain.shape, Place::cell, pressure);
  result["iterations"] = report.solve.iterations;
  result["residual"] = report.solve.residual;
  return result;
}

py::array divergence(const std::vector<py::object>& velocity, double cell_size,
                     const std::vector<std::string>& open, const py::object& solid, bool voxels) {
  Domain domain(velocity, cell_size, open, solid, voxels);
  Buffer<double> balance(domain.shape.size(), 0.0);
  grid::flux_balance<double, double>(domain.inputs(), view(domain.shape, std::as_const(domain.velocity)),
                                     view(domain.shape, balance));
  for (double& b : balance) b /= -cell_size;
  return result_of(domain.shape, Place::cell, balance);
}

}  // namespace

void bind_grid(py::module_& m) {
  m.def("advect", &advect, py::arg("field"), py::arg("velocity"), py::arg("cell_size"), py::arg("dt"),
        py::arg("place") = "cell", py::arg("periodic") = std::array<bool, 3>{false, false, false},
        "A field carried over dt (s) by a velocity (u, v[, w]) at cell faces (m/s), as a new array.\n\n"
        "place: where the field's samples sit: cell, face_x, face_y, face_z or node. periodic: axes whose "
        "ends are\n"
        "joined. Keywords choose the scheme as a scene does: scheme=\"maccormack\", limiter=\"revert\",\n"
        "trace=\"euler\". u has the shape (nx + 1, ny, nz), v (nx, ny + 1, nz), w (nx, ny, nz + 1).");
  m.def(
      "project", &project, py::arg("velocity"), py::arg("cell_size"),
      py::arg("open") = std::vector<std::string>{}, py::arg("solid") = py::none(),
      py::arg("source") = py::none(), py::arg("voxels") = false, py::arg("tolerance") = 1e-8,
      py::arg("max_iterations") = 200,
      "A velocity made free of divergence: a dict of velocity, pressure (times dt over density, m²/s),\n"
      "iterations and residual.\n\n"
      "open: sides where gas flows through, such as [\"high_y\"]; the others are walls. solid: signed "
      "distances (m)\n"
      "at the nodes, negative inside; cut cells, or whole ones with voxels. source: wanted divergence, 1/s.");
  m.def("divergence", &divergence, py::arg("velocity"), py::arg("cell_size"),
        py::arg("open") = std::vector<std::string>{}, py::arg("solid") = py::none(),
        py::arg("voxels") = false,
        "What flows out of each cell of gas through its open faces, 1/s; arguments as of project().");
}

}  // namespace selkie::python
