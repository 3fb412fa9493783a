// See value_conversion.h.
#include "bindings.h"
#include "selkie/core/error.h"
#include "value_conversion.h"

namespace selkie::python {
namespace {

Place place_of(const std::string& name) {
  return name.empty() ? Place{} : Place{std::make_shared<const std::string>(name), 0, 0};
}

std::string type_name(py::handle object) {
  return std::string(py::str(py::type::handle_of(object).attr("__name__")));
}

// Python's text may hold what UTF-8 has no code for: halves of surrogate pairs.
std::string utf8_of(py::handle object, const std::string& name) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (bytes) return {bytes, static_cast<std::size_t>(size)};
  PyErr_Clear();
  throw InputError(place_of(name).location(),
                   "the text " + std::string(py::str(py::module_::import("builtins").attr("ascii")(object))) +
                       " is not valid Unicode");
}

std::string part(const std::string& name, const std::string& index) {
  return name.empty() ? name : name + "[" + index + "]";
}

Value table_of(const py::dict& dict, const std::string& name) {
  ValueTable table;
  for (const auto& [key, member] : dict) {
    if (!py::isinstance<py::str>(key))
      throw InputError(place_of(name).location(), "the key " + std::string(py::repr(key)) + " is not text");
    if (member.is_none()) continue;
    const std::string word = utf8_of(key, name);
    const std::string inner = part(name, "\"" + word + "\"");
    table.push_back({word, to_value(member, inner), place_of(inner)});
  }
  return {std::move(table), place_of(name)};
}

Value list_of(const py::sequence& list, const std::string& name) {
  ValueArray array;
  array.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i)
    array.push_back(to_value(py::object(list[i]), part(name, std::to_string(i))));
  return {std::move(array), place_of(name)};
}

Value integer_of(py::handle object, const std::string& name) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow)
    throw InputError(place_of(name).location(),
                     "the number " + std::string(py::str(object)) + " does not fit into 64 bits");
  return {static_cast<std::int64_t>(number), place_of(name)};
}

}  // namespace

Value to_value(py::handle object, const std::string& name) {
  if (PyBool_Check(object.ptr())) return {object.ptr() == Py_True, place_of(name)};
  if (PyLong_Check(object.ptr())) return integer_of(object, name);
  if (PyFloat_Check(object.ptr())) return {PyFloat_AsDouble(object.ptr()), place_of(name)};
  if (py::isinstance<py::str>(object)) return {utf8_of(object, name), place_of(name)};
  if (py::isinstance<py::dict>(object)) return table_of(py::reinterpret_borrow<py::dict>(object), name);
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object))
    return list_of(py::reinterpret_borrow<py::sequence>(object), name);
  if (py::hasattr(object, "__fspath__")) return {path_from(object).string(), place_of(name)};
  // NumPy arrays and scalars turn into lists and numbers.
  if (py::hasattr(object, "tolist")) return to_value(object.attr("tolist")(), name);
  throw InputError(place_of(name).location(),
                   "a Python object of type " + type_name(object) + " cannot be used here",
                   "use numbers, text, true or false, lists, dictionaries or NumPy arrays");
}

Value argument_value(py::handle object, const std::string& name) {
  try {
    return to_value(object, "");
  } catch (const InputError& error) {
    throw InputError("'" + name + "': " + error.problem(), error.remedy());
  }
}

std::vector<py::object> items_from(py::handle object, const std::string& name, const std::string& kind) {
  const auto iterator = py::reinterpret_steal<py::iterator>(PyObject_GetIter(object.ptr()));
  if (!iterator) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
    PyErr_Clear();
    throw InputError("'" + name + "' must be a list of " + kind + ", but is of type " + type_name(object));
  }
  std::vector<py::object> items;
  for (const py::handle item : iterator) items.push_back(py::reinterpret_borrow<py::object>(item));
  return items;
}

py::object from_value(const Value& value) {
  if (const auto* b = std::get_if<bool>(&value.data)) return py::bool_(*b);
  if (const auto* i = std::get_if<std::int64_t>(&value.data)) return py::int_(*i);
  if (const auto* d = std::get_if<double>(&value.data)) return py::float_(*d);
  if (const auto* s = std::get_if<std::string>(&value.data)) return py::str(*s);
  if (value.is_array()) {
    py::list list;
    for (const Value& element : value.array()) list.append(from_value(element));
    return list;
  }
  if (value.is_table()) {
    py::dict dict;
    for (const TableEntry& entry : value.table()) dict[py::str(entry.key)] = from_value(entry.value);
    return dict;
  }
  return py::none();
}

std::vector<std::string> settings_from(py::handle object) {
  std::vector<std::string> settings;
  if (object.is_none()) return settings;
  if (py::isinstance<py::str>(object)) return {utf8_of(object, "set")};
  if (py::isinstance<py::dict>(object)) {
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(object)) {
      const auto path = std::string(py::str(key));
      settings.push_back(path + "=" + to_toml_inline(to_value(value, "set[\"" + path + "\"]")));
    }
    return settings;
  }
  for (const py::object& setting : items_from(object, "set", "texts")) {
    if (!py::isinstance<py::str>(setting))
      throw InputError("'set' holds " + std::string(py::repr(setting)) + ", which is not text",
                       "write {\"cloth.stiffness\": 200} or [\"cloth.stiffness=200\"]");
    settings.push_back(utf8_of(setting, "set"));
  }
  return settings;
}

std::filesystem::path path_from(py::handle object) {
  const auto text = py::reinterpret_steal<py::object>(PyOS_FSPath(object.ptr()));
  if (!text) throw py::error_already_set();
  if (PyBytes_Check(text.ptr())) return std::string(py::reinterpret_borrow<py::bytes>(text));
  // As Python itself names files: names that are not UTF-8 come as surrogates and go back to their bytes.
  const auto bytes = py::reinterpret_steal<py::bytes>(PyUnicode_EncodeFSDefault(text.ptr()));
  if (!bytes) throw py::error_already_set();
  return std::string(bytes);
}

}  // namespace selkie::python
