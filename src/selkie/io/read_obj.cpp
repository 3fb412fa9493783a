// Wavefront OBJ: `v` and `f` lines; negative indices count back from the latest vertex; a backslash continues
// a line. Texture and normal indices, groups and materials are ignored.
#include "selkie/io/detail/mesh_parts.h"
#include "selkie/io/detail/non_finite.h"
#include "selkie/io/detail/scanner.h"
#include "selkie/io/read_mesh.h"

namespace selkie::io {
namespace {

using detail::Scanner;

// What separates words; a continued line still holds its backslash and line end.
constexpr std::string_view kBlanks = " \t\r\n\v\f\\";

// The words of one line, taken one by one.
std::string_view next_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
  const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

class ObjReader {
 public:
  ObjReader(std::string_view bytes, const std::string& source) : in_(bytes, source), source_(source) {}

  geometry::TriangleMesh read() {
    in_.skip_byte_order_mark();
    while (!in_.at_end()) {
      line_start_ = in_.position();
      std::string_view line = in_.line();
      while (continues(line) && !in_.at_end()) line = joined(line, in_.line());
      const std::string_view keyword = next_word(line);
      if (keyword == "v")
        read_vertex(line);
      else if (keyword == "f")
        read_face(line);
    }
    broken_.require_none(in_);
    if (highest_ > mesh_.positions.size()) {
      in_.seek(highest_at_);
      in_.fail_here("a face uses vertex " + std::to_string(highest_) + ", but the file has " +
                    std::to_string(mesh_.positions.size()) + " vertices");
    }
    detail::require_readable(mesh_, source_);
    return std::move(mesh_);
  }

 private:
  static bool continues(std::string_view line) { return !line.empty() && line.back() == '\\'; }
  // Both are parts of the same bytes, the second following the first.
  static std::string_view joined(std::string_view first, std::string_view second) {
    return {first.data(), static_cast<std::size_t>(second.data() + second.size() - first.data())};
  }
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy = Scanner::kDamaged) {
    in_.seek(line_start_);
    in_.fail_here(problem, remedy);
  }

  void read_vertex(std::string_view line) {
    Vec3 position;
    for (int k = 0; k < 3; ++k) {
      const std::string_view word = next_word(line);
      if (word.empty()) fail("a vertex needs three coordinates");
      if (!detail::parse_number(word, position[k]))
        fail("expected a number, but found " + detail::quote(word));
      broken_.see(mesh_.positions.size(), position[k], line_start_);
    }
    mesh_.positions.push_back(position);
  }

  void read_face(std::string_view line) {
    corners_.clear();
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      if (word.front() == '#') break;
      corners_.push_back(vertex_index(word.substr(0, word.find('/'))));
    }
    if (corners_.size() < 3)
      fail("a face has " + std::to_string(corners_.size()) + " corners", "a face needs three or more");
    detail::add_fan(corners_, mesh_.triangles);
  }

  std::uint32_t vertex_index(std::string_view word) {
    std::int64_t index = 0;
    if (!detail::parse_integer(word, index))
      fail("expected a vertex index, but found " + detail::quote(word));
    const auto count = static_cast<std::int64_t>(mesh_.positions.size());
    if (index == 0 || index < -count || index > 0xfffffffe)
      fail("vertex index " + std::to_string(index) + " is out of range; " + std::to_string(count) +
               " vertices stand before this face",
           "indices count from 1, or from -1 backwards");
    if (index < 0) return static_cast<std::uint32_t>(count + index);
    // A face may use vertices that follow it, so the upper bound is checked at the end.
    if (static_cast<std::uint64_t>(index) > highest_) {
      highest_ = static_cast<std::uint64_t>(index);
      highest_at_ = line_start_;
    }
    return static_cast<std::uint32_t>(index - 1);
  }

  Scanner in_;
  std::string source_;
  geometry::TriangleMesh mesh_;
  detail::NonFinite broken_;
  std::vector<std::uint32_t> corners_;
  std::size_t line_start_ = 0;
  std::uint64_t highest_ = 0;
  std::size_t highest_at_ = 0;
};

}  // namespace

geometry::TriangleMesh parse_obj(std::string_view bytes, const std::string& source) {
  return ObjReader(bytes, source).read();
}

}  // namespace selkie::io
