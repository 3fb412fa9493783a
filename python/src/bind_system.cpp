// System: attributes are the parameters and state arrays of the solver behind it, from describe().
#include <pybind11/numpy.h>

#include "arrays.h"
#include "bindings.h"
#include "described.h"
#include "selkie/core/error.h"
#include "selkie/sim/grid_fields.h"
#include "system_handle.h"
#include "value_conversion.h"

namespace selkie::python {
namespace {

constexpr const char* kClassDoc =
    "One solver of a World, as world[\"cloth\"] gives it.\n\n"
    "Its attributes are the solver's state arrays (NumPy views of the very memory the solver steps on,\n"
    "writable, no copies; fields of a grid with its shape) and its parameters (assigning one checks it and "
    "records it as an input event).\n"
    "help(world[\"cloth\"]), print(world[\"cloth\"].describe()) and dir() list those of a given system.\n"
    "Names with dots: system[\"outer.inner\"].";

// Of a state array that is a field of a grid; nothing for others, and for fields that are not there.
std::optional<FieldLayout> field_layout(sim::System& system, const ArrayRef& array) {
  const auto* fields = dynamic_cast<const sim::GridFields*>(&system);
  const auto field = fields != nullptr ? fields->grid_field(array.name) : std::nullopt;
  if (!field || array.count != field->shape.size()) return std::nullopt;
  return layout_of(field->shape, field->place);
}
const FieldLayout* pointer_to(const std::optional<FieldLayout>& layout) {
  return layout ? &*layout : nullptr;
}

std::string shape_text(sim::System& system, const ArrayRef& array) {
  const std::optional<FieldLayout> layout = field_layout(system, array);
  if (!layout) return "";
  std::string text;
  for (const py::ssize_t n : layout->shape) text += (text.empty() ? "(" : ", ") + std::to_string(n);
  return text + ")";
}

std::vector<std::string> names_of(const SystemHandle& handle) {
  std::vector<std::string> names;
  for (const ArrayRef& array : handle.get().state()) names.push_back(array.name);
  for (const Field& field : handle.get().params_type().fields) names.push_back(field.name);
  return names;
}

// A parameter by dotted path; nullptr when there is none.
const Value* look_up(const Value& params, std::string_view path) {
  const Value* at = &params;
  while (at && !path.empty()) {
    const std::size_t dot = path.find('.');
    at = at->find(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return at;
}

py::object get(const SystemHandle& handle, const std::string& name) {
  sim::System& system = handle.get();
  const std::vector<ArrayRef> arrays = system.state();
  if (const ArrayRef* array = find_array(arrays, name))
    return read_array(*array, handle.owner, pointer_to(field_layout(system, *array)));
  const Value params = write(system.params_type(), system.params());
  if (const Value* value = look_up(params, name)) return from_value(*value);
  if (system.params_type().find(name)) return py::none();  // an optional that is not set
  unknown_attribute(system.name(), name, names_of(handle));
}

void set(const SystemHandle& handle, const std::string& name, const py::object& value) {
  sim::System& system = handle.get();
  const std::vector<ArrayRef> arrays = system.state();
  if (const ArrayRef* array = find_array(arrays, name))
    return write_array(*array, value, system.name() + "." + name, pointer_to(field_layout(system, *array)));
  if (!system.params_type().find(name.substr(0, name.find('.'))))
    unknown_attribute(system.name(), name, names_of(handle));
  Value arguments{ValueTable{}};
  arguments["path"] = Value{name};
  arguments["value"] = to_value(value, system.name());
  handle.owner->world.apply_now({0, system.name(), "set", std::move(arguments)});
}

std::string text_of(const SystemHandle& handle, bool with_values) {
  sim::System& system = handle.get();
  std::string text =
      "'" + system.name() + "', a " + std::string(system.kind()) + " system: " + system.estimate().size +
      ".\n\nState arrays (NumPy views, writable):\n" +
      arrays_table(system.state(), [&](const ArrayRef& array) { return shape_text(system, array); }) +
      "\nParameters (live ones may be assigned at any time):\n" +
      params_table(system.params_type(), with_values ? system.params() : nullptr);
  if (!with_values)
    text +=
        "\nMethods: apply(action, **arguments), figures(), drawables(), describe() (this with present "
        "values).\n"
        "Properties: name, kind, params, step_limit.";
  return text;
}

py::list names_for_dir(const py::object& self) {
  py::list names = py::module_::import("builtins").attr("object").attr("__dir__")(self);
  for (const std::string& name : names_of(self.cast<const SystemHandle&>())) names.append(name);
  return names;
}

// ---- drawables ----

void add_attributes(py::dict& dict, const std::vector<ports::Attribute>& attributes) {
  for (const ports::Attribute& attribute : attributes)
    dict[py::str(attribute.name)] = to_numpy(attribute.values, attribute.components);
}

template <std::size_t N>
py::array elements_of(std::span<const std::array<std::uint32_t, N>> elements) {
  return to_numpy(std::vector<std::array<std::uint32_t, N>>(elements.begin(), elements.end()));
}

struct ShapeToDict {
  py::dict& out;
  void operator()(const ports::TriangleSurface& s) {
    out["kind"] = "triangles", out["positions"] = to_numpy(s.positions);
    out["triangles"] = elements_of(s.triangles);
    add_attributes(out, s.attributes);
  }
  void operator()(const ports::Points& s) {
    out["kind"] = "points", out["positions"] = to_numpy(s.positions), out["radius"] = s.radius;
    add_attributes(out, s.attributes);
  }
  void operator()(const ports::Curves& s) {
    out["kind"] = "curves", out["positions"] = to_numpy(s.positions), out["radius"] = s.radius;
    out["lines"] = elements_of(s.lines);
    add_attributes(out, s.attributes);
  }
  void operator()(const ports::Volume& s) {
    out["kind"] = "volume", out["origin"] = to_numpy(s.origin), out["cell_size"] = s.cell_size;
    for (const auto& field : s.fields) {
      // x fastest in memory, so the first axis of the C-ordered array is z.
      py::object values = to_numpy(field.values, field.components);
      const py::tuple shape = field.components > 1
                                  ? py::make_tuple(s.cells[2], s.cells[1], s.cells[0], field.components)
                                  : py::make_tuple(s.cells[2], s.cells[1], s.cells[0]);
      out[py::str(field.name)] = values.attr("reshape")(shape);
    }
  }
  void operator()(const ports::Vectors& s) {
    out["kind"] = "vectors", out["origins"] = to_numpy(s.origins), out["values"] = to_numpy(s.values);
  }
  void operator()(const ports::HeightSurface& s) {
    out["kind"] = "heights", out["origin"] = to_numpy(s.origin), out["spacing"] = s.spacing;
    const py::object heights = to_numpy(s.heights);
    out["heights"] = heights.attr("reshape")(py::make_tuple(s.samples[1], s.samples[0]));
    add_attributes(out, s.attributes);
  }
};

}  // namespace

py::list drawables_of(sim::System& system) {
  py::list list;
  for (const ports::Drawable& drawable : system.drawables()) {
    py::dict dict;
    dict["name"] = drawable.name;
    dict["colour"] = to_numpy(drawable.colour);
    std::visit(ShapeToDict{dict}, drawable.shape);
    list.append(dict);
  }
  return list;
}

py::object make_system(const std::shared_ptr<WorldHandle>& owner, sim::System& system) {
  const SystemHandle handle{owner, &system};
  py::object object = py::cast(handle);
  // An instance's own __doc__, so that help(world["cloth"]) speaks of this system.
  const py::str doc(text_of(handle, false));
  if (PyObject_GenericSetAttr(object.ptr(), py::str("__doc__").ptr(), doc.ptr()) != 0)
    throw py::error_already_set();
  return object;
}

void bind_system(py::module_& m) {
  py::class_<SystemHandle>(m, "System", py::dynamic_attr(), kClassDoc)
      .def_property_readonly(
          "name", [](const SystemHandle& s) { return s.get().name(); }, "As in the scene.")
      .def_property_readonly(
          "kind", [](const SystemHandle& s) { return std::string(s.get().kind()); },
          "The solver: \"mass_spring\", ...")
      .def_property_readonly(
          "params",
          [](const SystemHandle& s) { return from_value(write(s.get().params_type(), s.get().params())); },
          "All parameters as a dictionary (a copy; assign attributes to change one).")
      .def_property_readonly(
          "step_limit",
          [](const SystemHandle& s) { return s.get().step_limit(s.owner->world.environment()); },
          "The longest step the system takes as it is now, in s; inf when there is no limit.")
      .def(
          "figures",
          [](const SystemHandle& s) {
            py::dict figures;
            for (const auto& [name, value] : s.get().figures(s.owner->world.environment()))
              figures[py::str(name)] = value;
            return figures;
          },
          "What stats.csv records of this system, now: energies (J), largest stretch, speed (m/s), ...")
      .def(
          "drawables", [](const SystemHandle& s) { return drawables_of(s.get()); },
          "What the system looks like: a list of dictionaries of arrays (copies).")
      .def(
          "apply",
          [](const SystemHandle& s, const std::string& action, const py::kwargs& arguments) {
            s.owner->world.apply_now({0, s.get().name(), action, to_value(arguments, "")});
          },
          py::arg("action"),
          "Applies an action at once and records it as an input event:\n"
          "world[\"cloth\"].apply(\"grab\", vertex=3, target=[0, 1, 0]).")
      .def(
          "describe", [](const SystemHandle& s) { return text_of(s, true); },
          "A table of the arrays and parameters with units, meaning, accepted range and present value.")
      .def("__getattr__", &get)
      .def("__setattr__",
           [](const py::object& self, const std::string& name, const py::object& value) {
             if (py::hasattr(py::type::of(self), name.c_str()))
               throw py::attribute_error("'" + name + "' cannot be assigned");
             set(self.cast<const SystemHandle&>(), name, value);
           })
      .def("__getitem__", &get, py::arg("name"))
      .def("__setitem__", &set, py::arg("name"), py::arg("value"))
      .def("__dir__", &names_for_dir)
      .def("__repr__", [](const SystemHandle& s) {
        return "<selkie.System '" + s.get().name() + "': " + std::string(s.get().kind()) + ", " +
               s.get().estimate().size + ">";
      });
}

}  // namespace selkie::python
