// See write_vdb.h. With read_frame_vdb.cpp the only file that includes OpenVDB: its headers cost seconds.
#include "selkie/io/write_vdb.h"

#include <openvdb/openvdb.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <variant>

#include "selkie/core/error.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/detail/frame_note.h"
#include "selkie/io/detail/poly_view.h"
#include "selkie/io/detail/vdb_file.h"

namespace selkie::io {
namespace {

using openvdb::Coord;

// OpenVDB's own file class does not notice a full disk, so archives are made in memory (compressed, a small
// part of the volume's size) and written by our sink, which does.
class MemoryArchive : public openvdb::io::Archive {
 public:
  void write_to(std::ostringstream& stream, const openvdb::GridPtrVec& grids,
                const openvdb::MetaMap& note) const {
    const openvdb::GridCPtrVec constant(grids.begin(), grids.end());
    Archive::write(stream, constant, /*seekable=*/true, note);
  }
};

openvdb::math::Transform::Ptr cell_centred(const ports::Volume& volume) {
  auto transform = openvdb::math::Transform::createLinearTransform(volume.cell_size);
  const double half = volume.cell_size / 2;
  transform->postTranslate({volume.origin.x() + half, volume.origin.y() + half, volume.origin.z() + half});
  return transform;
}

struct ScalarValues {
  using Grid = openvdb::FloatGrid;
  const float* values;
  float at(std::size_t cell) const { return values[cell]; }
  static bool is_small(float value, float tolerance) { return std::abs(value) <= tolerance; }
};

struct VectorValues {
  using Grid = openvdb::Vec3SGrid;
  const float* values;
  openvdb::Vec3s at(std::size_t cell) const {
    return {values[3 * cell], values[3 * cell + 1], values[3 * cell + 2]};
  }
  static bool is_small(const openvdb::Vec3s& v, float tolerance) {
    return ScalarValues::is_small(v.x(), tolerance) && ScalarValues::is_small(v.y(), tolerance) &&
           ScalarValues::is_small(v.z(), tolerance);
  }
};

// Fills the leaf at `low` from the part of the box it covers; null when nothing there exceeds the tolerance.
// (A NaN is not small, so trouble stays visible.)
template <class Values>
auto make_leaf(const Values& values, const std::array<int, 3>& cells, const Coord& low, float tolerance) {
  using Leaf = typename Values::Grid::TreeType::LeafNodeType;
  const auto columns = static_cast<std::size_t>(cells[0]), rows = static_cast<std::size_t>(cells[1]);
  const int size = static_cast<int>(Leaf::DIM);
  Coord end(std::min(low.x() + size, cells[0]), std::min(low.y() + size, cells[1]),
            std::min(low.z() + size, cells[2]));
  auto leaf = std::make_unique<Leaf>(low);
  bool is_kept = false;
  for (int k = low.z(); k < end.z(); ++k) {
    for (int j = low.y(); j < end.y(); ++j) {
      const std::size_t row = (static_cast<std::size_t>(k) * rows + static_cast<std::size_t>(j)) * columns;
      for (int i = low.x(); i < end.x(); ++i) {
        const auto value = values.at(row + static_cast<std::size_t>(i));
        is_kept = is_kept || !Values::is_small(value, tolerance);
        leaf->setValueOn(Coord(i, j, k), value);
      }
    }
  }
  if (!is_kept) leaf.reset();
  return leaf;
}

template <class Values>
openvdb::GridBase::Ptr make_grid(const ports::Volume& volume, const ports::Volume::Field& field,
                                 float tolerance) {
  const Values values{field.values.data()};
  auto grid = Values::Grid::create();
  const int size = static_cast<int>(Values::Grid::TreeType::LeafNodeType::DIM);
  for (int k = 0; k < volume.cells[2]; k += size)
    for (int j = 0; j < volume.cells[1]; j += size)
      for (int i = 0; i < volume.cells[0]; i += size)
        if (auto leaf = make_leaf(values, volume.cells, Coord(i, j, k), tolerance))
          grid->tree().addLeaf(leaf.release());
  return grid;
}

openvdb::GridBase::Ptr grid_of(const ports::Volume& volume, const ports::Volume::Field& field,
                               const VdbOptions& options) {
  const auto tolerance = static_cast<float>(options.tolerance);
  auto grid = field.components == 1 ? make_grid<ScalarValues>(volume, field, tolerance)
                                    : make_grid<VectorValues>(volume, field, tolerance);
  grid->setName(field.name);
  grid->setTransform(cell_centred(volume));
  if (field.components == 1 && field.name.find("density") != std::string::npos)
    grid->setGridClass(openvdb::GRID_FOG_VOLUME);
  if (field.components == 3) grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  if (!field.unit.empty()) grid->insertMeta("unit", openvdb::StringMetadata(field.unit));
  return grid;
}

}  // namespace

void write_vdb(const std::filesystem::path& path, const ports::Drawable& drawable,
               const VdbOptions& options) {
  const auto* volume = std::get_if<ports::Volume>(&drawable.shape);
  if (volume == nullptr)
    throw InputError("'" + drawable.name + "' is not a volume", "Write it as PLY or VTK.");
  std::size_t cells = 1;
  for (const int n : volume->cells) cells *= static_cast<std::size_t>(std::max(n, 0));
  for (const ports::Volume::Field& f : volume->fields)
    detail::check_length("volume", f.name, f.components, f.values.size(), cells);
  if (!(volume->cell_size > 0)) throw InputError("a volume's cell size must be positive");
  detail::initialize_openvdb();
  openvdb::GridPtrVec grids;
  for (const ports::Volume::Field& field : volume->fields) grids.push_back(grid_of(*volume, field, options));
  std::string note;
  for (const std::string& line : detail::note_lines(drawable)) note += line + '\n';
  openvdb::MetaMap metadata;
  metadata.insertMeta(detail::kVdbNote, openvdb::StringMetadata(note));

  std::ostringstream stream(std::ios::binary | std::ios::out);
  MemoryArchive().write_to(stream, grids, metadata);
  const std::string trailer = detail::vdb_trailer(stream.view());
  write_file_atomically(path, [&](FileSink& sink) {
    sink.write(stream.view());
    sink.write(trailer);
  });
}

void write_vdb(const std::filesystem::path& path, const ports::Volume& volume, const VdbOptions& options) {
  write_vdb(path, ports::Drawable{.name = "volume", .look = ports::Look::smoke, .shape = volume}, options);
}

}  // namespace selkie::io
