// STL, ascii and binary. Facets bring their own three vertices, so equal ones are welded into a connected
// mesh. Files that begin with "solid" may be binary all the same: is_binary() tells them apart.
#include <cctype>

#include "selkie/io/detail/mesh_parts.h"
#include "selkie/io/detail/non_finite.h"
#include "selkie/io/detail/scanner.h"
#include "selkie/io/read_mesh.h"

namespace selkie::io {
namespace {

using detail::NonFinite;
using detail::quote;
using detail::Scanner;

constexpr std::size_t kHeader = 84;  // 80 bytes of text, then the number of facets
constexpr std::size_t kFacet = 50;   // normal, three vertices, two spare bytes

bool same_word(std::string_view word, std::string_view lower_case) {
  return std::equal(word.begin(), word.end(), lower_case.begin(), lower_case.end(), [](char a, char b) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(a))) == b;
  });
}

void add_facet(geometry::TriangleMesh& mesh, const std::array<Vec3, 3>& corners) {
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), corners.begin(), corners.end());
  mesh.triangles.push_back({first, first + 1, first + 2});
}

geometry::TriangleMesh read_binary(Scanner& in) {
  in.set_binary(true);
  in.skip(kHeader - 4);
  const auto count = in.raw<std::uint32_t>();
  in.need_records(count, kFacet, "facets");
  geometry::TriangleMesh mesh;
  NonFinite broken;
  for (std::uint32_t facet = 0; facet < count; ++facet) {
    in.skip(12);  // the normal; it follows from the corners
    std::array<Vec3, 3> corners;
    for (Vec3& corner : corners)
      for (double& coordinate : corner) {
        coordinate = static_cast<double>(in.raw<float>());
        broken.see(facet, coordinate, in.value_start());
      }
    in.skip(2);
    add_facet(mesh, corners);
  }
  broken.require_none(in, "facet", "facets");
  return mesh;
}

void expect(Scanner& in, std::string_view keyword) {
  const std::string_view word = in.token();
  if (!same_word(word, keyword)) in.fail("expected " + quote(keyword) + ", but found " + quote(word));
}

geometry::TriangleMesh read_text(Scanner& in) {
  geometry::TriangleMesh mesh;
  NonFinite broken;
  in.skip_byte_order_mark();
  for (std::string_view word = in.try_token(); !word.empty(); word = in.try_token()) {
    if (same_word(word, "solid") || same_word(word, "endsolid")) {
      in.line();  // the name
    } else if (same_word(word, "facet")) {
      expect(in, "normal");
      for (int k = 0; k < 3; ++k) in.number();  // may be NaN for thin facets
      expect(in, "outer");
      expect(in, "loop");
      std::array<Vec3, 3> corners;
      for (Vec3& corner : corners) {
        expect(in, "vertex");
        for (double& coordinate : corner) {
          coordinate = in.number();
          broken.see(mesh.triangles.size(), coordinate, in.value_start());
        }
      }
      expect(in, "endloop");
      expect(in, "endfacet");
      add_facet(mesh, corners);
    } else {
      in.fail("expected \"facet\" or \"endsolid\", but found " + quote(word));
    }
  }
  broken.require_none(in, "facet", "facets");
  return mesh;
}

bool is_binary(std::string_view bytes) {
  Scanner text(bytes, {});
  text.skip_byte_order_mark();
  if (!same_word(text.try_token(), "solid")) return true;
  if (bytes.size() < kHeader) return false;
  const std::string_view count_bytes = bytes.substr(kHeader - 4, 4);
  const std::uint64_t announced =
      kHeader + kFacet * std::uint64_t{Scanner(count_bytes, {}).raw<std::uint32_t>()};
  if (bytes.size() == announced) return true;
  // Bytes may follow the last facet, or be missing. Letters read as a count announce gigabytes and hold no
  // zero byte: such a file is text, damaged or not.
  if (bytes.size() < announced && count_bytes.find('\0') == std::string_view::npos) return false;
  text.line();  // the name; in a text the first facet or the end must follow
  const std::string_view word = text.try_token();
  return !same_word(word, "facet") && !same_word(word, "endsolid");
}

}  // namespace

geometry::TriangleMesh parse_stl(std::string_view bytes, const std::string& source) {
  Scanner in(bytes, source);
  geometry::TriangleMesh mesh = is_binary(bytes) ? read_binary(in) : read_text(in);
  detail::weld(mesh);
  detail::require_readable(mesh, source);
  return mesh;
}

}  // namespace selkie::io
