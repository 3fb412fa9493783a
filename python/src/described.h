// Attributes of Python objects that come from describe(): parameters by name, arrays by name, the texts that
// help() shows. Shared by systems of a World and by a solver's own Params and State.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "selkie/core/schema.h"
#include "selkie/core/state_arrays.h"

namespace selkie::python {

// The array called `name`, or nullptr.
const ArrayRef* find_array(std::span<const ArrayRef> arrays, std::string_view name);

// One line per member: name, unit, what is accepted, what it means. `object` adds the present value of each
// parameter.
std::string params_table(const Type& type, const void* object = nullptr);
// `shape` names the shape of an array that is a field of a grid; "": it is none.
std::string arrays_table(std::span<const ArrayRef> arrays,
                         const std::function<std::string(const ArrayRef&)>& shape = {});

// Fills a described object from keyword arguments, with read()'s checks; `name` is what messages call it.
void read_keywords(const Type& type, void* object, const pybind11::kwargs& keywords, const std::string& name);

// "'cloth' has no attribute 'stifness'\n  did you mean 'stiffness'? ..."
[[noreturn]] void unknown_attribute(const std::string& owner, const std::string& name,
                                    std::span<const std::string> known);

}  // namespace selkie::python
