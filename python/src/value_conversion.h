// Value trees from and to Python objects: dictionaries, lists, numbers, text, NumPy arrays and scalars.
#pragma once

#include <pybind11/pybind11.h>

#include <filesystem>
#include <string>
#include <vector>

#include "selkie/core/schema.h"
#include "selkie/core/value.h"

namespace selkie::python {

// `name` is what messages call the object; parts of it are named as Python would index them:
// scene["mass_spring"][0]["stiffness"]. Keys whose value is None are left out. InputError for anything that
// has no counterpart.
Value to_value(pybind11::handle object, const std::string& name);
pybind11::object from_value(const Value& value);

// The same for an argument of a function; whatever is wrong with it, the message names the argument.
Value argument_value(pybind11::handle object, const std::string& name);

// A number, a whole number or text, checked as one in a scene file is: finite, and of the wanted kind.
template <class T>
T argument_from(pybind11::handle object, const std::string& name) {
  T result{};
  read(type_of<T>(), argument_value(object, name), &result, name);
  return result;
}

// What a list, or anything else that can be gone through, holds; `kind` is what it should hold, in words.
std::vector<pybind11::object> items_from(pybind11::handle object, const std::string& name,
                                         const std::string& kind);

// A dictionary {"cloth.stiffness": 200} or a list ["cloth.stiffness=200"] as `--set` texts; None is empty.
std::vector<std::string> settings_from(pybind11::handle object);

// str, pathlib.Path or anything with __fspath__.
std::filesystem::path path_from(pybind11::handle object);

}  // namespace selkie::python
