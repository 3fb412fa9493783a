// PLY frame files back into drawables. The order of things is the writer's: x y z, then the attributes that
// the note lists; a file that departs from it was not written by write_ply.h and is refused.
#include <cmath>
#include <span>

#include "selkie/core/error.h"
#include "selkie/io/detail/frame_note.h"
#include "selkie/io/detail/ply_source.h"
#include "selkie/io/detail/read_frame_parts.h"

namespace selkie::io::detail {
namespace {

struct PlyArrays {
  std::vector<Vec3> positions;
  std::vector<std::vector<double>> attributes;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::array<std::uint32_t, 2>> lines;
};

FrameNote note_of(const PlySource& in, const std::string& source) {
  constexpr std::string_view kMark = "selkie ";
  std::vector<NoteLine> lines;
  for (const PlyComment& comment : in.comments())
    if (std::string_view(comment.text).starts_with(kMark))
      lines.push_back({comment.text.substr(kMark.size()), comment.line});
  if (lines.empty())
    throw InputError(SourceLocation{source, 1}, "this PLY file is not a frame written by Selkie",
                     "move it out of the folder, or run the scene again if an older Selkie wrote it");
  return parse_note(lines, source);
}

void read_vertices(PlySource& in, const PlyElement& element, const FrameNote& note, PlyArrays& out) {
  std::size_t expected = 3;
  for (const FrameNote::Array& array : note.arrays) expected += static_cast<std::size_t>(array.components);
  bool fits = element.properties.size() == expected;
  for (std::size_t i = 0; i < element.properties.size(); ++i)
    fits = fits && !element.properties[i].list_count &&
           (i > 2 || element.properties[i].name == std::string(1, "xyz"[i]));
  if (!fits) in.fail_here("the vertices do not have the properties that the comments announce");
  out.positions.resize(element.count);
  out.attributes.resize(note.arrays.size());
  for (std::size_t a = 0; a < note.arrays.size(); ++a)
    out.attributes[a].reserve(element.count * static_cast<std::size_t>(note.arrays[a].components));
  for (std::uint64_t row = 0; row < element.count; ++row) {
    std::size_t column = 0;
    for (int k = 0; k < 3; ++k) {
      out.positions[row][k] = in.scalar(element.properties[column++].type);
      if (!std::isfinite(out.positions[row][k]))
        in.fail("a coordinate of vertex " + std::to_string(row) + " is not finite");
    }
    for (std::size_t a = 0; a < note.arrays.size(); ++a)
      for (int c = 0; c < note.arrays[a].components; ++c)
        out.attributes[a].push_back(in.scalar(element.properties[column++].type));
  }
}

std::uint32_t read_index(PlySource& in, PlyScalar type, std::size_t vertices) {
  const std::uint32_t index = in.whole(type, "a vertex index");
  if (index >= vertices)
    in.fail("index " + std::to_string(index) + " points past the " + std::to_string(vertices) + " vertices");
  return index;
}

void read_faces(PlySource& in, const PlyElement& element, PlyArrays& out) {
  if (element.properties.size() != 1 || !element.properties[0].list_count)
    in.fail_here("the faces are not one list of indices");
  out.triangles.resize(element.count);
  for (auto& triangle : out.triangles) {
    if (in.list_count(element.properties[0]) != 3) in.fail("a face is not a triangle");
    for (std::uint32_t& corner : triangle)
      corner = read_index(in, element.properties[0].type, out.positions.size());
  }
}

void read_edges(PlySource& in, const PlyElement& element, PlyArrays& out) {
  if (element.properties.size() != 2 || element.properties[0].list_count || element.properties[1].list_count)
    in.fail_here("the edges are not pairs of indices");
  out.lines.resize(element.count);
  for (auto& line : out.lines)
    for (std::size_t k = 0; k < 2; ++k)
      line[k] = read_index(in, element.properties[k].type, out.positions.size());
}

PlyArrays read_arrays(PlySource& in, const FrameNote& note) {
  PlyArrays arrays;
  for (const PlyElement& element : in.elements()) {
    if (element.properties.empty()) continue;
    in.begin(element);
    if (element.name == "vertex")
      read_vertices(in, element, note, arrays);
    else if (element.name == "face")
      read_faces(in, element, arrays);
    else if (element.name == "edge")
      read_edges(in, element, arrays);
    else
      in.fail_here("the element '" + element.name + "' is unknown");
  }
  if (!in.at_end()) in.fail_here("bytes follow the last element");
  return arrays;
}

}  // namespace

OwnedDrawable drawable_from_ply(std::string_view bytes, const std::string& source, const std::string& name) {
  PlySource in(bytes, source);
  const FrameNote note = note_of(in, source);
  const PlyArrays arrays = read_arrays(in, note);
  std::vector<ports::Attribute> attributes;
  for (std::size_t a = 0; a < arrays.attributes.size(); ++a)
    attributes.push_back(
        {note.arrays[a].name, note.arrays[a].unit, note.arrays[a].components, arrays.attributes[a]});
  ports::Drawable drawable{.name = name,
                           .look = note.look,
                           .colour = note.colour,
                           .backdrop = note.backdrop,
                           .shape = ports::Points{}};
  std::vector<double> heights;
  if (note.kind == "triangles") {
    drawable.shape = ports::TriangleSurface{arrays.positions, arrays.triangles, attributes};
  } else if (note.kind == "points") {
    drawable.shape = ports::Points{arrays.positions, note.radius, attributes};
  } else if (note.kind == "curves") {
    drawable.shape = ports::Curves{arrays.positions, arrays.lines, note.radius, attributes};
  } else if (note.kind == "vectors") {
    if (note.arrays.size() != 1 || note.arrays[0].components != 3)
      in.fail_here("arrows need one vector attribute");
    std::vector<Vec3> values(arrays.positions.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = Vec3::Map(arrays.attributes[0].data() + 3 * i);
    drawable.shape = ports::Vectors{note.arrays[0].name, note.arrays[0].unit, arrays.positions, values};
    return OwnedDrawable(drawable);
  } else if (note.kind == "height") {
    const auto columns = static_cast<std::size_t>(note.cells[0]);
    if (columns * static_cast<std::size_t>(note.cells[1]) != arrays.positions.size())
      in.fail_here("the height surface does not have the samples that the comments announce");
    for (const Vec3& x : arrays.positions) heights.push_back(x.y() - note.origin.y());
    drawable.shape =
        ports::HeightSurface{note.origin, note.spacing, {note.cells[0], note.cells[1]}, heights, attributes};
  } else {
    in.fail_here("a PLY file cannot hold a " + note.kind);
  }
  return OwnedDrawable(drawable);
}

}  // namespace selkie::io::detail
