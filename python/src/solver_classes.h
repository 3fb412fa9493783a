// What the modules of single solvers share: Params and State as Python classes made from describe(), and the
// interval of one step.
#pragma once

#include <pybind11/pybind11.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "arrays.h"
#include "described.h"
#include "errors.h"
#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/ports/time.h"
#include "value_conversion.h"

namespace selkie::python {

namespace py = pybind11;

// [time, time + dt] in ticks of dt / 2^32, so that the interval's length is dt to the last bit.
inline Interval interval_of(double time, double dt) {
  if (!(std::isfinite(dt) && dt > 0)) throw InputError("'dt' is " + number_text(dt), "use a time above 0 s");
  const double begin = time / dt;
  if (!(std::abs(begin) < 0x1p30))
    throw InputError("'time' is too large for steps of " + number_text(dt) + " s");
  const auto tick = static_cast<Tick>(std::llround(begin * static_cast<double>(kTicksPerFrame)));
  return {tick, tick + kTicksPerFrame, dt / static_cast<double>(kTicksPerFrame)};
}

// Params(name=value, ...) with an attribute per parameter; `head` is the first line of its help.
template <class Params>
void bind_params(py::module_& m, const std::string& head) {
  const Type& type = type_of<Params>();
  const Params fresh;
  const std::string doc = head + "\n\n" + params_table(type, &fresh);
  auto get = [&type](const Params& p, const std::string& name) {
    const Field* field = type.find(name);
    if (!field) unknown_attribute("Params", name, type.field_names());
    return from_value(write(*field->type, field->member(&p)));
  };
  auto set = [&type](Params& p, const std::string& name, const py::object& value) {
    if (!type.find(name)) unknown_attribute("Params", name, type.field_names());
    assign(type, &p, name, to_value(value, ""), false);
  };
  py::class_<Params>(m, "Params", doc.c_str())
      .def(py::init([&type](const py::kwargs& keywords) {
        Params params;
        read_keywords(type, &params, keywords, "params");
        return params;
      }))
      .def("__getattr__", get)
      .def("__setattr__", set)
      .def("__dir__",
           [&type](const py::object& self) {
             py::list names = py::module_::import("builtins").attr("object").attr("__dir__")(self);
             for (const std::string& name : type.field_names()) names.append(name);
             return names;
           })
      .def(
          "to_dict", [&type](const Params& p) { return from_value(write(type, &p)); }, "All parameters.")
      .def(
          "copy", [](const Params& p) { return p; }, "An independent copy.")
      .def("__repr__", [&type](const Params& p) { return "Params" + to_toml_inline(write(type, &p)); });
}

inline std::vector<std::string> names_of(std::span<const ArrayRef> arrays) {
  std::vector<std::string> names;
  for (const ArrayRef& array : arrays) names.push_back(array.name);
  return names;
}

// Attributes of a handle with a member `state`: views of its arrays.
template <class Handle>
void bind_state_arrays(py::class_<Handle, std::shared_ptr<Handle>>& c) {
  using Pointer = std::shared_ptr<Handle>;
  c.def("__getattr__",
        [](const Pointer& s, const std::string& name) {
          const std::vector<ArrayRef> arrays = arrays_of(s->state);
          const ArrayRef* array = find_array(arrays, name);
          if (!array) unknown_attribute("State", name, names_of(arrays));
          return read_array(*array, s);
        })
      .def("__setattr__",
           [](const Pointer& s, const std::string& name, const py::object& value) {
             const std::vector<ArrayRef> arrays = arrays_of(s->state);
             const ArrayRef* array = find_array(arrays, name);
             if (!array) unknown_attribute("State", name, names_of(arrays));
             write_array(*array, value, name);
           })
      .def("__dir__",
           [](const py::object& self) {
             py::list names = py::module_::import("builtins").attr("object").attr("__dir__")(self);
             for (const std::string& name : names_of(arrays_of(self.cast<Pointer>()->state)))
               names.append(name);
             return names;
           })
      .def(
          "copy",
          [](const Handle& s) {
            auto copy = std::make_shared<Handle>();
            copy->model = s.model;
            copy->state = s.state;
            return copy;
          },
          "An independent copy.");
}

// The state a step starts from is a handle's `before`; a step that fails leaves the state as it was.
template <class Handle, class Step>
auto step_or_restore(Handle& handle, double time, Step&& step) {
  handle.before = handle.state;
  auto restore = [&] { handle.state = handle.before; };
  try {
    const auto report = step();
    if (report.ok) return report;
    restore();
    throw NumericalError(report.trouble, time, 0);
  } catch (const NumericalError&) {
    throw;
  } catch (...) {  // what a Python function raised
    restore();
    throw;
  }
}

}  // namespace selkie::python
