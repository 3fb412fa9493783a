// Reading, writing and documenting described structs; the only place that turns a Value into a Params.
#include "selkie/core/schema.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/check.h"
#include "selkie/core/text.h"

namespace selkie {
namespace {

const Field kNoLimits{.lo = -std::numeric_limits<double>::infinity(),
                      .hi = std::numeric_limits<double>::infinity()};

void* pointer(const void* object) { return const_cast<void*>(object); }

[[noreturn]] void wrong_type(const Value& value, const std::string& path, const std::string& expected) {
  throw InputError(value.place.location(),
                   "'" + path + "' must be " + expected + ", but is " + std::string(value.kind_name()));
}

std::string range_text(const Field& field) {
  const bool lower = std::isfinite(field.lo), upper = std::isfinite(field.hi);
  const std::string unit = field.unit.empty() ? "" : " " + field.unit;
  if (lower && upper)
    return (field.lo_open ? "greater than " : "from ") + number_text(field.lo) +
           (field.lo_open ? " and at most " : " to ") + number_text(field.hi) + unit;
  if (lower) return (field.lo_open ? "greater than " : "at least ") + number_text(field.lo) + unit;
  if (upper) return "at most " + number_text(field.hi) + unit;
  return "finite";
}

double checked_number(const Value& value, const Field& field, const std::string& path) {
  if (!value.is_number()) wrong_type(value, path, "a number");
  const double number = value.number();
  const bool too_low = field.lo_open ? !(number > field.lo) : !(number >= field.lo);
  if (!std::isfinite(number) || too_low || !(number <= field.hi))
    throw InputError(value.place.location(),
                     "'" + path + "' is " + number_text(number) + ", which is out of range",
                     "use a value " + range_text(field));
  return number;
}

std::int64_t checked_integer(const Value& value, const Type& type, const Field& field,
                             const std::string& path) {
  if (std::holds_alternative<double>(value.data) && std::floor(value.number()) != value.number())
    wrong_type(value, path, "a whole number");
  const double number = checked_number(value, field, path);
  if (type.kind != Kind::boolean && !(number >= type.integer_lo && number <= type.integer_hi))
    throw InputError(
        value.place.location(), "'" + path + "' is too large for a whole number here",
        "use a value from " + number_text(type.integer_lo) + " to " + number_text(type.integer_hi));
  if (std::holds_alternative<std::int64_t>(value.data)) return std::get<std::int64_t>(value.data);
  return static_cast<std::int64_t>(number);
}

void read_value(const Type& type, const Field& limits, const Value& value, void* object,
                const std::string& path);

void read_choice(const Type& type, const Value& value, void* object, const std::string& path) {
  if (!std::holds_alternative<std::string>(value.data))
    wrong_type(value, path, "one of " + join_choices(type.choices) + " (as text)");
  const std::string& word = std::get<std::string>(value.data);
  for (std::size_t i = 0; i < type.choices.size(); ++i)
    if (type.choices[i] == word) return type.set_integer(object, static_cast<std::int64_t>(i));
  const std::string nearest = nearest_word(word, type.choices);
  throw InputError(
      value.place.location(), "'" + path + "' does not know \"" + word + "\"",
      (nearest.empty() ? "" : "did you mean \"" + nearest + "\"? ") + "Known: " + join_choices(type.choices));
}

void read_vector(const Type& type, const Field& limits, const Value& value, void* object,
                 const std::string& path) {
  const std::string expected =
      "a list of " + std::to_string(type.components) + (type.integral ? " whole" : "") + " numbers";
  if (!value.is_array()) wrong_type(value, path, expected);
  if (value.array().size() != static_cast<std::size_t>(type.components))
    throw InputError(value.place.location(), "'" + path + "' must be " + expected + ", but has " +
                                                 std::to_string(value.array().size()));
  for (int i = 0; i < type.components; ++i) {
    const Value& element = value.array()[static_cast<std::size_t>(i)];
    const std::string element_path = path + "[" + std::to_string(i) + "]";
    const double number = type.integral
                              ? static_cast<double>(checked_integer(element, type, limits, element_path))
                              : checked_number(element, limits, element_path);
    type.set_number(object, i, number);
  }
}

// The place of a dotted member path inside `value`, or of the nearest enclosing thing that was written.
Place place_of(const Value& value, std::string_view member) {
  const Value* at = &value;
  while (!member.empty()) {
    const std::size_t dot = member.find('.');
    const std::string_view head = member.substr(0, dot);
    const Value* next = at->find(head);
    if (!next && at->is_array() && head.find_first_not_of("0123456789") == std::string_view::npos) {
      const auto index = static_cast<std::size_t>(std::stoul(std::string(head)));
      if (index < at->array().size()) next = &at->array()[index];
    }
    if (!next) break;
    at = next;
    member = dot == std::string_view::npos ? std::string_view{} : member.substr(dot + 1);
  }
  return at->place;
}

void read_table(const Type& type, const Value& value, void* object, const std::string& path) {
  if (!value.is_table()) wrong_type(value, path, "a table");
  const std::vector<std::string> known = type.field_names();
  for (const TableEntry& entry : value.table()) {
    const Field* field = type.find(entry.key);
    if (!field) {
      const std::string nearest = nearest_word(entry.key, known);
      throw InputError(
          entry.key_place.location(),
          "unknown key '" + entry.key + "'" + (path.empty() ? "" : " in '" + path + "'"),
          (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") + "Known: " + join_choices(known));
    }
    read_value(*field->type, *field, entry.value, field->member(object),
               path.empty() ? entry.key : path + "." + entry.key);
  }
  for (const Field& field : type.fields)
    if (field.required && !value.find(field.name))
      throw InputError(value.place.location(), "'" + path + "' lacks the key '" + field.name + "'",
                       "add " + field.name + ": " + field.text);
  if (type.kind == Kind::one_of) {
    std::size_t set = 0;
    for (const Field& field : type.fields) set += field.type->size(field.member(object));
    if (set != 1)
      throw InputError(value.place.location(),
                       "'" + path + "' must hold exactly one key, but holds " + std::to_string(set),
                       "choose one of " + join_choices(known));
  }
  if (type.validate)
    for (const Problem& problem : type.validate(object))
      throw InputError(
          place_of(value, problem.member).location(),
          "'" + path + (problem.member.empty() ? "" : "." + problem.member) + "' " + problem.text,
          problem.remedy);
}

void read_value(const Type& type, const Field& limits, const Value& value, void* object,
                const std::string& path) {
  switch (type.kind) {
    case Kind::number:
      return type.set_number(object, 0, checked_number(value, limits, path));
    case Kind::integer:
      if (!value.is_number()) wrong_type(value, path, "a whole number");
      return type.set_integer(object, checked_integer(value, type, limits, path));
    case Kind::boolean:
      if (!std::holds_alternative<bool>(value.data)) wrong_type(value, path, "true or false");
      return type.set_integer(object, std::get<bool>(value.data));
    case Kind::text:
      if (!std::holds_alternative<std::string>(value.data)) wrong_type(value, path, "a piece of text");
      *static_cast<std::string*>(object) = std::get<std::string>(value.data);
      return;
    case Kind::choice:
      return read_choice(type, value, object, path);
    case Kind::vector:
      return read_vector(type, limits, value, object, path);
    case Kind::list:
      if (!value.is_array()) wrong_type(value, path, "a list");
      type.resize(object, 0);  // so that no element keeps what an earlier reading left
      type.resize(object, value.array().size());
      for (std::size_t i = 0; i < value.array().size(); ++i)
        read_value(*type.element, limits, value.array()[i], type.at(object, i),
                   path + "[" + std::to_string(i) + "]");
      return;
    case Kind::optional:
      type.resize(object, 1);
      return read_value(*type.element, limits, value, type.at(object, 0), path);
    case Kind::table:
    case Kind::one_of:
      return read_table(type, value, object, path);
  }
}

}  // namespace

const Field* Type::find(std::string_view name) const {
  for (const Field& field : fields)
    if (field.name == name) return &field;
  return nullptr;
}

std::vector<std::string> Type::field_names() const {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

void read(const Type& type, const Value& value, void* object, const std::string& path) {
  read_value(type, kNoLimits, value, object, path);
}

Value write(const Type& type, const void* object) {
  Value value;
  switch (type.kind) {
    case Kind::number:
      value.data = type.get_number(object, 0);
      break;
    case Kind::integer:
      value.data = type.get_integer(object);
      break;
    case Kind::boolean:
      value.data = type.get_integer(object) != 0;
      break;
    case Kind::text:
      value.data = *static_cast<const std::string*>(object);
      break;
    case Kind::choice:
      value.data = type.choices[static_cast<std::size_t>(type.get_integer(object))];
      break;
    case Kind::vector: {
      ValueArray array;
      for (int i = 0; i < type.components; ++i) {
        const double number = type.get_number(object, i);
        array.push_back(type.integral ? Value{static_cast<std::int64_t>(number)} : Value{number});
      }
      value.data = std::move(array);
      break;
    }
    case Kind::list: {
      ValueArray array;
      for (std::size_t i = 0; i < type.size(object); ++i)
        array.push_back(write(*type.element, type.at(pointer(object), i)));
      value.data = std::move(array);
      break;
    }
    case Kind::optional:
      if (type.size(object) == 1) value = write(*type.element, type.at(pointer(object), 0));
      break;
    case Kind::table:
    case Kind::one_of: {
      ValueTable table;
      for (const Field& field : type.fields) {
        Value member = write(*field.type, field.member(pointer(object)));
        if (!std::holds_alternative<std::monostate>(member.data))
          table.push_back({field.name, std::move(member), {}});
      }
      value.data = std::move(table);
      break;
    }
  }
  return value;
}

void assign(const Type& type, void* object, std::string_view path, const Value& value, bool live_only) {
  const Type* at = &type;
  const Field* field = &kNoLimits;
  std::string seen;
  while (!path.empty()) {
    while (at->kind == Kind::optional) {  // step through: setting a member of an absent table makes the table
      at->resize(object, 1);
      object = at->at(object, 0);
      at = at->element;
    }
    const std::size_t dot = path.find('.');
    const std::string head(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    if (at->kind == Kind::list) {
      const bool digits =
          !head.empty() && head.size() < 10 && head.find_first_not_of("0123456789") == head.npos;
      if (!digits || std::stoul(head) >= at->size(object))
        throw InputError(value.place.location(), "'" + seen + "' has no element '" + head + "'",
                         "it holds " + std::to_string(at->size(object)) + " element(s), counted from 0");
      object = at->at(object, std::stoul(head));
      at = at->element;
    } else {
      const Field* next = at->kind == Kind::table || at->kind == Kind::one_of ? at->find(head) : nullptr;
      if (!next) {
        const std::vector<std::string> known = at->field_names();
        const std::string nearest = nearest_word(head, known);
        throw InputError(value.place.location(),
                         "unknown key '" + head + "'" + (seen.empty() ? "" : " in '" + seen + "'"),
                         known.empty() ? "'" + seen + "' has no keys of its own"
                                       : (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") +
                                             "Known: " + join_choices(known));
      }
      field = next;
      object = field->member(object);
      at = field->type;
    }
    seen += (seen.empty() ? "" : ".") + head;
  }
  if (live_only && !field->live)
    throw InputError(value.place.location(), "'" + seen + "' cannot change while the world runs",
                     "set it in the scene and start again");
  read_value(*at, *field, value, object, seen);
}

void apply_scale(const Type& type, void* object, double scale) {
  if (type.kind == Kind::list || type.kind == Kind::optional) {
    for (std::size_t i = 0; i < type.size(object); ++i) apply_scale(*type.element, type.at(object, i), scale);
    return;
  }
  for (const Field& field : type.fields) {
    void* member = field.member(object);
    if (!field.scaled) {
      apply_scale(*field.type, member, scale);
      continue;
    }
    // A coarser scene must still satisfy the member's own range (three sides make a ring).
    auto scaled = [&](double count) {
      return std::min(std::max({1.0, field.lo, std::round(count * scale)}), field.hi);
    };
    if (field.type->kind == Kind::integer)
      field.type->set_integer(
          member, static_cast<std::int64_t>(scaled(static_cast<double>(field.type->get_integer(member)))));
    else if (field.type->kind == Kind::vector)
      for (int i = 0; i < field.type->components; ++i)
        field.type->set_number(member, i, scaled(field.type->get_number(member, i)));
    else
      SELKIE_CHECK(false, "only whole numbers and vectors of them can be scaled()");
  }
}

std::string type_text(const Type& type) {
  switch (type.kind) {
    case Kind::number:
      return "number";
    case Kind::integer:
      return "whole number";
    case Kind::boolean:
      return "true or false";
    case Kind::text:
      return "text";
    case Kind::choice:
      return "one of " + join_choices(type.choices);
    case Kind::vector:
      return std::to_string(type.components) + (type.integral ? " whole numbers" : " numbers");
    case Kind::list:
      return "list of: " + type_text(*type.element);
    case Kind::optional:
      return type_text(*type.element);
    case Kind::table:
      return "table";
    case Kind::one_of:
      return "table with one of the keys " + join_choices(type.field_names());
  }
  return {};
}

Value json_schema(const Type& type) {
  Value schema;
  auto text = [](std::string_view s) { return Value{std::string(s)}; };
  switch (type.kind) {
    case Kind::number:
      schema["type"] = text("number");
      break;
    case Kind::integer:
      schema["type"] = text("integer");
      break;
    case Kind::boolean:
      schema["type"] = text("boolean");
      break;
    case Kind::text:
      schema["type"] = text("string");
      break;
    case Kind::choice: {
      ValueArray names;
      for (const std::string& name : type.choices) names.push_back(text(name));
      schema["enum"].data = std::move(names);
      break;
    }
    case Kind::vector:
      schema["type"] = text("array");
      schema["items"]["type"] = text(type.integral ? "integer" : "number");
      schema["minItems"].data = std::int64_t{type.components};
      schema["maxItems"].data = std::int64_t{type.components};
      break;
    case Kind::list:
      schema["type"] = text("array");
      schema["items"] = json_schema(*type.element);
      break;
    case Kind::optional:
      return json_schema(*type.element);
    case Kind::table:
    case Kind::one_of: {
      schema["type"] = text("object");
      schema["additionalProperties"].data = false;
      if (type.kind == Kind::one_of) {
        schema["minProperties"].data = std::int64_t{1};
        schema["maxProperties"].data = std::int64_t{1};
      }
      const Value defaults = type.defaults ? type.defaults() : Value{};
      ValueArray required;
      Value properties{ValueTable{}};
      for (const Field& field : type.fields) {
        Value property = json_schema(*field.type);
        property["description"] =
            text(field.unit.empty() ? field.text : field.text + " [" + field.unit + "]");
        if (field.type->kind == Kind::number || field.type->kind == Kind::integer) {
          if (std::isfinite(field.lo))
            property[field.lo_open ? "exclusiveMinimum" : "minimum"].data = field.lo;
          if (std::isfinite(field.hi)) property["maximum"].data = field.hi;
        }
        if (const Value* preset = defaults.find(field.name); preset && !field.required)
          property["default"] = *preset;
        if (field.required) required.push_back(text(field.name));
        properties[field.name] = std::move(property);
      }
      schema["properties"] = std::move(properties);
      if (!required.empty()) schema["required"].data = std::move(required);
      break;
    }
  }
  return schema;
}

}  // namespace selkie
