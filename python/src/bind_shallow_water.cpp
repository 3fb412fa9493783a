// Water on a height field without a World, for studies: Model, Params, State (in double), step. Fields are
// arrays of shape (cells along z, cells along x).
#include <pybind11/stl.h>

#include <algorithm>

#include "bindings.h"
#include "computing.h"
#include "selkie/fluids/shallow_water/step.h"
#include "solver_classes.h"

namespace selkie::python {
namespace {

namespace sh = selkie::shallow_water;
using Model = sh::Model<double>;
using ModelPtr = std::shared_ptr<Model>;

// Named apart from other handles: pybind11 tells types by name, and clang names those of unnamed namespaces alike.
struct ShallowWaterHandle {
  ModelPtr model;
  sh::State<double> state, before;
  sh::Work<double> work;
};
using StatePtr = std::shared_ptr<ShallowWaterHandle>;

void require_same_model(const ModelPtr& model, const ShallowWaterHandle& state) {
  if (state.model != model)
    throw InputError("the state was made for another model", "make it with State(model, depth)");
}

// The cells of a field without its ghosts, over the memory itself.
py::array_t<double> cells_of(const sh::Grid& grid, Buffer<double>& field, const py::object& keeper) {
  const auto size = static_cast<py::ssize_t>(sizeof(double));
  return py::array_t<double>({grid.cells[1], grid.cells[0]}, {size * grid.row(), size},
                             field.data() + grid.first(), keeper);
}

// One number or one per cell.
std::vector<double> field_from(const py::object& value, const sh::Grid& grid, const char* name) {
  const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(value);
  if (!array) PyErr_Clear();
  const std::size_t count = grid.cell_count();
  if (array && array.ndim() == 0) return std::vector<double>(count, *array.data());
  if (!array || array.ndim() != 2 || array.shape(0) != grid.cells[1] || array.shape(1) != grid.cells[0])
    throw InputError("'" + std::string(name) + "' must be a number or an array of shape (" +
                     std::to_string(grid.cells[1]) + ", " + std::to_string(grid.cells[0]) + ")");
  return {array.data(), array.data() + count};
}

template <class Enum>
Enum enum_from(const std::string& text, const std::string& name) {
  const auto names = describe(static_cast<Enum*>(nullptr));
  std::string known;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] == text) return static_cast<Enum>(k);
    known += (k ? ", \"" : "\"") + std::string(names[k]) + "\"";
  }
  throw InputError("'" + name + "' is \"" + text + "\"", "use one of " + known);
}

std::size_t side_from(const std::string& name) {
  constexpr std::array<std::string_view, sh::kSideCount> kNames{"low_x", "high_x", "low_z", "high_z"};
  const auto at = std::find(kNames.begin(), kNames.end(), name);
  if (at == kNames.end())
    throw InputError("unknown side '" + name + "'", "use low_x, high_x, low_z or high_z");
  return static_cast<std::size_t>(at - kNames.begin());
}

// ---- Model and State ----

ModelPtr build(const std::array<int, 2>& cells, double cell_size, const py::object& ground,
               const py::object& walls, const py::dict& sides, const std::string& method) {
  if (cells[0] < 1 || cells[1] < 1 || std::max(cells[0], cells[1]) > 1 << 20)
    throw InputError("'cells' must be two numbers from 1 to 1048576");
  if (!(std::isfinite(cell_size) && cell_size > 0))
    throw InputError("'cell_size' is " + number_text(cell_size), "use a length above 0 m");
  sh::Grid grid;
  grid.cells = cells, grid.cell_size = cell_size;
  const std::vector<double> heights = field_from(ground, grid, "ground");
  auto at = [&](double x, double z) {
    const int i = std::clamp(static_cast<int>(std::floor(x / cell_size)), 0, cells[0] - 1);
    const int j = std::clamp(static_cast<int>(std::floor(z / cell_size)), 0, cells[1] - 1);
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(cells[0]) + static_cast<std::size_t>(i);
  };
  auto model = std::make_shared<Model>(
      sh::make_model<double>(grid, [&](double x, double z) { return heights[at(x, z)]; }));
  model->method = enum_from<sh::Method>(method, "method");
  if (!walls.is_none()) {
    const std::vector<double> blocked = field_from(walls, grid, "walls");
    sh::add_wall(*model, [&](const Vec3& p) { return blocked[at(p.x(), p.z())] != 0; });
  }
  for (const auto& [name, kind] : sides) {
    const auto side = argument_from<std::string>(name, "side");
    model->sides[side_from(side)].kind =
        enum_from<sh::SideKind>(argument_from<std::string>(kind, side), side);
  }
  return model;
}

void fill_cells(const sh::Grid& grid, const std::vector<double>& values, Buffer<double>& field) {
  for (int j = 0; j < grid.cells[1]; ++j)
    for (int i = 0; i < grid.cells[0]; ++i)
      field[static_cast<std::size_t>(grid.at(i, j))] =
          values[static_cast<std::size_t>(j) * static_cast<std::size_t>(grid.cells[0]) +
                 static_cast<std::size_t>(i)];
}

StatePtr make_state(const ModelPtr& model, const py::object& depth) {
  auto handle = std::make_shared<ShallowWaterHandle>();
  handle->model = model;
  handle->state = sh::make_state(*model);
  std::vector<double> depths = field_from(depth, model->grid, "depth");
  for (double& d : depths) {
    if (!(d >= 0 && std::isfinite(d)))
      throw InputError("'depth' holds " + number_text(d), "use depths of 0 m or more");
  }
  fill_cells(model->grid, depths, handle->state.depth);
  return handle;
}

void bind_classes(py::module_& m) {
  py::class_<Model, ModelPtr>(m, "Model", "Grid, ground and sides: what never changes. Arrays are copies.")
      .def_property_readonly(
          "cells", [](const Model& model) { return model.grid.cells; }, "Cells along x and z.")
      .def_property_readonly(
          "cell_size", [](const Model& model) { return model.grid.cell_size; }, "m.")
      .def_property_readonly(
          "ground",
          [](const ModelPtr& model) {
            return cells_of(model->grid, model->ground, py::none()).attr("copy")();
          },
          "(nz, nx) m.")
      .def("__repr__", [](const Model& model) {
        return "<selkie.shallow_water.Model: " + std::to_string(model.grid.cells[0]) + " x " +
               std::to_string(model.grid.cells[1]) + " cells>";
      });
  m.def("build_model", &build, py::arg("cells"), py::arg("cell_size"), py::arg("ground") = 0.0,
        py::arg("walls") = py::none(), py::arg("sides") = py::dict(), py::arg("method") = "conservative",
        "A Model of cells = (nx, nz), each cell_size (m) wide.\n\n"
        "ground: its height, m, one number or (nz, nx). walls (nz, nx): not zero where no water can be.\n"
        "sides: {\"low_x\": \"absorbing\", ...}; kinds closed, absorbing, inflow, level, sea.\n"
        "method: \"conservative\" or \"semi-lagrangian\".");
  py::class_<ShallowWaterHandle, StatePtr>(
      m, "State",
      "Everything that influences a later step. depth, flow_x and flow_z are writable NumPy views (nz, nx) "
      "of\n"
      "the solver's own memory. State(model, depth) is at rest; depth in m, one number or (nz, nx).")
      .def(py::init(&make_state), py::arg("model"), py::arg("depth"))
      .def_property_readonly(
          "depth",
          [](const py::object& self) {
            auto& s = self.cast<ShallowWaterHandle&>();
            return cells_of(s.model->grid, s.state.depth, self);
          },
          "m, of the water.")
      .def_property_readonly(
          "flow_x",
          [](const py::object& self) {
            auto& s = self.cast<ShallowWaterHandle&>();
            return cells_of(s.model->grid, s.state.flow_x, self);
          },
          "m²/s, depth times velocity along x (semi-lagrangian: m/s, velocity at low faces).")
      .def_property_readonly(
          "flow_z",
          [](const py::object& self) {
            auto& s = self.cast<ShallowWaterHandle&>();
            return cells_of(s.model->grid, s.state.flow_z, self);
          },
          "As flow_x, along z.")
      .def_property_readonly(
          "through_sides", [](const ShallowWaterHandle& s) { return s.state.through_sides; },
          "m³ that came in through the sides since the start.")
      .def_property_readonly(
          "rounded", [](const ShallowWaterHandle& s) { return s.state.rounded; },
          "m³ added where round-off or advection changed the volume.")
      .def(
          "copy",
          [](const ShallowWaterHandle& s) {
            auto copy = std::make_shared<ShallowWaterHandle>();
            copy->model = s.model;
            copy->state = s.state;
            return copy;
          },
          "An independent copy.");
}

// Views may have been given any numbers. A semi-Lagrangian step looks up cells where velocities point to, and
// one that is no number points nowhere.
bool is_finite(const sh::Grid& grid, const sh::State<double>& state) {
  for (int j = 0; j < grid.cells[1]; ++j)
    for (int i = 0; i < grid.cells[0]; ++i) {
      const auto at = static_cast<std::size_t>(grid.at(i, j));
      if (!std::isfinite(state.depth[at] + state.flow_x[at] + state.flow_z[at])) return false;
    }
  return true;
}

StepReport step(const ModelPtr& model, const sh::Params& params, const StatePtr& s, double dt, double gravity,
                const py::dict& sides, double time) {
  require_same_model(model, *s);
  const Interval interval = interval_of(time, dt);
  if (!std::isfinite(gravity))
    throw InputError("'gravity' is " + number_text(gravity), "use a finite acceleration");
  sh::Inputs inputs;
  inputs.gravity = Vec3(0, -gravity, 0);
  for (const auto& [name, value] : sides) {
    const auto side = argument_from<std::string>(name, "side");
    const auto given = argument_from<double>(value, side);
    inputs.sides[side_from(side)] = {given, given, 0};
  }
  return step_or_restore(*s, time, [&] {
    const Computing computing;
    if (!is_finite(model->grid, s->state)) return StepReport::failure("the water is not finite");
    return sh::step(*model, params, inputs, interval, s->before, s->state, s->work);
  });
}

}  // namespace

void bind_shallow_water(py::module_& m) {
  bind_classes(m);
  bind_params<sh::Params>(m, "Parameters of water on a height field: Params(order=\"second\", cfl=0.45).");
  m.def("step", &step, py::arg("model"), py::arg("params"), py::arg("state"), py::arg("dt"),
        py::arg("gravity") = 9.81, py::arg("sides") = py::dict(), py::arg("time") = 0.0,
        "Advances `state` in place by dt (s) and returns a StepReport.\n\n"
        "gravity in m/s², downwards; sides: {\"low_x\": value}, m²/s for inflow, m for level and sea.\n"
        "Raises NumericalError, with the state as before, when the step fails: take a shorter one.");
  m.def(
      "step_limit",
      [](const ModelPtr& model, const sh::Params& params, const StatePtr& s, double gravity) {
        require_same_model(model, *s);
        return sh::step_limit(*model, params, gravity, s->state);
      },
      py::arg("model"), py::arg("params"), py::arg("state"), py::arg("gravity") = 9.81,
      "The longest step by params.cfl, s; inf where nothing moves.");
  m.def(
      "volume", [](const StatePtr& s) { return sh::volume(*s->model, s->state); }, py::arg("state"), "m³.");
  m.def(
      "diagnose",
      [](const StatePtr& s, double gravity) {
        const sh::Diagnostics d = sh::diagnose(*s->model, s->state, gravity, 1e-6);
        py::dict result;
        result["volume"] = d.volume, result["kinetic"] = d.kinetic, result["potential"] = d.potential;
        result["top_speed"] = d.top_speed, result["deepest"] = d.deepest, result["wet_area"] = d.wet_area;
        result["flow_x"] = d.flow_x, result["flow_z"] = d.flow_z;
        return result;
      },
      py::arg("state"), py::arg("gravity") = 9.81,
      "A dict: volume (m³), kinetic and potential (J for 1 kg/m³), top_speed (m/s), deepest (m), wet_area "
      "(m²),\n"
      "flow_x, flow_z (m⁴/s).");
}

}  // namespace selkie::python
