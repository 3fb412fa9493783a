// A tree of values with the place each came from: what a scene file, a `--set`, a Python dictionary or an
// input event turns into before it meets a schema. Tables keep the order of their keys.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "selkie/core/error.h"

namespace selkie {

// A SourceLocation that shares its file name; cheap to keep on every node.
struct Place {
  std::shared_ptr<const std::string> file = {};
  int line = 0;
  int column = 0;
  SourceLocation location() const { return {file ? *file : std::string(), line, column}; }
};

struct Value;
struct TableEntry;
using ValueArray = std::vector<Value>;
using ValueTable = std::vector<TableEntry>;

struct Value {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, ValueArray, ValueTable> data;
  Place place = {};

  bool is_table() const { return std::holds_alternative<ValueTable>(data); }
  bool is_array() const { return std::holds_alternative<ValueArray>(data); }
  bool is_number() const {
    return std::holds_alternative<double>(data) || std::holds_alternative<std::int64_t>(data);
  }
  double number() const;  // integer or floating point; is_number() must hold
  ValueTable& table() { return std::get<ValueTable>(data); }
  const ValueTable& table() const { return std::get<ValueTable>(data); }
  ValueArray& array() { return std::get<ValueArray>(data); }
  const ValueArray& array() const { return std::get<ValueArray>(data); }

  const Value* find(std::string_view key) const;  // nullptr when absent or not a table
  Value* find(std::string_view key);
  Value& operator[](std::string_view key);  // makes the key (and the table) when absent

  // "a number", "a table", ...: for messages.
  std::string_view kind_name() const;
};

struct TableEntry {
  std::string key;
  Value value;
  Place key_place = {};
};

// The place of a dotted path ("mesh.sheet.size", "pin.0.box") below `value`, or of the nearest enclosing
// thing that was written.
Place find_place(const Value& value, std::string_view path);

// Text forms. TOML output is canonical: tables of scalars first, nested tables after them; numbers read back
// to the same bits.
std::string to_json(const Value& value, int indent = 2);
std::string to_toml(const Value& root);
std::string to_toml_inline(const Value& value);  // on one line, as the right side of `key = `

}  // namespace selkie
