// Reading, writing and changing described structs; the only place that turns a Value into a Params.
#include "selkie/core/schema.h"

#include <cmath>

#include "selkie/core/check.h"
#include "selkie/core/text.h"

namespace selkie {
namespace {

const Field kNoLimits{.lo = -std::numeric_limits<double>::infinity(),
                      .hi = std::numeric_limits<double>::infinity()};

void* pointer(const void* object) { return const_cast<void*>(object); }

// How messages call the thing at `path`; the outermost table has none.
std::string named(const std::string& path) { return path.empty() ? "the table" : "'" + path + "'"; }

// What a user wrote, where it is short enough to repeat.
std::string shown(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value.data))
    return text->size() <= 60 ? "the text \"" + *text + "\"" : std::string(value.kind_name());
  if (const auto* boolean = std::get_if<bool>(&value.data)) return *boolean ? "true" : "false";
  return value.is_number() ? number_text(value.number()) : std::string(value.kind_name());
}

[[noreturn]] void wrong_type(const Value& value, const std::string& path, const std::string& expected,
                             const std::string& remedy = {}) {
  throw InputError(value.place.location(), named(path) + " must be " + expected + ", but is " + shown(value),
                   remedy);
}

// The path of a Problem ("pin.0.box") as reading spells it ("pin[0].box").
std::string with_brackets(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view head = path.substr(0, dot);
    if (head.find_first_not_of("0123456789") == std::string_view::npos)
      out += "[" + std::string(head) + "]";
    else
      out += (out.empty() ? "" : ".") + std::string(head);
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return out;
}

std::string accepted_values(const Field& field) {
  const bool lower = std::isfinite(field.lo), upper = std::isfinite(field.hi);
  const std::string unit = field.unit.empty() ? "" : " " + field.unit;
  if (lower && upper)
    return (field.lo_open ? "a value greater than " : "a value from ") + number_text(field.lo) +
           (field.lo_open ? " and at most " : " to ") + number_text(field.hi) + unit;
  if (lower)
    return (field.lo_open ? "a value greater than " : "a value of at least ") + number_text(field.lo) + unit;
  if (upper) return "a value of at most " + number_text(field.hi) + unit;
  return "a finite value";
}

double checked_number(const Value& value, const Field& field, const std::string& path) {
  if (!value.is_number()) wrong_type(value, path, "a number");
  const double number = value.number();
  const bool too_low = field.lo_open ? !(number > field.lo) : !(number >= field.lo);
  if (!std::isfinite(number) || too_low || !(number <= field.hi))
    throw InputError(value.place.location(),
                     "'" + path + "' is " + number_text(number) + ", which is out of range",
                     "use " + accepted_values(field));
  return number;
}

std::int64_t checked_integer(const Value& value, const Type& type, const Field& field,
                             const std::string& path) {
  if (std::holds_alternative<double>(value.data) && std::floor(value.number()) != value.number())
    wrong_type(value, path, "a whole number");
  const double number = checked_number(value, field, path);
  // A double at 2^63 compares equal to the rounded limit of int64 but does not fit into it.
  const bool fits = number >= type.integer_lo && number <= type.integer_hi;
  const bool beyond = std::holds_alternative<double>(value.data) && number >= 0x1p63;
  if (!fits || beyond)
    throw InputError(
        value.place.location(), "'" + path + "' does not fit into a whole number here",
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

// The rules across the members of a table that has been filled.
void check_table(const Type& type, const Value& value, void* object, const std::string& path) {
  if (type.kind == Kind::one_of) {
    std::size_t set = 0;
    for (const Field& field : type.fields) set += field.type->size(field.member(object));
    if (set != 1)
      throw InputError(value.place.location(),
                       named(path) + " must hold exactly one key, but holds " + std::to_string(set),
                       "choose one of " + join_choices(type.field_names()));
  }
  if (!type.validate) return;
  for (const Problem& problem : type.validate(object)) {
    const std::string dot = path.empty() || problem.member.empty() ? "" : ".";
    throw InputError(find_place(value, problem.member).location(),
                     named(path + dot + with_brackets(problem.member)) + " " + problem.text, problem.remedy);
  }
}

// What a user may have meant by a key that the table does not know.
std::string guess(const Type& table, const std::string& key) {
  const std::vector<std::string> below = members_below(table, key);
  const std::string nearest = below.size() == 1 ? below[0] : nearest_word(key, table.field_names());
  return nearest.empty() ? "" : "did you mean '" + nearest + "'? ";
}

void read_table(const Type& type, const Value& value, void* object, const std::string& path) {
  if (!value.is_table()) wrong_type(value, path, "a table");
  for (const TableEntry& entry : value.table()) {
    const Field* field = type.find(entry.key);
    if (!field)
      throw InputError(entry.key_place.location(),
                       "unknown key '" + entry.key + "'" + (path.empty() ? "" : " in '" + path + "'"),
                       guess(type, entry.key) + "Known: " + join_choices(type.field_names()));
    read_value(*field->type, *field, entry.value, field->member(object),
               path.empty() ? entry.key : path + "." + entry.key);
  }
  for (const Field& field : type.fields)
    if (field.required && !value.find(field.name))
      throw InputError(value.place.location(), named(path) + " lacks the key '" + field.name + "'",
                       "add '" + field.name + "': " + field.text);
  check_table(type, value, object, path);
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
      if (!value.is_array()) {
        const bool tables = type.element->kind == Kind::table && value.is_table();
        wrong_type(value, path, "a list", tables ? "write [[" + path + "]] instead of [" + path + "]" : "");
      }
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

void detail::add_field(Type& table, const FieldText& text, bool inlined, std::size_t offset, const Type& type) {
  if (inlined) {
    for (Field field : type.fields) {
      field.offset += offset;
      table.fields.push_back(std::move(field));
    }
    return;
  }
  table.fields.push_back({std::string(text.name), std::string(text.unit), std::string(text.text), text.lo, text.hi,
                          text.lo_open, text.live, text.scaled, text.required, &type, offset});
}

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

std::vector<std::string> members_below(const Type& type, std::string_view name) {
  std::vector<std::string> paths;
  for (const Field& field : type.fields) {
    const Type* table = field.type;
    while (table->kind == Kind::optional) table = table->element;
    if (table->kind != Kind::table && table->kind != Kind::one_of) continue;
    if (table->find(name)) paths.push_back(field.name + "." + std::string(name));
    for (const std::string& path : members_below(*table, name)) paths.push_back(field.name + "." + path);
  }
  return paths;
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
        Value member = write(*field.type, field.member(object));
        if (!std::holds_alternative<std::monostate>(member.data))
          table.push_back({field.name, std::move(member), {}});
      }
      value.data = std::move(table);
      break;
    }
  }
  return value;
}

namespace {

// Where assign() stands on its way down a dotted path.
struct Cursor {
  const Type* type;
  void* object;
  const Field* field = &kNoLimits;
  std::string seen = {};
};

// One step down: into an element of a list or a member of a table.
void descend(Cursor& at, const std::string& head, const Value& value) {
  while (at.type->kind == Kind::optional) {  // setting a member of an absent table makes the table
    at.type->resize(at.object, 1);
    at.object = at.type->at(at.object, 0);
    at.type = at.type->element;
  }
  if (at.type->kind == Kind::list) {
    const bool digits =
        !head.empty() && head.size() < 10 && head.find_first_not_of("0123456789") == head.npos;
    if (!digits || std::stoul(head) >= at.type->size(at.object))
      throw InputError(
          value.place.location(), "'" + at.seen + "' has no element '" + head + "'",
          "it holds " + std::to_string(at.type->size(at.object)) + " element(s), counted from 0");
    at.object = at.type->at(at.object, std::stoul(head));
    at.type = at.type->element;
  } else {
    const bool has_fields = at.type->kind == Kind::table || at.type->kind == Kind::one_of;
    const Field* next = has_fields ? at.type->find(head) : nullptr;
    if (!next) {
      const std::vector<std::string> known = at.type->field_names();
      throw InputError(value.place.location(),
                       "unknown key '" + head + "'" + (at.seen.empty() ? "" : " in '" + at.seen + "'"),
                       known.empty() ? "'" + at.seen + "' has no keys of its own"
                                     : guess(*at.type, head) + "Known: " + join_choices(known));
    }
    at.field = next;
    at.object = next->member(at.object);
    at.type = next->type;
  }
  at.seen += (at.seen.empty() ? "" : ".") + head;
}

}  // namespace

void assign(const Type& type, void* object, std::string_view path, const Value& value, bool live_only) {
  SELKIE_CHECK(type.clone && !path.empty(), "assign() sets a member of a table");
  // Works on a copy, so that a refused value leaves no trace.
  const std::shared_ptr<void> trial = type.clone(object);
  Cursor at{&type, trial.get()};
  std::vector<Cursor> passed;
  for (bool more = true; more;) {
    passed.push_back(at);
    const std::size_t dot = path.find('.');
    more = dot != std::string_view::npos;
    descend(at, std::string(path.substr(0, dot)), value);
    path = more ? path.substr(dot + 1) : std::string_view{};
  }
  if (live_only && !at.field->live)
    throw InputError(value.place.location(), "'" + at.seen + "' cannot change while the world runs",
                     "set it in the scene and start again");
  read_value(*at.type, *at.field, value, at.object, at.seen);
  // Innermost first, each rule is reported for the smallest table it concerns; the value carries the place.
  const Value place_only{{}, value.place};
  for (auto table = passed.rbegin(); table != passed.rend(); ++table) {
    while (table->type->kind == Kind::optional) {
      table->object = table->type->at(table->object, 0);
      table->type = table->type->element;
    }
    check_table(*table->type, place_only, table->object, table->seen);
  }
  type.copy(trial.get(), object);
}

namespace {

// A resolution count times `scale`, within the bounds that read() would enforce.
double scaled_count(double count, double scale, const Type& type, const Field& field) {
  const double least = std::max(1.0, field.lo_open ? std::floor(field.lo) + 1 : std::ceil(field.lo));
  const double most = std::min({field.hi, type.integer_hi, 0x1p62});
  const double result = std::max(least, std::round(count * scale));
  if (!(result <= most))
    throw InputError("'" + field.name + "' would be " + number_text(result) + " at scale " +
                         number_text(scale) + ", but is at most " + number_text(most),
                     "use fewer");
  return result;
}

}  // namespace

void apply_scale(const Type& type, void* object, double scale) {
  if (type.kind == Kind::list || type.kind == Kind::optional) {
    for (std::size_t i = 0; i < type.size(object); ++i) apply_scale(*type.element, type.at(object, i), scale);
    return;
  }
  for (const Field& field : type.fields) {
    const Type& member_type = *field.type;
    void* member = field.member(object);
    if (!field.scaled) {
      apply_scale(member_type, member, scale);
    } else if (member_type.kind == Kind::integer) {
      const auto count = static_cast<double>(member_type.get_integer(member));
      member_type.set_integer(member,
                              static_cast<std::int64_t>(scaled_count(count, scale, member_type, field)));
    } else {
      SELKIE_CHECK(member_type.kind == Kind::vector && member_type.integral,
                   "only whole numbers and vectors of them can be scaled()");
      for (int i = 0; i < member_type.components; ++i)
        member_type.set_number(member, i,
                               scaled_count(member_type.get_number(member, i), scale, member_type, field));
    }
  }
}

}  // namespace selkie
