// VDB frame files back into dense volumes. OpenVDB trusts counts and offsets it reads, so nothing reaches it
// whose checksum does not agree.
#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>

#include <mutex>
#include <sstream>

#include "selkie/core/error.h"
#include "selkie/core/hash.h"
#include "selkie/io/detail/frame_note.h"
#include "selkie/io/detail/read_frame_parts.h"
#include "selkie/io/detail/scanner.h"
#include "selkie/io/detail/vdb_file.h"

namespace selkie::io::detail {
namespace {

constexpr std::string_view kMark = "\nselkie ";
constexpr std::size_t kTrailerSize = 8 + 32 + 1;

[[noreturn]] void refuse(const std::string& source, const std::string& problem) {
  throw InputError(SourceLocation{source}, problem, Scanner::kDamaged);
}

template <class Grid, class Take>
void each_value(const openvdb::GridBase& base, const std::array<int, 3>& cells, const Take& take) {
  const auto& grid = static_cast<const Grid&>(base);
  auto accessor = grid.getConstAccessor();
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j)
      for (int i = 0; i < cells[0]; ++i) take(accessor.getValue(openvdb::Coord(i, j, k)));
}

std::vector<float> dense_values(const openvdb::GridBase& grid, const FrameNote& note, int components,
                                const std::string& source) {
  std::vector<float> values;
  if (components == 1 && grid.isType<openvdb::FloatGrid>())
    each_value<openvdb::FloatGrid>(grid, note.cells, [&](float value) { values.push_back(value); });
  else if (components == 3 && grid.isType<openvdb::Vec3SGrid>())
    each_value<openvdb::Vec3SGrid>(grid, note.cells, [&](const openvdb::Vec3s& value) {
      for (int c = 0; c < 3; ++c) values.push_back(value[c]);
    });
  else
    refuse(source, "the grid '" + grid.getName() + "' has a type that Selkie does not write");
  return values;
}

FrameNote note_of(const openvdb::MetaMap& metadata, const std::string& source) {
  const auto text = metadata.getMetadata<openvdb::StringMetadata>(kVdbNote);
  if (!text) refuse(source, "the file does not say how it looks");
  std::vector<NoteLine> lines;
  std::istringstream stream(text->value());
  for (std::string line; std::getline(stream, line);) lines.push_back({line});
  FrameNote note = parse_note(lines, source);
  if (note.kind != "volume") refuse(source, "a VDB file cannot hold " + note.kind);
  return note;
}

}  // namespace

void initialize_openvdb() {
  static std::once_flag flag;
  std::call_once(flag, [] { openvdb::initialize(); });
}

std::string vdb_trailer(std::string_view archive) {
  return std::string(kMark) + hash_bytes(std::as_bytes(std::span(archive))).hex() + '\n';
}

std::string_view checked_vdb(std::string_view bytes, const std::string& source) {
  const std::size_t length = bytes.size() < kTrailerSize ? 0 : bytes.size() - kTrailerSize;
  const std::string_view archive = bytes.substr(0, length), trailer = bytes.substr(length);
  if (!trailer.starts_with(kMark))
    throw InputError(SourceLocation{source},
                     "this VDB file is not a frame written by Selkie, or is cut short",
                     "move it out of the folder, or run the scene again");
  if (trailer != vdb_trailer(archive)) refuse(source, "the checksum disagrees");
  return archive;
}

OwnedDrawable drawable_from_vdb(std::string_view bytes, const std::string& source, const std::string& name) {
  const std::string_view archive = checked_vdb(bytes, source);
  initialize_openvdb();
  std::istringstream text{std::string(archive), std::ios::binary};
  try {
    openvdb::io::Stream stream(text, /*delayLoad=*/false);
    const FrameNote note = note_of(*stream.getMetadata(), source);
    const openvdb::GridPtrVecPtr grids = stream.getGrids();
    std::vector<std::vector<float>> values;
    for (const FrameNote::Array& array : note.arrays) {
      openvdb::GridBase::Ptr found;
      for (const openvdb::GridBase::Ptr& grid : *grids)
        if (grid && grid->getName() == array.name) found = grid;
      if (!found) refuse(source, "the field '" + array.name + "' is missing");
      values.push_back(dense_values(*found, note, array.components, source));
    }
    ports::Volume volume{note.origin, note.spacing, note.cells, {}};
    for (std::size_t f = 0; f < values.size(); ++f)
      volume.fields.push_back(
          {note.arrays[f].name, note.arrays[f].unit, note.arrays[f].components, values[f]});
    return OwnedDrawable({.name = name,
                          .look = note.look,
                          .colour = note.colour,
                          .backdrop = note.backdrop,
                          .shape = std::move(volume)});
  } catch (const openvdb::Exception& error) {
    refuse(source, std::string("OpenVDB says: ") + error.what());
  }
}

}  // namespace selkie::io::detail
