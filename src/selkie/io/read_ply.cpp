// Stanford PLY, ascii and binary of either byte order. Vertices need x, y, z; faces a list named
// vertex_indices or vertex_index; all other elements and properties are read past, whatever their order.
#include <cmath>
#include <optional>

#include "selkie/io/detail/mesh_parts.h"
#include "selkie/io/detail/scanner.h"
#include "selkie/io/read_mesh.h"

namespace selkie::io {
namespace {

using detail::quote;
using detail::Scanner;

enum class Scalar { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

std::optional<Scalar> scalar_named(std::string_view name) {
  if (name == "char" || name == "int8") return Scalar::int8;
  if (name == "uchar" || name == "uint8") return Scalar::uint8;
  if (name == "short" || name == "int16") return Scalar::int16;
  if (name == "ushort" || name == "uint16") return Scalar::uint16;
  if (name == "int" || name == "int32") return Scalar::int32;
  if (name == "uint" || name == "uint32") return Scalar::uint32;
  if (name == "float" || name == "float32") return Scalar::float32;
  if (name == "double" || name == "float64") return Scalar::float64;
  return {};
}

std::size_t scalar_size(Scalar type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

struct Property {
  std::string name;
  Scalar type;
  std::optional<Scalar> list_count;  // set for lists
};

struct Element {
  std::string name;
  std::uint64_t count;
  std::vector<Property> properties;
};

class PlyReader {
 public:
  PlyReader(std::string_view bytes, const std::string& source) : in_(bytes, source), source_(source) {}

  geometry::TriangleMesh read() {
    read_header();
    for (const Element& element : elements_) {
      if (element.properties.empty()) continue;  // rows of nothing take no bytes
      in_.need_records(element.count, smallest_row(element), "rows of '" + element.name + "'");
      if (element.name == "vertex")
        read_vertices(element);
      else if (element.name == "face")
        read_faces(element);
      else
        for (std::uint64_t row = 0; row < element.count; ++row) skip_row(element);
    }
    detail::require_readable(mesh_, source_);
    return std::move(mesh_);
  }

 private:
  void read_header() {
    if (in_.line() != "ply") in_.fail("this is not a PLY file: it does not begin with \"ply\"");
    bool has_format = false;
    while (true) {
      if (in_.at_end()) in_.fail_here("the header has no end_header line");
      Scanner words(in_.line(), source_);
      const std::string_view keyword = words.try_token();
      if (keyword == "end_header") break;
      if (keyword == "format")
        has_format = read_format(words.try_token());
      else if (keyword == "element")
        read_element(words);
      else if (keyword == "property")
        read_property(words);
      else if (keyword != "comment" && keyword != "obj_info" && !keyword.empty())
        in_.fail("unknown header keyword " + quote(keyword));
    }
    if (!has_format) in_.fail_here("the header has no format line");
    in_.set_binary(binary_);
  }

  bool read_format(std::string_view name) {
    if (name != "ascii" && name != "binary_little_endian" && name != "binary_big_endian")
      in_.fail("unknown format " + quote(name),
               "known are ascii, binary_little_endian and binary_big_endian");
    binary_ = name != "ascii";
    in_.set_big_endian(name == "binary_big_endian");
    return true;
  }

  void read_element(Scanner& words) {
    const std::string_view name = words.try_token(), count_word = words.try_token();
    std::int64_t count = -1;
    if (!detail::parse_integer(count_word, count) || count < 0)
      in_.fail("an element needs a name and a count of 0 or more, but has " + quote(count_word));
    elements_.push_back({std::string(name), static_cast<std::uint64_t>(count), {}});
  }

  void read_property(Scanner& words) {
    if (elements_.empty()) in_.fail("a property stands before the first element");
    std::string_view type_name = words.try_token();
    Property property{};
    if (type_name == "list") {
      const std::string_view count_name = words.try_token();
      property.list_count = scalar_named(count_name);
      if (!property.list_count) in_.fail("unknown type " + quote(count_name));
      type_name = words.try_token();
    }
    const std::optional<Scalar> type = scalar_named(type_name);
    if (!type) in_.fail("unknown type " + quote(type_name));
    property.type = *type;
    property.name = std::string(words.try_token());
    elements_.back().properties.push_back(property);
  }

  // Bytes that a row takes at least: in text, a digit and a separator per value (the last may lack it).
  std::uint64_t smallest_row(const Element& element) const {
    std::uint64_t bytes = 0;
    for (const Property& property : element.properties)
      bytes += binary_ ? scalar_size(property.list_count.value_or(property.type)) : 2;
    return binary_ ? bytes : bytes - 1;
  }

  double read_scalar(Scalar type) {
    if (!binary_) return in_.number();
    switch (type) {
      case Scalar::int8:
        return in_.raw<std::int8_t>();
      case Scalar::uint8:
        return in_.raw<std::uint8_t>();
      case Scalar::int16:
        return in_.raw<std::int16_t>();
      case Scalar::uint16:
        return in_.raw<std::uint16_t>();
      case Scalar::int32:
        return in_.raw<std::int32_t>();
      case Scalar::uint32:
        return in_.raw<std::uint32_t>();
      case Scalar::float32:
        return static_cast<double>(in_.raw<float>());
      case Scalar::float64:
        return in_.raw<double>();
    }
    return 0;
  }

  std::uint32_t read_whole(Scalar type, std::string_view what) {
    const double value = read_scalar(type);
    if (!(value >= 0 && value <= 4294967294.0) || std::floor(value) != value)
      in_.fail(std::string(what) + " must be a whole number of 0 or more");
    return static_cast<std::uint32_t>(value);
  }

  std::uint32_t read_list_count(const Property& property) {
    const std::uint32_t count = read_whole(*property.list_count, "the length of a list");
    in_.need_records(count, binary_ ? scalar_size(property.type) : 1, "list entries");
    return count;
  }

  void skip_property(const Property& property) {
    const std::uint32_t count = property.list_count ? read_list_count(property) : 1;
    for (std::uint32_t k = 0; k < count; ++k) read_scalar(property.type);
  }
  void skip_row(const Element& element) {
    for (const Property& property : element.properties) skip_property(property);
  }

  void read_vertices(const Element& element) {
    int found = 0;
    std::vector<int> axis(element.properties.size(), -1);  // which coordinate each property holds
    for (std::size_t i = 0; i < axis.size(); ++i)
      for (int k = 0; k < 3; ++k)
        if (!element.properties[i].list_count && element.properties[i].name == std::string(1, "xyz"[k])) {
          axis[i] = k;
          found |= 1 << k;
        }
    if (found != 7) in_.fail_here("the vertices lack one of the properties x, y, z");
    mesh_.positions.reserve(element.count);
    for (std::uint64_t row = 0; row < element.count; ++row) {
      Vec3 position = Vec3::Zero();
      for (std::size_t i = 0; i < axis.size(); ++i) {
        if (axis[i] < 0) {
          skip_property(element.properties[i]);
          continue;
        }
        const double value = read_scalar(element.properties[i].type);
        if (!std::isfinite(value))
          in_.fail("a coordinate of vertex " + std::to_string(row) + " is not finite",
                   "replace NaN and infinite coordinates, or export the mesh again");
        position[axis[i]] = value;
      }
      mesh_.positions.push_back(position);
    }
  }

  void read_faces(const Element& element) {
    std::size_t corner_list = element.properties.size();
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const Property& property = element.properties[i];
      if (property.list_count && (property.name == "vertex_indices" || property.name == "vertex_index"))
        corner_list = i;
    }
    if (corner_list == element.properties.size()) in_.fail_here("the faces lack the list vertex_indices");
    std::vector<std::uint32_t> corners;
    for (std::uint64_t row = 0; row < element.count; ++row)
      for (std::size_t i = 0; i < element.properties.size(); ++i) {
        const Property& property = element.properties[i];
        if (i != corner_list) {
          skip_property(property);
          continue;
        }
        corners.resize(read_list_count(property));
        if (corners.size() < 3)
          in_.fail("face " + std::to_string(row) + " has " + std::to_string(corners.size()) + " corners",
                   "a face needs three or more");
        for (std::uint32_t& corner : corners) corner = read_whole(property.type, "a vertex index");
        detail::add_fan(corners, mesh_.triangles);
      }
  }

  Scanner in_;
  std::string source_;
  bool binary_ = false;
  std::vector<Element> elements_;
  geometry::TriangleMesh mesh_;
};

}  // namespace

geometry::TriangleMesh parse_ply(std::string_view bytes, const std::string& source) {
  return PlyReader(bytes, source).read();
}

}  // namespace selkie::io
