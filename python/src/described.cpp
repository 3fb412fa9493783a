// See described.h.
#include "described.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/text.h"
#include "value_conversion.h"

namespace selkie::python {
namespace {

std::string range_text(const Field& field) {
  const bool lower = std::isfinite(field.lo), upper = std::isfinite(field.hi);
  if (!lower && !upper) return "";
  const std::string low = (field.lo_open ? "> " : ">= ") + number_text(field.lo);
  const std::string high = "<= " + number_text(field.hi);
  return ", " + (lower && upper ? low + " and " + high : lower ? low : high);
}

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

}  // namespace

const ArrayRef* find_array(std::span<const ArrayRef> arrays, std::string_view name) {
  for (const ArrayRef& array : arrays)
    if (array.name == name) return &array;
  return nullptr;
}

std::string params_table(const Type& type, const void* object) {
  std::string text;
  std::size_t width = 0;
  for (const Field& field : type.fields) width = std::max(width, field.name.size());
  for (const Field& field : type.fields) {
    text += "  " + padded(field.name, width) + "  ";
    if (object) {
      const Value value = write(*field.type, field.member(object));
      const bool absent = std::holds_alternative<std::monostate>(value.data);
      text += "= " + (absent ? "not set" : to_toml_inline(value)) + "  ";
    }
    text += field.text + " [" + (field.unit.empty() ? "" : field.unit + "; ") + type_text(*field.type) +
            range_text(field) + "]\n";
  }
  return text;
}

std::string arrays_table(std::span<const ArrayRef> arrays,
                         const std::function<std::string(const ArrayRef&)>& field_shape) {
  std::string text;
  std::size_t width = 0;
  for (const ArrayRef& array : arrays) width = std::max(width, array.name.size());
  for (const ArrayRef& array : arrays) {
    const bool number = array.is_single && array.components == 1;
    const std::string components = std::to_string(array.components);
    const std::string field = field_shape ? field_shape(array) : "";
    const std::string shape = !field.empty()    ? field
                              : number          ? "number"
                              : array.is_single ? "(" + components + ",)"
                              : array.components > 1
                                  ? "(" + std::to_string(array.count) + ", " + components + ")"
                                  : "(" + std::to_string(array.count) + ",)";
    text += "  " + padded(array.name, width) + "  " + array.text + " [" +
            (array.unit.empty() ? "" : array.unit + "; ") + std::string(scalar_name(array.scalar)) + " " +
            shape + "]\n";
  }
  return text;
}

void read_keywords(const Type& type, void* object, const pybind11::kwargs& keywords,
                   const std::string& name) {
  read(type, to_value(keywords, ""), object, name);
}

void unknown_attribute(const std::string& owner, const std::string& name,
                       std::span<const std::string> known) {
  const std::string nearest = nearest_word(name, known);
  throw pybind11::attribute_error("'" + owner + "' has no attribute '" + name + "'\n  " +
                                  (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") +
                                  "Known: " + join_choices(known));
}

}  // namespace selkie::python
