// VDB files re-read through OpenVDB's own file class.
#include "selkie/io/write_vdb.h"

#include <gtest/gtest.h>
#include <openvdb/openvdb.h>

#include <cmath>
#include <limits>
#include <vector>

#include "selkie/core/error.h"
#include "support/file_size_limit.h"
#include "support/temporary_folder.h"

namespace selkie::io {
namespace {

using openvdb::Coord;
using ports::Volume;

template <class Grid>
typename Grid::Ptr read_grid(const std::filesystem::path& path, const std::string& name) {
  openvdb::initialize();
  openvdb::io::File file(path.string());
  file.open(/*delayLoad=*/false);
  return openvdb::gridPtrCast<Grid>(file.readGrid(name));
}

// 20 × 10 × 9 cells, every value different from zero only for i < 8.
struct Sample {
  Sample() : density(20 * 10 * 9), velocity(3 * density.size()) {
    for (int k = 0; k < 9; ++k)
      for (int j = 0; j < 10; ++j)
        for (int i = 0; i < 8; ++i) {
          density[cell(i, j, k)] = static_cast<float>(1 + i + 10 * j + 100 * k);
          velocity[3 * cell(i, j, k) + 2] = static_cast<float>(-1 - i);
        }
  }
  static std::size_t cell(int i, int j, int k) { return static_cast<std::size_t>((k * 10 + j) * 20 + i); }
  Volume volume() const {
    return {Vec3(1, 2, 3),
            0.5,
            {20, 10, 9},
            {{"density", "kg/m3", 1, density}, {"velocity", "m/s", 3, velocity}}};
  }
  std::vector<float> density, velocity;
};

TEST(WriteVdb, ValuesNamesClassAndCellCentresComeBack) {
  const test::TemporaryFolder folder;
  const Sample sample;
  write_vdb(folder / "smoke.vdb", sample.volume());
  const auto density = read_grid<openvdb::FloatGrid>(folder / "smoke.vdb", "density");
  const auto velocity = read_grid<openvdb::Vec3SGrid>(folder / "smoke.vdb", "velocity");
  for (int k = 0; k < 9; ++k)
    for (int j = 0; j < 10; ++j)
      for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(density->tree().getValue(Coord(i, j, k)), sample.density[Sample::cell(i, j, k)]);
        ASSERT_EQ(velocity->tree().getValue(Coord(i, j, k)).z(),
                  sample.velocity[3 * Sample::cell(i, j, k) + 2]);
      }
  EXPECT_EQ(density->getGridClass(), openvdb::GRID_FOG_VOLUME);
  EXPECT_EQ(density->metaValue<std::string>("unit"), "kg/m3");
  EXPECT_EQ(density->indexToWorld(Coord(0, 0, 0)), openvdb::Vec3d(1.25, 2.25, 3.25));
  EXPECT_EQ(density->indexToWorld(Coord(19, 9, 8)), openvdb::Vec3d(10.75, 6.75, 7.25));
}

TEST(WriteVdb, EmptyLeavesAreLeftOutAndVoxelsBeyondTheBoxAreInactive) {
  const test::TemporaryFolder folder;
  const Sample sample;
  write_vdb(folder / "smoke.vdb", sample.volume());
  const auto density = read_grid<openvdb::FloatGrid>(folder / "smoke.vdb", "density");
  EXPECT_EQ(density->tree().leafCount(), 4u);  // 1 × 2 × 2 of 3 × 2 × 2 leaves
  EXPECT_EQ(density->activeVoxelCount(), 8u * 10u * 9u);
}

TEST(WriteVdb, TheToleranceDropsFaintLeavesButNeverChangesAKeptOne) {
  const test::TemporaryFolder folder;
  std::vector<float> values(16 * 8 * 8, 1e-7f);
  values[0] = 1;
  const Volume volume{Vec3::Zero(), 1, {16, 8, 8}, {{"heat", "", 1, values}}};
  write_vdb(folder / "pruned.vdb", volume, {.tolerance = 1e-6});
  write_vdb(folder / "exact.vdb", volume, {.tolerance = 0});
  const auto pruned = read_grid<openvdb::FloatGrid>(folder / "pruned.vdb", "heat");
  EXPECT_EQ(pruned->tree().leafCount(), 1u);
  EXPECT_EQ(pruned->tree().getValue(Coord(7, 7, 7)), 1e-7f);
  EXPECT_EQ(pruned->tree().getValue(Coord(8, 0, 0)), 0.0f);
  EXPECT_EQ(read_grid<openvdb::FloatGrid>(folder / "exact.vdb", "heat")->tree().leafCount(), 2u);
}

TEST(WriteVdb, NotANumberIsKeptSoThatTroubleStaysVisible) {
  const test::TemporaryFolder folder;
  std::vector<float> values(8 * 8 * 8, 0.0f);
  values[5] = std::numeric_limits<float>::quiet_NaN();
  write_vdb(folder / "nan.vdb", {Vec3::Zero(), 1, {8, 8, 8}, {{"density", "", 1, values}}});
  EXPECT_TRUE(std::isnan(
      read_grid<openvdb::FloatGrid>(folder / "nan.vdb", "density")->tree().getValue(Coord(5, 0, 0))));
}

TEST(WriteVdb, WrongLengthsAndAFullDiskAreErrorsAndLeaveNoFile) {
  const test::TemporaryFolder folder;
  const Sample sample;
  Volume wrong = sample.volume();
  wrong.cells = {20, 10, 10};
  EXPECT_THROW(write_vdb(folder / "smoke.vdb", wrong), InputError);
  {
    const test::FileSizeLimit limit(100);
    EXPECT_THROW(write_vdb(folder / "smoke.vdb", sample.volume()), OutputError);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace selkie::io
