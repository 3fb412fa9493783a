// See write_ply.h. Blender 3.4 accepts `edge` elements without faces and skips properties it does not know.
#include "selkie/io/write_ply.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <variant>

#include "selkie/io/atomic_file.h"
#include "selkie/io/detail/frame_note.h"
#include "selkie/io/detail/poly_view.h"

namespace selkie::io {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

// One property of the vertex rows: every `step`-th of `values`, from `first` on.
struct Column {
  std::string name;
  const double* first;
  std::size_t step;
  bool is_double;
  std::size_t size() const { return is_double ? 8 : 4; }
};

// PLY names are single words, and each may stand once.
std::string unique_word(const std::string& name, std::set<std::string>& used) {
  std::string word;
  for (const char c : name)
    word += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' ? c : '_';
  if (word.empty()) word = "value";
  while (!used.insert(word).second) word += '_';
  return word;
}

std::vector<Column> vertex_columns(const detail::PolyView& view, const PlyOptions& options) {
  std::vector<Column> columns;
  std::set<std::string> used;
  const double* xyz = detail::numbers_of(view.positions).data();
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns.push_back({unique_word({"xyz"[axis]}, used), xyz + axis, 3, options.double_positions});
  for (const ports::Attribute& a : view.attributes) {
    const auto components = static_cast<std::size_t>(a.components);
    for (std::size_t c = 0; c < components; ++c) {
      const char axis = "xyz"[c];
      const std::string name = components == 1        ? a.name
                               : a.name == "velocity" ? std::string("v") + axis
                                                      : a.name + '_' + axis;
      columns.push_back({unique_word(name, used), a.values.data() + c, components, false});
    }
  }
  return columns;
}

std::string header_text(const ports::Drawable& drawable, const detail::PolyView& view,
                        const std::vector<Column>& columns) {
  std::string text = "ply\nformat binary_little_endian 1.0\ncomment Selkie; positions in m\n";
  for (const std::string& line : detail::note_lines(drawable)) text += "comment selkie " + line + '\n';
  text += fmt::format("element vertex {}\n", view.positions.size());
  for (const Column& column : columns)
    text += fmt::format("property {} {}\n", column.is_double ? "double" : "float", column.name);
  if (!view.triangles.empty())
    text += fmt::format("element face {}\nproperty list uchar int vertex_indices\n", view.triangles.size());
  if (!view.lines.empty())
    text += fmt::format("element edge {}\nproperty int vertex1\nproperty int vertex2\n", view.lines.size());
  return text + "end_header\n";
}

template <class T>
void put_column(const Column& column, std::size_t begin, std::size_t end, std::size_t row_size,
                std::byte* out) {
  for (std::size_t i = begin; i < end; ++i, out += row_size) {
    const T value = static_cast<T>(column.first[i * column.step]);
    std::memcpy(out, &value, sizeof(T));
  }
}

// Column by column in blocks of rows that stay in the first-level cache.
std::byte* put_vertices(std::size_t count, const std::vector<Column>& columns, std::byte* out) {
  constexpr std::size_t kRowsPerBlock = 512;
  std::size_t row_size = 0;
  for (const Column& column : columns) row_size += column.size();
  for (std::size_t begin = 0; begin < count; begin += kRowsPerBlock) {
    const std::size_t end = std::min(begin + kRowsPerBlock, count);
    std::byte* cell = out + begin * row_size;
    for (const Column& column : columns) {
      column.is_double ? put_column<double>(column, begin, end, row_size, cell)
                       : put_column<float>(column, begin, end, row_size, cell);
      cell += column.size();
    }
  }
  return out + count * row_size;
}

constexpr std::size_t kFaceSize = 1 + 3 * 4;

std::byte* put_elements(const detail::PolyView& view, std::byte* out) {
  for (const auto& triangle : view.triangles) {
    *out = std::byte{3};
    std::memcpy(out + 1, triangle.data(), sizeof(triangle));
    out += kFaceSize;
  }
  if (!view.lines.empty()) std::memcpy(out, view.lines.data(), view.lines.size_bytes());
  return out + view.lines.size_bytes();
}

}  // namespace

bool has_ply_form(const ports::Drawable& drawable) {
  return !std::holds_alternative<ports::Volume>(drawable.shape);
}

std::vector<std::byte> ply_bytes(const ports::Drawable& drawable, const PlyOptions& options) {
  const detail::PolyView view = detail::poly_view(drawable);
  const std::vector<Column> columns = vertex_columns(view, options);
  const std::string header = header_text(drawable, view, columns);
  std::size_t row_size = 0;
  for (const Column& column : columns) row_size += column.size();
  std::vector<std::byte> bytes(header.size() + view.positions.size() * row_size +
                               view.triangles.size() * kFaceSize + view.lines.size_bytes());
  std::memcpy(bytes.data(), header.data(), header.size());
  put_elements(view, put_vertices(view.positions.size(), columns, bytes.data() + header.size()));
  return bytes;
}

void write_ply(const std::filesystem::path& path, const ports::Drawable& drawable,
               const PlyOptions& options) {
  write_file_atomically(path, ply_bytes(drawable, options));
}

}  // namespace selkie::io
