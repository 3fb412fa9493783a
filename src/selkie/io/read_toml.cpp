// toml++ behind a narrow door; every node keeps its place in the file.
#include "selkie/io/read_toml.h"

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "selkie/core/error.h"

namespace selkie::io {
namespace {

using FileName = std::shared_ptr<const std::string>;

Place place_of(const toml::source_region& region, const FileName& file) {
  return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

Value convert(const toml::node& node, const FileName& file) {
  Value value;
  value.place = place_of(node.source(), file);
  if (const auto* table = node.as_table()) {
    ValueTable entries;
    for (const auto& [key, child] : *table)
      entries.push_back({std::string(key.str()), convert(child, file), place_of(key.source(), file)});
    // toml++ sorts keys; a reader expects the order of the file.
    std::stable_sort(entries.begin(), entries.end(), [](const TableEntry& a, const TableEntry& b) {
      return std::pair(a.key_place.line, a.key_place.column) <
             std::pair(b.key_place.line, b.key_place.column);
    });
    value.data = std::move(entries);
  } else if (const auto* array = node.as_array()) {
    ValueArray elements;
    for (const auto& child : *array) elements.push_back(convert(child, file));
    value.data = std::move(elements);
  } else if (const auto* text = node.as_string()) {
    value.data = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.data = std::int64_t{integer->get()};
  } else if (const auto* number = node.as_floating_point()) {
    value.data = number->get();
  } else if (const auto* boolean = node.as_boolean()) {
    value.data = boolean->get();
  } else {
    throw InputError(value.place.location(), "dates and times have no meaning in a scene",
                     "write text in quotes, or a number of seconds");
  }
  return value;
}

// The last character of the string that begins at `begin`; of an unfinished one, the end of its line or text.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const bool several_lines = text.substr(begin, 3) == std::string(3, quote);
  std::size_t i = begin + (several_lines ? 3 : 1);
  for (; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (several_lines && text.substr(i, 3) == std::string(3, quote)) {
      i += 2;
      for (int more = 0; more < 2 && i + 1 < text.size() && text[i + 1] == quote; ++more) ++i;
      return i;
    } else if (!several_lines && (text[i] == quote || text[i] == '\n')) {
      return i;
    }
  }
  return text.size();
}

SourceLocation place_in(std::string_view text, std::size_t at, const std::string& source) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {source, static_cast<int>(line), static_cast<int>(at - line_start) + 1};
}

// What toml++ must not see. It and everything after it recurse per level, so that text that nests absurdly
// deep, by brackets or by dotted keys, could exhaust the stack; and its table of letters (3.3) runs into
// undefined behaviour for some characters beyond ASCII outside strings, where TOML allows none.
void refuse_unsafe(std::string_view text, const std::string& source) {
  constexpr int kDeepest = 64;
  int depth = 0, dots = 0;
  for (std::size_t i = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x80)
      throw InputError(place_in(text, i, source), "a character beyond ASCII stands outside quotes",
                       "put keys and text that hold it in quotes");
    if (c == '"' || c == '\'') {
      // After a bare value toml++ reads on as if no string began, whatever stands in it.
      if (i > 0 && std::string_view(" \t\r\n=[{,").find(text[i - 1]) == std::string_view::npos &&
          !(i == 3 && text[0] == '\xEF'))
        throw InputError(place_in(text, i, source), "a quote stands inside a value or key",
                         "put the whole of it in quotes");
      i = end_of_string(text, i);
    }
    if (c == '#') i = std::min(text.find('\n', i), text.size());
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == '.') ++dots;
    if (std::string_view("\n#=,[{").find(c) != std::string_view::npos) dots = 0;
    if (depth > kDeepest || dots > kDeepest)
      throw InputError(place_in(text, i, source),
                       std::string(dots > kDeepest ? "keys" : "brackets") + " nest more than 64 deep",
                       "flatten the value");
  }
}

// The commonest slips in words of their own; toml++ speaks of the grammar.
std::string remedy_for(std::string_view description) {
  auto says = [&](std::string_view words) { return description.find(words) != std::string_view::npos; };
  if (says("control characters")) return "close the text with a quote on the same line";
  if (says("invalid utf-8")) return "save the file in the UTF-8 encoding";
  if (says("cannot redefine")) return "keep one of the two";
  return "see docs/scene-format.md for the form of a scene file";
}

}  // namespace

Value parse_toml(std::string_view text, const std::string& source) {
  refuse_unsafe(text, source);
  const auto file = std::make_shared<const std::string>(source);
  try {
    const toml::table table = toml::parse(text, source);
    Value root = convert(table, file);
    root.place = {file, 0, 0};
    return root;
  } catch (const toml::parse_error& error) {
    throw InputError(
        {source, static_cast<int>(error.source().begin.line), static_cast<int>(error.source().begin.column)},
        "not valid TOML: " + std::string(error.description()), remedy_for(error.description()));
  }
}

Value read_toml(const std::filesystem::path& path) { return parse_toml(read_text_file(path), path.string()); }

Value parse_toml_value(std::string_view text, const std::string& source) {
  const auto file = std::make_shared<const std::string>(source);
  auto place_all = [&](Value& value, auto&& self) -> void {
    value.place = {file, 0, 0};
    if (value.is_array())
      for (Value& element : value.array()) self(element, self);
    if (value.is_table())
      for (TableEntry& entry : value.table()) {
        entry.key_place = {file, 0, 0};
        self(entry.value, self);
      }
  };
  Value value;
  try {
    Value root = parse_toml("value = " + std::string(text) + "\n", source);
    if (root.table().size() != 1) throw InputError("more than one value");
    value = std::move(root.table().front().value);
  } catch (const InputError&) {
    // Not TOML: a bare word is text; anything with brackets or quotes was meant as TOML and is reported.
    if (text.empty() || text.find_first_of("[]{}\"'=\n") != std::string_view::npos)
      throw InputError({source, 0, 0}, "'" + std::string(text) + "' is not a TOML value",
                       "examples: 96, 0.5, true, \"text\", [0, -9.81, 0]");
    value.data = std::string(text);
  }
  place_all(value, place_all);
  return value;
}

std::string read_text_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError({path.string(), 0, 0}, "is a folder, not a file", "name a file inside it");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw InputError({path.string(), 0, 0},
                     std::string("cannot be opened: ") + std::strerror(errno ? errno : ENOENT),
                     "check the path and its permissions");
  // In parts until nothing comes, since a pipe has no size. Inserting the stream's buffer into another stream
  // would hide an error of the disk, and a scene cut between two tables is valid.
  std::string text;
  std::array<char, 1 << 16> part;
  do {
    stream.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  } while (stream);
  if (stream.bad())
    throw InputError({path.string(), 0, 0},
                     std::string("cannot be read to its end: ") + std::strerror(errno ? errno : EIO),
                     "check the disk or the network folder that it lies on, and try again");
  return text;
}

}  // namespace selkie::io
