// See ply_source.h.
#include "selkie/io/detail/ply_source.h"

#include <cmath>

namespace selkie::io::detail {
namespace {

std::optional<PlyScalar> scalar_named(std::string_view name) {
  if (name == "char" || name == "int8") return PlyScalar::int8;
  if (name == "uchar" || name == "uint8") return PlyScalar::uint8;
  if (name == "short" || name == "int16") return PlyScalar::int16;
  if (name == "ushort" || name == "uint16") return PlyScalar::uint16;
  if (name == "int" || name == "int32") return PlyScalar::int32;
  if (name == "uint" || name == "uint32") return PlyScalar::uint32;
  if (name == "float" || name == "float32") return PlyScalar::float32;
  if (name == "double" || name == "float64") return PlyScalar::float64;
  return {};
}

std::size_t scalar_size(PlyScalar type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

}  // namespace

PlySource::PlySource(std::string_view bytes, const std::string& source)
    : in_(bytes, source), source_(source) {
  read_header();
}

void PlySource::read_header() {
  in_.skip_byte_order_mark();
  if (in_.line() != "ply") in_.fail("this is not a PLY file: it does not begin with \"ply\"");
  bool has_format = false;
  for (int line = 2;; ++line) {
    if (in_.at_end()) in_.fail_here("the header has no end_header line");
    const std::string_view text = in_.line();
    Scanner words(text, source_);
    const std::string_view keyword = words.try_token();
    if (keyword == "end_header") break;
    if (keyword == "format")
      has_format = read_format(words.try_token());
    else if (keyword == "element")
      read_element(words);
    else if (keyword == "property")
      read_property(words);
    else if (keyword == "comment")
      comments_.push_back({std::string(words.rest().substr(words.at_end() ? 0 : 1)), line});
    else if (keyword != "obj_info" && !keyword.empty())
      in_.fail("unknown header keyword " + quote(keyword));
  }
  if (!has_format) in_.fail_here("the header has no format line");
  in_.set_binary(binary_);
}

bool PlySource::read_format(std::string_view name) {
  if (name != "ascii" && name != "binary_little_endian" && name != "binary_big_endian")
    in_.fail("unknown format " + quote(name), "known are ascii, binary_little_endian and binary_big_endian");
  binary_ = name != "ascii";
  in_.set_big_endian(name == "binary_big_endian");
  return true;
}

void PlySource::read_element(Scanner& words) {
  const std::string_view name = words.try_token(), count_word = words.try_token();
  std::int64_t count = -1;
  if (!parse_integer(count_word, count) || count < 0)
    in_.fail("an element needs a name and a count of 0 or more, but has " + quote(count_word));
  elements_.push_back({std::string(name), static_cast<std::uint64_t>(count), {}});
}

void PlySource::read_property(Scanner& words) {
  if (elements_.empty()) in_.fail("a property stands before the first element");
  std::string_view type_name = words.try_token();
  PlyProperty property{};
  if (type_name == "list") {
    const std::string_view count_name = words.try_token();
    property.list_count = scalar_named(count_name);
    if (!property.list_count) in_.fail("unknown type " + quote(count_name));
    type_name = words.try_token();
  }
  const std::optional<PlyScalar> type = scalar_named(type_name);
  if (!type) in_.fail("unknown type " + quote(type_name));
  property.type = *type;
  property.name = std::string(words.try_token());
  elements_.back().properties.push_back(property);
}

// Bytes that a row takes at least: in text, a digit and a separator per value (the last may lack it).
std::uint64_t PlySource::smallest_row(const PlyElement& element) const {
  std::uint64_t bytes = 0;
  for (const PlyProperty& property : element.properties)
    bytes += binary_ ? scalar_size(property.list_count.value_or(property.type)) : 2;
  return binary_ ? bytes : bytes - 1;
}

void PlySource::begin(const PlyElement& element) {
  in_.need_records(element.count, smallest_row(element), "rows of '" + element.name + "'");
}

double PlySource::scalar(PlyScalar type) {
  if (!binary_) return in_.number();
  switch (type) {
    case PlyScalar::int8:
      return in_.raw<std::int8_t>();
    case PlyScalar::uint8:
      return in_.raw<std::uint8_t>();
    case PlyScalar::int16:
      return in_.raw<std::int16_t>();
    case PlyScalar::uint16:
      return in_.raw<std::uint16_t>();
    case PlyScalar::int32:
      return in_.raw<std::int32_t>();
    case PlyScalar::uint32:
      return in_.raw<std::uint32_t>();
    case PlyScalar::float32:
      return static_cast<double>(in_.raw<float>());
    case PlyScalar::float64:
      return in_.raw<double>();
  }
  return 0;
}

std::uint32_t PlySource::whole(PlyScalar type, std::string_view what) {
  const double value = scalar(type);
  if (!(value >= 0 && value <= 4294967294.0) || std::floor(value) != value)
    in_.fail(std::string(what) + " must be a whole number of 0 or more");
  return static_cast<std::uint32_t>(value);
}

std::uint32_t PlySource::list_count(const PlyProperty& property) {
  const std::uint32_t count = whole(*property.list_count, "the length of a list");
  in_.need_records(count, binary_ ? scalar_size(property.type) : 1, "list entries");
  return count;
}

void PlySource::skip(const PlyProperty& property) {
  const std::uint32_t count = property.list_count ? list_count(property) : 1;
  for (std::uint32_t k = 0; k < count; ++k) scalar(property.type);
}

void PlySource::skip_rows(const PlyElement& element) {
  for (std::uint64_t row = 0; row < element.count; ++row)
    for (const PlyProperty& property : element.properties) skip(property);
}

}  // namespace selkie::io::detail
