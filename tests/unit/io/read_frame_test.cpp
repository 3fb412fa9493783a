// Frames written and read back: every kind of drawable, damage of all sorts, names and gaps.
#include "selkie/io/read_frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>

#include "selkie/core/error.h"
#include "selkie/io/frame_writer.h"
#include "selkie/io/write_ply.h"
#include "selkie/io/write_vdb.h"
#include "selkie/io/write_vtk.h"
#include "support/temporary_folder.h"

namespace selkie::io {
namespace {

using namespace ports;
using test::file_text;
using test::TemporaryFolder;

// Floats in the files: half a unit in the last place of numbers up to 40.
constexpr double kFloat = 40 * 0.5 * 1.2e-7;

const std::vector<Vec3> kCorners = {{0, 0, 0}, {1, 0, 0.1}, {0, 1, 0.2}, {1, 1, 0.3}};
const std::vector<std::array<std::uint32_t, 3>> kTriangles = {{0, 1, 2}, {2, 1, 3}};
const std::vector<std::array<std::uint32_t, 2>> kLines = {{0, 1}, {1, 3}};
const std::vector<double> kVelocity = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, kHeat = {0.5, 1.1, 2.2, 3.3};
const std::vector<float> kDensity = {0.f, 1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f, 9.f, 10.f, 11.f};
const std::vector<double> kHeights = {0, 1, 2, 3, 4, 5.1};

std::vector<Attribute> attributes() {
  return {{"velocity", "m/s", 3, kVelocity}, {"heat flow [top]", "W/m²", 1, kHeat}, {"", "", 1, kHeat}};
}

std::vector<Drawable> all_kinds() {
  std::vector<Drawable> all;
  const auto add = [&](const char* name, Look look, bool backdrop, auto shape) {
    all.push_back({.name = name,
                   .look = look,
                   .colour = Vec3(0.1, 0.25, 1),
                   .backdrop = backdrop,
                   .shape = std::move(shape)});
  };
  add("cloth", Look::glossy, false, TriangleSurface{kCorners, kTriangles, attributes()});
  add("drops", Look::water, false, Points{kCorners, 0.125, attributes()});
  add("hair", Look::hair, false, Curves{kCorners, kLines, 0.03, {}});
  add("wind", Look::wire, false, Vectors{"force of wind", "N", kCorners, kCorners});
  add("pond", Look::glass, true,
      HeightSurface{Vec3(10, 20, 30), 0.3, {3, 2}, kHeights, {{"depth", "m", 1, kHeights}}});
  add("smoke", Look::smoke, false,
      Volume{Vec3(1, 2, 3), 0.5, {3, 2, 2}, {{"density", "kg/m³", 1, kDensity}, {"flow", "", 1, kDensity}}});
  return all;
}

void expect_near(std::span<const double> a, std::span<const double> b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], kFloat) << what << " " << i;
}
void expect_near(std::span<const Vec3> a, std::span<const Vec3> b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LT((a[i] - b[i]).norm(), kFloat) << what << " " << i;
}
void expect_near(const std::vector<Attribute>& a, const std::vector<Attribute>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].unit, b[i].unit);
    EXPECT_EQ(a[i].components, b[i].components);
    expect_near(a[i].values, b[i].values, a[i].name);
  }
}
template <class T>
void expect_equal(std::span<const T> a, std::span<const T> b) {
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

void expect_same(const TriangleSurface& a, const TriangleSurface& b) {
  expect_near(a.positions, b.positions, "positions");
  expect_equal(a.triangles, b.triangles);
  expect_near(a.attributes, b.attributes);
}
void expect_same(const Points& a, const Points& b) {
  expect_near(a.positions, b.positions, "positions");
  EXPECT_EQ(a.radius, b.radius);
  expect_near(a.attributes, b.attributes);
}
void expect_same(const Curves& a, const Curves& b) {
  expect_near(a.positions, b.positions, "positions");
  expect_equal(a.lines, b.lines);
  EXPECT_EQ(a.radius, b.radius);
}
void expect_same(const Vectors& a, const Vectors& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.unit, b.unit);
  expect_near(a.origins, b.origins, "origins");
  expect_near(a.values, b.values, "values");
}
void expect_same(const HeightSurface& a, const HeightSurface& b) {
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.spacing, b.spacing);
  EXPECT_EQ(a.samples, b.samples);
  expect_near(a.heights, b.heights, "heights");
  expect_near(a.attributes, b.attributes);
}
void expect_same(const Volume& a, const Volume& b) {
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.cell_size, b.cell_size);
  EXPECT_EQ(a.cells, b.cells);
  ASSERT_EQ(a.fields.size(), b.fields.size());
  for (std::size_t f = 0; f < a.fields.size(); ++f) {
    EXPECT_EQ(a.fields[f].name, b.fields[f].name);
    EXPECT_EQ(a.fields[f].unit, b.fields[f].unit);
    expect_equal(a.fields[f].values, b.fields[f].values);
  }
}

TEST(ReadFrame, GivesBackEveryKindOfDrawableAsItWasWritten) {
  const TemporaryFolder folder;
  const std::vector<Drawable> written = all_kinds();
  FrameWriter writer(folder.path());
  writer.submit(7, 0.5, written);
  (void)writer.finish();
  const std::vector<OwnedDrawable> read = read_frame(folder.path(), 7);
  ASSERT_EQ(read.size(), written.size());
  for (const Drawable& expected : written) {
    const auto found = std::find_if(read.begin(), read.end(),
                                    [&](const OwnedDrawable& d) { return d.get().name == expected.name; });
    ASSERT_NE(found, read.end()) << expected.name;
    const Drawable& got = found->get();
    EXPECT_EQ(got.look, expected.look);
    EXPECT_EQ(got.colour, expected.colour);
    EXPECT_EQ(got.backdrop, expected.backdrop);
    ASSERT_EQ(got.shape.index(), expected.shape.index()) << expected.name;
    std::visit([&]<class Shape>(const Shape& shape) { expect_same(shape, std::get<Shape>(got.shape)); },
               expected.shape);
  }
}

TEST(ReadFrame, AnEmptyDrawableComesBackEmpty) {
  const TemporaryFolder folder;
  write_ply(folder / "none.0000.ply", {.name = "none", .shape = Points{}});
  EXPECT_TRUE(std::get<Points>(read_frame(folder.path(), 0)[0].get().shape).positions.empty());
}

TEST(ReadFrame, NumbersAreThoseOfReadableFilesInOrder) {
  const TemporaryFolder folder;
  for (const int frame : {12, 3, 10000})
    write_ply(folder / frame_file_name("a.b", frame, ".ply"), all_kinds()[0]);
  write_vtk(folder / "a.0099.vtp", all_kinds()[0]);
  std::ofstream(folder / "notes.txt") << "x";
  std::ofstream(folder / "a.5.ply") << "not ours: too few digits";
  EXPECT_EQ(frame_numbers(folder.path()), (std::vector<std::int64_t>{3, 12, 10000}));
  EXPECT_EQ(read_frame(folder.path(), 12)[0].get().name, "a.b");
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReadFrame, AbsentFramesAndUnreadableFormatsAreNamed) {
  const TemporaryFolder folder;
  const auto contains = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(message_of([&] { frame_numbers(folder.path()); }), "holds no frames");
  contains(message_of([&] { frame_numbers(folder / "absent"); }), "cannot be read");
  write_vtk(folder / "cloth.0000.vtp", all_kinds()[0]);
  contains(message_of([&] { frame_numbers(folder.path()); }), "VTK");
  for (const int frame : {0, 1, 4})
    write_ply(folder / frame_file_name("cloth", frame, ".ply"), all_kinds()[0]);
  const std::string text = message_of([&] { read_frame(folder.path(), 2); });
  contains(text, "there is no frame 2");
  contains(text, "0 to 4 (3 of them)");
}

TEST(ReadFrame, ForeignFilesAreRefusedWithLineAndRemedy) {
  const TemporaryFolder folder;
  std::ofstream(folder / "mesh.0001.ply")
      << "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
         "end_header\n0 0 0\n";
  const std::string foreign = message_of([&] { read_frame(folder.path(), 1); });
  EXPECT_NE(foreign.find("mesh.0001.ply:1"), std::string::npos) << foreign;
  EXPECT_NE(foreign.find("not a frame written by Selkie"), std::string::npos) << foreign;
  std::string text = file_text(folder / "mesh.0001.ply");
  text.insert(text.find("element"), "comment selkie kind points\ncomment selkie look shiny\n");
  std::ofstream(folder / "mesh.0001.ply") << text;
  const std::string look = message_of([&] { read_frame(folder.path(), 1); });
  EXPECT_NE(look.find("mesh.0001.ply:4"), std::string::npos) << look;
  EXPECT_NE(look.find("shiny"), std::string::npos) << look;
  EXPECT_NE(look.find("run the scene again"), std::string::npos) << look;
  std::ofstream(folder / "mesh.0002.vdb") << "something else entirely, but long enough for a trailer";
  EXPECT_NE(message_of([&] { read_frame(folder.path(), 2); }).find("not a frame written by Selkie"),
            std::string::npos);
}

// Every file cut and with bytes overwritten at many places: an InputError or a drawable, never a crash.
TEST(ReadFrame, DamageAnywhereIsAnInputErrorOrAReadableDrawable) {
  const TemporaryFolder folder;
  const std::vector<Drawable> kinds = all_kinds();
  FrameWriter writer(folder.path());
  writer.submit(0, 0, kinds);
  int refused = 0;
  for (const std::filesystem::path& path : writer.finish()) {
    const std::string good = file_text(path);
    const std::size_t step = std::max<std::size_t>(1, good.size() / 200);
    const auto attempt = [&](const std::string& bytes) {
      try {
        (void)parse_frame_file(bytes, path);
        return false;
      } catch (const InputError& error) {
        EXPECT_EQ(error.where().file, path.string());
        EXPECT_FALSE(error.remedy().empty()) << error.what();
        ++refused;
        return true;
      }
    };
    for (std::size_t at = 0; at < good.size(); at += step) {
      EXPECT_TRUE(attempt(good.substr(0, at))) << path << " cut at " << at;
      for (const char value : {'\0', '\xff', ' ', '9'}) {
        std::string bad = good;
        bad[at] = value;
        (void)attempt(bad);
      }
    }
    EXPECT_TRUE(attempt(good + "x"));
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace selkie::io
