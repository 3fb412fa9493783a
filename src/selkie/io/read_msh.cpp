// Gmsh .msh, versions 2.x and 4.1, ascii and binary [Gmsh reference manual, "MSH file format"]. Lines,
// triangles, quads (cut in two) and tetrahedra of first order are kept, points ignored, all else refused
// with what to do in Gmsh. Unknown sections are skipped.
#include <algorithm>
#include <optional>

#include "selkie/core/error.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/io/detail/mesh_parts.h"
#include "selkie/io/detail/non_finite.h"
#include "selkie/io/detail/scanner.h"
#include "selkie/io/read_mesh.h"

namespace selkie::io {
namespace {

using detail::quote;
using detail::Scanner;

// Corners of the element types we keep, by Gmsh's numbers; 15 is a point.
std::optional<std::size_t> corner_count(std::int64_t type) {
  switch (type) {
    case 1:
      return 2;
    case 2:
      return 3;
    case 3:
    case 4:
      return 4;
    case 15:
      return 1;
    default:
      return {};
  }
}

class MshReader {
 public:
  MshReader(std::string_view bytes, const std::string& source) : in_(bytes, source), source_(source) {}

  MshContent read() {
    in_.skip_byte_order_mark();
    read_format();
    while (true) {
      const std::string_view name = next_section();
      if (name.empty()) break;
      if (name == "$Nodes") {
        if (sorted_)
          in_.fail("nodes stand after elements",
                   "put every $Nodes section before the first $Elements section, or save the mesh from Gmsh "
                   "again");
        version_ == 2 ? read_nodes_2() : read_nodes_4();
        broken_.require_none(in_);
        nodes_end_ = in_.position();
      } else if (name == "$Elements") {
        sort_tags();
        if (index_of_tag_.empty()) in_.fail("elements stand before the nodes, or there are no nodes");
        version_ == 2 ? read_elements_2() : read_elements_4();
      } else {
        skip_section(name);
        continue;
      }
      in_.set_binary(false);
      const std::string expected = "$End" + std::string(name.substr(1));
      const std::string_view end = in_.try_token();
      if (end != expected) in_.fail("expected " + quote(expected) + ", but found " + quote(end));
    }
    sort_tags();
    if (content_.positions.empty())
      in_.fail_here("the file holds no nodes", "save the mesh in Gmsh after generating it (Mesh > 3D)");
    return std::move(content_);
  }

 private:
  void read_format() {
    if (in_.try_token() != "$MeshFormat")
      in_.fail("this is not a Gmsh file: it does not begin with $MeshFormat",
               "save the mesh from Gmsh as version 2.2 or 4.1");
    const double version = in_.number();
    if (version >= 2 && version < 3)
      version_ = 2;
    else if (version == 4.1)
      version_ = 4;
    else
      in_.fail("this version of the .msh format is not supported",
               "save with Gmsh's option Mesh.MshFileVersion = 2.2 or 4.1");
    binary_ = in_.integer(0, 1) == 1;
    if (in_.integer() != 8) in_.fail("only files with 8-byte numbers are supported");
    if (binary_) {
      in_.line();
      in_.set_binary(true);
      const auto one = in_.raw<std::int32_t>();
      if (one == 0x01000000)
        in_.set_big_endian(true);
      else if (one != 1)
        in_.fail("the byte-order mark is neither 1 nor its reverse");
      in_.set_binary(false);
    }
    if (in_.token() != "$EndMeshFormat") in_.fail("expected $EndMeshFormat");
  }

  // The next "$Name" at the start of a section; empty at the end of the file.
  std::string_view next_section() {
    in_.set_binary(false);
    const std::string_view name = in_.try_token();
    if (!name.empty() && name.front() != '$')
      in_.fail("expected the start of a section, but found " + quote(name));
    if (binary_ && (name == "$Nodes" || name == "$Elements") && version_ == 4) in_.line();
    return name;
  }

  void skip_section(std::string_view name) {
    // The search below takes at worst as many comparisons as the name has letters, for each byte of the file.
    if (name.size() > 127) in_.fail("the name of a section has more than 127 characters: " + quote(name));
    const std::string end = "$End" + std::string(name.substr(1));
    const std::size_t at = in_.rest().find(end);
    if (at == std::string_view::npos) in_.fail("the section " + quote(name) + " has no end");
    in_.seek(in_.position() + at + end.size());
  }

  // ---- values in either form ----
  std::int64_t read_int() { return binary_ ? in_.raw<std::int32_t>() : in_.integer(); }
  std::uint64_t read_size() {
    if (binary_) return in_.raw<std::uint64_t>();
    return static_cast<std::uint64_t>(in_.integer(0));
  }
  double read_coordinate() {
    const double value = binary_ ? in_.raw<double>() : in_.number();
    broken_.see(content_.positions.size(), value, in_.value_start());
    return value;
  }
  Vec3 read_position() {
    const double x = read_coordinate(), y = read_coordinate();
    return {x, y, read_coordinate()};
  }
  // Fails unless `count` records of so many values can follow; `bytes` is their binary size, and in text a
  // value takes a digit and a separator.
  void need(std::uint64_t count, std::uint64_t bytes, std::uint64_t values, std::string_view what) {
    in_.need_records(count, binary_ ? bytes : 2 * values - 1, what);
  }

  // ---- nodes ----
  void add_node(std::uint64_t tag, const Vec3& position) {
    index_of_tag_.emplace_back(tag, static_cast<std::uint32_t>(content_.positions.size()));
    content_.positions.push_back(position);
  }

  void read_nodes_2() {
    const std::int64_t count = in_.integer(0);
    start_values();
    need(static_cast<std::uint64_t>(count), 28, 4, "nodes");
    for (std::int64_t i = 0; i < count; ++i) {
      const auto tag = static_cast<std::uint64_t>(read_int());
      add_node(tag, read_position());
    }
  }

  void read_nodes_4() {
    in_.set_binary(binary_);
    const std::uint64_t blocks = read_size();
    for (int k = 0; k < 3; ++k) read_size();  // totals and tag range; the blocks say the same
    need(blocks, 20, 4, "node blocks");
    std::vector<std::uint64_t> tags;
    for (std::uint64_t block = 0; block < blocks; ++block) {
      const std::int64_t dimension = read_int();
      read_int();  // entity
      const bool parametric = read_int() != 0;
      const std::uint64_t count = read_size();
      if (dimension < 0 || dimension > 3) in_.fail("a node block has a dimension other than 0 to 3");
      need(count, 32, 4, "nodes");
      tags.resize(count);
      for (std::uint64_t& tag : tags) tag = read_size();
      for (const std::uint64_t tag : tags) {
        add_node(tag, read_position());
        if (parametric)
          for (std::int64_t k = 0; k < dimension; ++k) binary_ ? in_.raw<double>() : in_.number();
      }
    }
  }

  // Once for all sections: a file may hold any number of them.
  void sort_tags() {
    if (sorted_) return;
    sorted_ = true;
    std::sort(index_of_tag_.begin(), index_of_tag_.end());
    for (std::size_t i = 1; i < index_of_tag_.size(); ++i)
      if (index_of_tag_[i].first == index_of_tag_[i - 1].first) {
        in_.seek(nodes_end_);
        in_.set_binary(binary_);
        in_.fail_here("node number " + std::to_string(index_of_tag_[i].first) + " occurs twice");
      }
  }

  std::uint32_t node(std::uint64_t tag) {
    const auto at = std::lower_bound(index_of_tag_.begin(), index_of_tag_.end(), std::pair{tag, 0u});
    if (at == index_of_tag_.end() || at->first != tag)
      in_.fail("an element uses node " + std::to_string(tag) + ", which does not exist");
    return at->second;
  }

  // ---- elements ----
  std::size_t kept_corner_count(std::int64_t type) {
    const std::optional<std::size_t> corners = corner_count(type);
    if (!corners)
      in_.fail("element type " + std::to_string(type) +
                   " is not supported; known are lines, triangles, quads, tetrahedra and points",
               "in Gmsh set Mesh.ElementOrder = 1 and Mesh.RecombineAll = 0, mesh again and save");
    return *corners;
  }

  void add_element(std::int64_t type, const std::array<std::uint32_t, 4>& c) {
    if (type == 1)
      content_.segments.push_back({c[0], c[1]});
    else if (type == 2)
      content_.triangles.push_back({c[0], c[1], c[2]});
    else if (type == 3)
      detail::add_fan(c, content_.triangles);
    else if (type == 4)
      content_.tets.push_back(c);
  }

  void read_elements_2() {
    const std::int64_t count = in_.integer(0);
    start_values();
    need(static_cast<std::uint64_t>(count), 8, 4, "elements");
    for (std::int64_t done = 0; done < count;) {
      // In binary files elements of one type follow a common head; in text each is a line of its own.
      if (!binary_) in_.integer();  // element number
      const std::int64_t type = read_int();
      const std::int64_t in_block = binary_ ? read_int() : 1;
      const std::int64_t tag_count = read_int();
      const std::size_t corners = kept_corner_count(type);
      if (in_block < 1 || in_block > count - done) in_.fail("an element block has an impossible length");
      if (tag_count < 0) in_.fail("an element has a negative number of tags");
      need(static_cast<std::uint64_t>(tag_count), 4, 1, "tags");
      for (std::int64_t i = 0; i < in_block; ++i) {
        if (binary_) read_int();  // element number
        for (std::int64_t k = 0; k < tag_count; ++k) read_int();
        std::array<std::uint32_t, 4> c{};
        for (std::size_t k = 0; k < corners; ++k) c[k] = node(static_cast<std::uint64_t>(read_int()));
        add_element(type, c);
      }
      done += in_block;
    }
  }

  void read_elements_4() {
    in_.set_binary(binary_);
    const std::uint64_t blocks = read_size();
    for (int k = 0; k < 3; ++k) read_size();
    need(blocks, 20, 4, "element blocks");
    for (std::uint64_t block = 0; block < blocks; ++block) {
      read_int();  // dimension
      read_int();  // entity
      const std::int64_t type = read_int();
      const std::size_t corners = kept_corner_count(type);
      const std::uint64_t count = read_size();
      need(count, 8 * (corners + 1), corners + 1, "elements");
      for (std::uint64_t i = 0; i < count; ++i) {
        read_size();  // element number
        std::array<std::uint32_t, 4> c{};
        for (std::size_t k = 0; k < corners; ++k) c[k] = node(read_size());
        add_element(type, c);
      }
    }
  }

  // Version 2 writes the count as text even in binary files; values begin on the next line.
  void start_values() {
    if (!binary_) return;
    in_.line();
    in_.set_binary(true);
  }

  Scanner in_;
  std::string source_;
  int version_ = 0;
  bool binary_ = false;
  MshContent content_;
  detail::NonFinite broken_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> index_of_tag_;
  bool sorted_ = false;  // index_of_tag_ is complete and in order
  std::size_t nodes_end_ = 0;
};

}  // namespace

MshContent parse_msh(std::string_view bytes, const std::string& source) {
  return MshReader(bytes, source).read();
}

}  // namespace selkie::io
