// Access and text forms of the value tree.
#include "selkie/core/value.h"

#include <fmt/format.h>

#include <cmath>

namespace selkie {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
          out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
          out += c;
    }
  }
  return out + "\"";
}

// TOML tells integers from floats, so a whole-numbered double keeps its point.
std::string toml_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string toml_key(std::string_view key) {
  const bool bare = !key.empty() && key.find_first_not_of(
                                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                                        std::string_view::npos;
  return bare ? std::string(key) : quoted(key);
}

bool is_array_of_tables(const Value& value) {
  if (!value.is_array() || value.array().empty()) return false;
  for (const Value& element : value.array())
    if (!element.is_table()) return false;
  return true;
}

void json(const Value& value, int indent, int depth, std::string& out) {
  const std::string pad(static_cast<std::size_t>(indent) * static_cast<std::size_t>(depth + 1), ' ');
  const std::string close(static_cast<std::size_t>(indent) * static_cast<std::size_t>(depth), ' ');
  const std::string newline = indent > 0 ? "\n" : "";
  if (std::holds_alternative<std::monostate>(value.data)) {
    out += "null";
  } else if (std::holds_alternative<bool>(value.data)) {
    out += std::get<bool>(value.data) ? "true" : "false";
  } else if (std::holds_alternative<std::int64_t>(value.data)) {
    out += std::to_string(std::get<std::int64_t>(value.data));
  } else if (std::holds_alternative<double>(value.data)) {
    const double number = std::get<double>(value.data);
    out += std::isfinite(number) ? fmt::format("{}", number) : "null";  // JSON has no infinity
  } else if (std::holds_alternative<std::string>(value.data)) {
    out += quoted(std::get<std::string>(value.data));
  } else if (value.is_array()) {
    const ValueArray& array = value.array();
    out += array.empty() ? "[" : "[" + newline;
    for (std::size_t i = 0; i < array.size(); ++i) {
      out += pad;
      json(array[i], indent, depth + 1, out);
      out += (i + 1 < array.size() ? "," : "") + newline;
    }
    out += (array.empty() ? "" : close) + "]";
  } else {
    const ValueTable& table = value.table();
    out += table.empty() ? "{" : "{" + newline;
    for (std::size_t i = 0; i < table.size(); ++i) {
      out += pad + quoted(table[i].key) + ": ";
      json(table[i].value, indent, depth + 1, out);
      out += (i + 1 < table.size() ? "," : "") + newline;
    }
    out += (table.empty() ? "" : close) + "}";
  }
}

}  // namespace

std::string to_toml_inline(const Value& value) {
  if (std::holds_alternative<bool>(value.data)) return std::get<bool>(value.data) ? "true" : "false";
  if (std::holds_alternative<std::int64_t>(value.data))
    return std::to_string(std::get<std::int64_t>(value.data));
  if (std::holds_alternative<double>(value.data)) return toml_number(std::get<double>(value.data));
  if (std::holds_alternative<std::string>(value.data)) return quoted(std::get<std::string>(value.data));
  std::string out;
  if (value.is_array()) {
    for (const Value& element : value.array()) out += (out.empty() ? "" : ", ") + to_toml_inline(element);
    return "[" + out + "]";
  }
  if (value.is_table()) {
    for (const TableEntry& entry : value.table())
      out += (out.empty() ? " " : ", ") + toml_key(entry.key) + " = " + to_toml_inline(entry.value);
    return "{" + out + (out.empty() ? "}" : " }");
  }
  return "\"\"";
}

double Value::number() const {
  if (std::holds_alternative<std::int64_t>(data)) return static_cast<double>(std::get<std::int64_t>(data));
  return std::get<double>(data);
}

const Value* Value::find(std::string_view key) const {
  if (!is_table()) return nullptr;
  for (const TableEntry& entry : table())
    if (entry.key == key) return &entry.value;
  return nullptr;
}
Value* Value::find(std::string_view key) {
  return const_cast<Value*>(static_cast<const Value*>(this)->find(key));
}

Value& Value::operator[](std::string_view key) {
  if (!is_table()) data = ValueTable{};
  if (Value* found = find(key)) return *found;
  table().push_back({std::string(key), Value{}, {}});
  return table().back().value;
}

std::string_view Value::kind_name() const {
  static constexpr std::string_view kNames[] = {
      "nothing", "true or false", "a whole number", "a number", "a piece of text", "a list", "a table"};
  return kNames[data.index()];
}

Place find_place(const Value& value, std::string_view path) {
  const Value* at = &value;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view head = path.substr(0, dot);
    const Value* next = at->find(head);
    if (!next && at->is_array() && head.find_first_not_of("0123456789") == std::string_view::npos) {
      const auto index = static_cast<std::size_t>(std::stoul(std::string(head)));
      if (index < at->array().size()) next = &at->array()[index];
    }
    if (!next) break;
    at = next;
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return at->place;
}

std::string to_json(const Value& value, int indent) {
  std::string out;
  json(value, indent, 0, out);
  return out;
}

// Top level: plain keys, then [table] and [[list of tables]] sections whose contents stay on one line a key.
std::string to_toml(const Value& root) {
  std::string out;
  auto section = [&](const ValueTable& table) {
    for (const TableEntry& entry : table)
      out += toml_key(entry.key) + " = " + to_toml_inline(entry.value) + "\n";
  };
  for (const TableEntry& entry : root.table())
    if (!entry.value.is_table() && !is_array_of_tables(entry.value))
      out += toml_key(entry.key) + " = " + to_toml_inline(entry.value) + "\n";
  for (const TableEntry& entry : root.table()) {
    if (entry.value.is_table()) {
      out += (out.empty() ? "[" : "\n[") + toml_key(entry.key) + "]\n";
      section(entry.value.table());
    } else if (is_array_of_tables(entry.value)) {
      for (const Value& element : entry.value.array()) {
        out += (out.empty() ? "[[" : "\n[[") + toml_key(entry.key) + "]]\n";
        section(element.table());
      }
    }
  }
  return out;
}

}  // namespace selkie
