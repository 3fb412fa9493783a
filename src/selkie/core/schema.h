// The run-time form of describe(): everything that works on parameters without knowing their type. Built once
// per type by type_of<T>(); the code below it (reading, writing, documenting) is ordinary and compiled once.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/core/value.h"

namespace selkie {

enum class Kind {
  number,    // double
  integer,   // int or int64
  boolean,   // bool
  text,      // std::string
  choice,    // an enum, by name
  vector,    // fixed number of doubles or ints: Eigen column vector, std::array
  list,      // std::vector of any of these
  optional,  // std::optional of any of these; absent in the file means empty
  table,     // a described struct
  one_of,    // a described struct of optionals of which exactly one is set
};

struct Type;

struct Field {
  std::string name = {}, unit = {}, text = {};
  double lo = 0, hi = 0;
  bool lo_open = false, live = false, scaled = false, required = false;
  const Type* type = nullptr;
  std::size_t offset = 0;  // B, of the member in its table

  void* member(void* object) const { return static_cast<char*>(object) + offset; }
  const void* member(const void* object) const { return static_cast<const char*>(object) + offset; }
};

// Operations are plain function pointers on type-erased objects; those that a kind does not have are null.
struct Type {
  Kind kind = Kind::table;
  int components = 1;                // vector
  bool integral = false;             // vector of ints
  std::vector<std::string> choices;  // choice
  std::vector<Field> fields;         // table, one_of
  const Type* element = nullptr;     // list, optional
  std::size_t (*size)(const void*) = nullptr;
  void (*resize)(void*, std::size_t) = nullptr;  // optional: 0 or 1
  void* (*at)(void*, std::size_t) = nullptr;
  double (*get_number)(const void*, int component) = nullptr;
  void (*set_number)(void*, int component, double) = nullptr;
  std::int64_t (*get_integer)(const void*) = nullptr;  // integer, choice, boolean
  void (*set_integer)(void*, std::int64_t) = nullptr;
  double integer_lo = 0, integer_hi = 0;                    // what the member's own type can hold
  std::vector<Problem> (*validate)(const void*) = nullptr;  // table, one_of
  Value (*defaults)() = nullptr;                            // table: the written form of a fresh object
  std::shared_ptr<void> (*clone)(const void*) = nullptr;    // table, one_of
  void (*copy)(const void* from, void* to) = nullptr;       // table, one_of

  const Field* find(std::string_view name) const;
  std::vector<std::string> field_names() const;
};

// Where a member called `name` stands in the tables inside of `type`, as dotted paths: "domain.cells". Lists are
// not looked into.
std::vector<std::string> members_below(const Type& type, std::string_view name);

// Fills `object` (already holding its defaults) from `value`. Unknown keys, wrong types, values out of range
// and what validate() finds are InputErrors at the value's place; `path` names the object in messages
// ("cloth.mesh").
void read(const Type& type, const Value& value, void* object, const std::string& path);

// The value tree that read() would turn into this object. Empty optionals are left out.
Value write(const Type& type, const void* object);

// Sets one member of a table by dotted path ("mesh.sheet.size", "pin.0.box"), with the same checks as read(),
// validate() of every enclosing table included. `live_only` refuses members that may only change at a
// restart. When it throws, the object is as it was.
void assign(const Type& type, void* object, std::string_view path, const Value& value, bool live_only);

// Multiplies every member marked scaled() by `scale`, rounding to at least 1 and at least its lower bound; an
// upper bound exceeded is an InputError.
void apply_scale(const Type& type, void* object, double scale);

// "number", "one of: a, b", "list of tables", ...: for documentation.
std::string type_text(const Type& type);

// A JSON-schema fragment (draft 2020-12) for this type.
Value json_schema(const Type& type);

template <class T>
const Type& type_of();

// ---- lowering of C++ types, header-only because it is generic ----
namespace detail {

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t N>
struct IsArray<std::array<T, N>> : std::true_type {
  static constexpr int size = static_cast<int>(N);
};
template <class T>
concept EigenColumn = requires {
  T::RowsAtCompileTime;
}
&&(T::ColsAtCompileTime == 1);

template <class T, class Number>
Type numeric_type(Kind kind, int components) {
  Type type;
  type.kind = kind;
  type.components = components;
  type.integral = std::is_integral_v<Number>;
  type.get_number = [](const void* p, int i) {
    return static_cast<double>(reinterpret_cast<const Number*>(static_cast<const T*>(p))[i]);
  };
  type.set_number = [](void* p, int i, double value) {
    reinterpret_cast<Number*>(static_cast<T*>(p))[i] = static_cast<Number>(value);
  };
  if constexpr (std::is_integral_v<Number>) {
    type.integer_lo = static_cast<double>(std::numeric_limits<Number>::lowest());
    type.integer_hi = static_cast<double>(std::numeric_limits<Number>::max());
  }
  return type;
}

template <class T>
Type integer_type(Kind kind) {
  Type type;
  type.kind = kind;
  type.get_integer = [](const void* p) { return static_cast<std::int64_t>(*static_cast<const T*>(p)); };
  type.set_integer = [](void* p, std::int64_t value) { *static_cast<T*>(p) = static_cast<T>(value); };
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    type.integer_lo = static_cast<double>(std::numeric_limits<T>::lowest());
    type.integer_hi = static_cast<double>(std::numeric_limits<T>::max());
  }
  return type;
}

// What validate() of T and of the structs inlined into it find.
template <class T>
std::vector<Problem> all_problems(const T& object) {
  std::vector<Problem> all;
  auto append = [&](std::vector<Problem> found) {
    for (Problem& problem : found) all.push_back(std::move(problem));
  };
  each_member<T>([&](const auto& m) {
    using M = typename std::remove_cvref_t<decltype(m)>::Type;
    if constexpr (Described<M>)
      if (m.is_inlined && type_of<M>().validate) append(type_of<M>().validate(&(object.*(m.pointer))));
  });
  if constexpr (requires { validate(object); }) append(validate(object));
  return all;
}

// What a Member says besides its types.
struct FieldText {
  std::string_view name, unit, text;
  double lo, hi;
  bool lo_open, live, scaled, required;
};
// Adds the member at `offset` of a table, or all of its own members.
void add_field(Type& table, const FieldText& text, bool inlined, std::size_t offset, const Type& type);

template <class T>
Type table_type() {
  Type type;
  type.kind = Kind::table;
  if constexpr (requires { describes_one_of(static_cast<T*>(nullptr)); }) type.kind = Kind::one_of;
  const T object{};
  each_member<T>([&](const auto& m) {
    using M = typename std::remove_cvref_t<decltype(m)>::Type;
    const FieldText text{m.name, m.unit, m.text, m.lo, m.hi, m.lo_open, m.is_live, m.is_scaled, m.is_required};
    add_field(type, text, m.is_inlined,
              static_cast<std::size_t>(reinterpret_cast<const char*>(&(object.*(m.pointer))) -
                                       reinterpret_cast<const char*>(&object)),
              type_of<M>());
  });
  if constexpr (requires(const T& described) { validate(described); })
    type.validate = [](const void* p) { return validate(*static_cast<const T*>(p)); };
  // The rules of an inlined struct are rules of this one too.
  each_member<T>([&](const auto& m) {
    if (m.is_inlined) type.validate = [](const void* p) { return all_problems(*static_cast<const T*>(p)); };
  });
  type.defaults = [] {
    const T fresh{};
    return write(type_of<T>(), &fresh);
  };
  type.clone = [](const void* p) -> std::shared_ptr<void> {
    void (*const end)(void*) = [](void* q) { delete static_cast<T*>(q); };  // one kind of pointer for all types
    return {static_cast<void*>(new T(*static_cast<const T*>(p))), end};
  };
  type.copy = [](const void* from, void* to) { *static_cast<T*>(to) = *static_cast<const T*>(from); };
  return type;
}

template <class T>
Type lower() {
  if constexpr (std::is_same_v<T, bool>) {
    return integer_type<bool>(Kind::boolean);
  } else if constexpr (std::is_same_v<T, double>) {
    return numeric_type<double, double>(Kind::number, 1);
  } else if constexpr (std::is_integral_v<T>) {
    return integer_type<T>(Kind::integer);
  } else if constexpr (std::is_same_v<T, std::string>) {
    Type type;
    type.kind = Kind::text;
    return type;
  } else if constexpr (DescribedEnum<T>) {
    Type type = integer_type<T>(Kind::choice);
    for (std::string_view name : describe(static_cast<T*>(nullptr))) type.choices.emplace_back(name);
    return type;
  } else if constexpr (EigenColumn<T>) {
    return numeric_type<T, typename T::Scalar>(Kind::vector, T::RowsAtCompileTime);
  } else if constexpr (IsArray<T>::value) {
    return numeric_type<T, typename T::value_type>(Kind::vector, IsArray<T>::size);
  } else if constexpr (IsVector<T>::value) {
    Type type;
    type.kind = Kind::list;
    type.element = &type_of<typename T::value_type>();
    type.size = [](const void* p) { return static_cast<const T*>(p)->size(); };
    type.resize = [](void* p, std::size_t n) { static_cast<T*>(p)->resize(n); };
    type.at = [](void* p, std::size_t i) { return static_cast<void*>(&(*static_cast<T*>(p))[i]); };
    return type;
  } else if constexpr (IsOptional<T>::value) {
    Type type;
    type.kind = Kind::optional;
    type.element = &type_of<typename T::value_type>();
    type.size = [](const void* p) { return std::size_t{static_cast<const T*>(p)->has_value()}; };
    type.resize = [](void* p, std::size_t n) {
      auto& optional = *static_cast<T*>(p);
      if (n == 0)
        optional.reset();
      else if (!optional)
        optional.emplace();
    };
    type.at = [](void* p, std::size_t) { return static_cast<void*>(&**static_cast<T*>(p)); };
    return type;
  } else {
    static_assert(Described<T>, "this member's type has no describe()");
    return table_type<T>();
  }
}

}  // namespace detail

template <class T>
const Type& type_of() {
  static const Type type = detail::lower<T>();
  return type;
}

}  // namespace selkie
