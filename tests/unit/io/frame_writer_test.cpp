// The background writer: names, order, copies, bounded memory, errors.
#include "selkie/io/frame_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <future>

#include "selkie/core/error.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/owned_drawable.h"
#include "selkie/io/vtk_series.h"
#include "selkie/io/write_ply.h"
#include "support/temporary_folder.h"

namespace selkie::io {
namespace {

namespace fs = std::filesystem;
using namespace ports;
using test::file_text;
using test::TemporaryFolder;

std::string ply_text(const Drawable& drawable) {
  const std::vector<std::byte> bytes = ply_bytes(drawable);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Cloud {
  explicit Cloud(std::size_t count, double value = 0) : positions(count, Vec3::Constant(value)) {}
  Drawable drawable(const std::string& name = "drops") const {
    return {.name = name, .shape = Points{positions, 0, {}}};
  }
  void submit_to(FrameWriter& writer, std::int64_t frame) const {
    const Drawable drawables[] = {drawable()};
    writer.submit(frame, static_cast<double>(frame) / 24, drawables);
  }
  std::vector<Vec3> positions;
};

TEST(OwnedDrawable, KeepsItsOwnCopyOfEveryArray) {
  std::vector<Vec3> positions = {{1, 2, 3}, {4, 5, 6}};
  std::vector<std::array<std::uint32_t, 2>> lines = {{0, 1}};
  std::vector<double> age = {7, 8};
  const Drawable source{.name = "hair", .shape = Curves{positions, lines, 0.1, {{"age", "s", 1, age}}}};
  const std::string before = ply_text(source);
  const OwnedDrawable first(source);
  positions[0].setZero(), lines[0] = {1, 1}, age[1] = 0;
  EXPECT_NE(ply_text(source), before);
  EXPECT_EQ(ply_text(first.get()), before);
  EXPECT_GE(first.bytes(), 2 * 24u + 8u + 16u);
  EXPECT_EQ(first.bytes(), data_bytes(source));
}

TEST(FrameStems, AreThoseOfTheFilesThatADrawableFills) {
  const std::vector<Vec3> positions(4, Vec3::Zero());
  const std::vector<std::array<std::uint32_t, 4>> tets{{0, 1, 2, 3}};
  const Drawable body{.name = "jelly", .shape = Points{positions, 0, {}}, .interior = {positions, tets, {}}};
  using Stems = std::vector<std::string>;
  EXPECT_EQ(frame_stems_of(body, std::array{FrameFormat::ply, FrameFormat::vdb}), Stems{"jelly"});
  EXPECT_EQ(frame_stems_of(body, std::array{FrameFormat::vtk}), (Stems{"jelly", "jelly-interior"}));
  EXPECT_EQ(frame_stems_of(body, std::array{FrameFormat::vdb}), Stems{});
  const Drawable steam{.name = "steam", .shape = Volume{}};
  EXPECT_EQ(frame_stems_of(steam, std::array{FrameFormat::ply}), Stems{});
  EXPECT_EQ(frame_stems_of(steam, std::array{FrameFormat::vdb}), Stems{"steam"});
}

TEST(FrameWriter, WritesTheInteriorOfABodyAsAFileOfItsOwn) {
  const TemporaryFolder folder;
  std::vector<Vec3> positions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::vector<std::array<std::uint32_t, 3>> triangles{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const std::vector<std::array<std::uint32_t, 4>> tets{{0, 1, 2, 3}};
  std::vector<double> stress{1, 2, 3, 4};
  Drawable body{.name = "jelly", .shape = TriangleSurface{positions, triangles, {}}};
  body.interior = {positions, tets, {{"stress", "Pa", 1, stress}}};
  FrameWriter writer(folder.path(), {.formats = {FrameFormat::ply, FrameFormat::vtk}});
  writer.submit(3, 0.125, std::span(&body, 1));
  positions.assign(4, Vec3::Zero()), stress.assign(4, 0);  // the writer has its own
  const std::vector<fs::path> expected{folder.path() / "jelly.0003.ply", folder.path() / "jelly.0003.vtp",
                                       folder.path() / "jelly-interior.0003.vtu"};
  EXPECT_EQ(writer.finish(), expected);
  for (const fs::path& file : expected) EXPECT_TRUE(fs::exists(file)) << file;
  EXPECT_NE(file_text(expected[2]).find("stress [Pa]"), std::string::npos);
  const auto entries = VtkSeries::resume(folder.path() / "series.pvd", 1).entries();
  EXPECT_EQ(entries.at({0.125, "jelly-interior"}), "jelly-interior.0003.vtu");
  EXPECT_EQ(entries.at({0.125, "jelly"}), "jelly.0003.vtp");
  EXPECT_EQ(data_bytes(body), OwnedDrawable(body).bytes());
}

TEST(FrameWriter, WritesEachDrawableInEachFormatThatFitsIt) {
  const TemporaryFolder folder;
  const Cloud cloud(3, 1.5);
  const std::vector<float> density(8, 1.0f);
  const std::vector<Drawable> drawables = {
      cloud.drawable(),
      {.name = "smoke", .shape = Volume{Vec3::Zero(), 1, {2, 2, 2}, {{"density", "", 1, density}}}}};
  FrameWriter writer(folder / "new/out", {.formats = {FrameFormat::ply, FrameFormat::vdb, FrameFormat::vtk}});
  writer.submit(7, 0.5, drawables);
  writer.submit(12345, 1, drawables);
  std::vector<std::string> names;
  for (const fs::path& file : writer.finish()) {
    EXPECT_TRUE(fs::exists(file));
    names.push_back(file.filename());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"drops.0007.ply", "drops.0007.vtp", "smoke.0007.vdb",
                                             "smoke.0007.vti", "drops.12345.ply", "drops.12345.vtp",
                                             "smoke.12345.vdb", "smoke.12345.vti"}));
  EXPECT_EQ(file_text(folder / "new/out/drops.0007.ply"), ply_text(cloud.drawable()));
  EXPECT_EQ(VtkSeries::resume(folder / "new/out/series.pvd", 2).entries().size(), 4u);
}

TEST(FrameWriter, DataChangedAfterSubmitDoNotLeakIntoTheFile) {
  const TemporaryFolder folder;
  FrameWriter writer(folder.path(), {FrameFormat::ply}, std::size_t{1} << 30);
  Cloud large(200000, 1), small(10, 2);
  const std::string expected_large = ply_text(large.drawable()), expected_small = ply_text(small.drawable());
  large.submit_to(writer, 0);
  small.submit_to(writer, 1);
  for (Cloud* cloud : {&large, &small})
    std::fill(cloud->positions.begin(), cloud->positions.end(), Vec3::Zero());
  writer.finish();
  EXPECT_EQ(file_text(folder / "drops.0000.ply"), expected_large);
  EXPECT_EQ(file_text(folder / "drops.0001.ply"), expected_small);
}

TEST(FrameWriter, MemoryInFlightStaysWithinTheBound) {
  const TemporaryFolder folder;
  const Cloud cloud(10000);
  const std::size_t bound = 2 * data_bytes(cloud.drawable()) + 1000;
  FrameWriter writer(folder.path(), {FrameFormat::ply}, bound);
  for (int frame = 0; frame < 20; ++frame) {
    cloud.submit_to(writer, frame);
    EXPECT_LE(writer.bytes_in_flight(), bound);
  }
  EXPECT_EQ(writer.finish().size(), 20u);
  EXPECT_EQ(writer.bytes_in_flight(), 0u);
}

TEST(FrameWriter, AFrameLargerThanTheBoundIsWrittenAlone) {
  const TemporaryFolder folder;
  FrameWriter writer(folder.path(), {FrameFormat::ply}, 1);
  const Cloud cloud(1000);
  for (int frame = 0; frame < 3; ++frame) cloud.submit_to(writer, frame);
  EXPECT_EQ(writer.finish().size(), 3u);
}

TEST(FrameWriter, SubmitWaitsForMemoryAndLearnsOfAnErrorWhileItWaits) {
  const TemporaryFolder folder;
  const Cloud cloud(1000);
  FrameWriter writer(folder.path(), {FrameFormat::ply}, 2 * data_bytes(cloud.drawable()));
  // A pipe in the place of the partial file holds the writer until someone reads it; then it fails, for a
  // pipe cannot be synced.
  const fs::path pipe = partial_name(folder / "drops.0000.ply");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  cloud.submit_to(writer, 0);
  cloud.submit_to(writer, 1);
  auto third = std::async(std::launch::async, [&] { cloud.submit_to(writer, 2); });
  EXPECT_EQ(third.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  EXPECT_EQ(writer.bytes_in_flight(), 2 * data_bytes(cloud.drawable()));
  const int reader = ::open(pipe.c_str(), O_RDONLY);
  std::vector<char> drain(1 << 16);
  while (::read(reader, drain.data(), drain.size()) > 0) {
  }
  ::close(reader);
  EXPECT_THROW(third.get(), OutputError);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(FrameWriter, AfterAnErrorNothingMoreIsWrittenAndEveryCallReportsIt) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "drops.0002.ply");  // a folder in the place of frame 2
  FrameWriter writer(folder.path(), {FrameFormat::ply}, std::size_t{1} << 30);
  const Cloud cloud(10);
  for (int frame = 0; frame < 3; ++frame) cloud.submit_to(writer, frame);
  EXPECT_THROW(writer.finish(), OutputError);
  EXPECT_THROW(writer.check(), OutputError);
  EXPECT_THROW(cloud.submit_to(writer, 3), OutputError);
  EXPECT_THROW(writer.finish(), OutputError);
  EXPECT_TRUE(fs::exists(folder / "drops.0001.ply"));
  EXPECT_FALSE(fs::exists(folder / "drops.0003.ply"));
  EXPECT_EQ(remove_partial_files(folder.path()), 0u);
}

TEST(FrameWriter, CheckIsSilentWhileAllIsWellAndTheDestructorWritesWhatIsQueued) {
  const TemporaryFolder folder;
  const Cloud cloud(10);
  {
    FrameWriter writer(folder.path(), {FrameFormat::ply}, std::size_t{1} << 30);
    for (int frame = 0; frame < 5; ++frame) cloud.submit_to(writer, frame);
    EXPECT_NO_THROW(writer.check());
  }
  EXPECT_TRUE(fs::exists(folder / "drops.0004.ply"));
}

TEST(FrameWriter, StartingClearsPartialFilesAndResumingContinuesTheSeries) {
  const TemporaryFolder folder;
  const Cloud cloud(4);
  const auto run = [&](int begin, int end, std::optional<double> resume_time) {
    FrameWriter writer(folder.path(), {.formats = {FrameFormat::vtk}, .resume_time = resume_time});
    for (int frame = begin; frame < end; ++frame) cloud.submit_to(writer, frame);
    writer.finish();
  };
  run(0, 6, {});
  const std::string whole = file_text(folder / "series.pvd");
  run(0, 5, {});
  std::ofstream(partial_name(folder / "drops.0005.vtp")) << "torn";
  run(3, 6, 2 / 24.0);
  EXPECT_EQ(file_text(folder / "series.pvd"), whole);
  EXPECT_EQ(remove_partial_files(folder.path()), 0u);
}

TEST(FrameWriter, NamesThatLeaveTheFolderAndUnwritableFoldersAreRefused) {
  const TemporaryFolder folder;
  FrameWriter writer(folder.path());
  const Cloud cloud(1);
  const Drawable drawables[] = {cloud.drawable("../escape")};
  EXPECT_THROW(writer.submit(0, 0, drawables), InputError);
  EXPECT_NO_THROW(writer.finish());
  write_file_atomically(folder / "file", "x");
  EXPECT_THROW(FrameWriter(folder / "file"), OutputError);
}

}  // namespace
}  // namespace selkie::io
