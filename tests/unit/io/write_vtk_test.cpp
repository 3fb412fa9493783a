// VTK files re-read by a small parser of tags and appended blocks; the collection's life over a resume.
#include "selkie/io/write_vtk.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>

#include "selkie/core/error.h"
#include "selkie/io/vtk_series.h"
#include "support/temporary_folder.h"

namespace selkie::io {
namespace {

using namespace ports;
using test::TemporaryFolder;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string attribute(const std::string& tag, const std::string& key) {
  const std::size_t at = tag.find(" " + key + "=\"");
  if (at == std::string::npos) return "?";
  const std::size_t begin = at + key.size() + 3;
  return tag.substr(begin, tag.find('"', begin) - begin);
}

// The first tag that begins with <name and holds `needle`.
std::string find_tag(const std::string& file, const std::string& name, const std::string& needle = "") {
  for (std::size_t at = file.find("<" + name); at != std::string::npos; at = file.find("<" + name, at + 1)) {
    const std::string tag = file.substr(at, file.find('>', at) - at);
    if (tag.find(needle) != std::string::npos) return tag;
  }
  return "";
}

template <class T>
std::vector<double> values_as(const char* data, std::uint64_t bytes) {
  std::vector<T> values(bytes / sizeof(T));
  std::memcpy(values.data(), data, bytes);
  return {values.begin(), values.end()};
}

// The values of an array by name, whatever its type.
std::vector<double> array(const std::string& file, const std::string& name) {
  const std::string tag = find_tag(file, "DataArray", "Name=\"" + name + "\"");
  if (tag.empty()) throw std::runtime_error("no array " + name);
  const char* block = file.data() + file.find("\n_") + 2 + std::stoull(attribute(tag, "offset"));
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, block, sizeof(bytes));
  const std::string type = attribute(tag, "type");
  if (type == "Float32") return values_as<float>(block + 8, bytes);
  if (type == "Float64") return values_as<double>(block + 8, bytes);
  if (type == "Int32") return values_as<std::int32_t>(block + 8, bytes);
  if (type == "UInt8") return values_as<std::uint8_t>(block + 8, bytes);
  throw std::runtime_error("unknown type " + type);
}

const std::vector<Vec3> kCorners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0.1}};

TEST(WriteVtk, ASurfaceComesBackWithUnitsInTheNamesOfItsArrays) {
  const std::vector<std::array<std::uint32_t, 3>> triangles = {{0, 1, 2}, {2, 1, 3}};
  const std::vector<double> velocity = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0.1};
  const Drawable drawable{.name = "cloth",
                          .shape = TriangleSurface{kCorners, triangles, {{"velocity", "m/s", 3, velocity}}}};
  const std::string file = text_of(vtk_bytes(drawable, {.double_values = true, .time = 0.25}));
  const std::string piece = find_tag(file, "Piece");
  EXPECT_EQ(attribute(piece, "NumberOfPoints"), "4");
  EXPECT_EQ(attribute(piece, "NumberOfPolys"), "2");
  EXPECT_EQ(array(file, "velocity [m/s]"), velocity);
  EXPECT_EQ(attribute(find_tag(file, "DataArray", "velocity"), "NumberOfComponents"), "3");
  EXPECT_EQ(array(file, "Points")[11], 0.1);
  EXPECT_EQ(array(file, "connectivity"), (std::vector<double>{0, 1, 2, 2, 1, 3}));
  EXPECT_EQ(array(file, "offsets"), (std::vector<double>{3, 6}));
  EXPECT_EQ(array(file, "TimeValue"), std::vector<double>{0.25});
  EXPECT_TRUE(file.ends_with("\n</AppendedData>\n</VTKFile>\n"));
}

TEST(WriteVtk, SinglePrecisionIsTheDefault) {
  const std::string file = text_of(vtk_bytes({.name = "p", .shape = Points{kCorners, 0, {}}}));
  EXPECT_EQ(array(file, "Points")[11], 0.1f);
}

TEST(WriteVtk, EveryPointIsACellOfItsOwn) {
  const std::string file = text_of(vtk_bytes({.name = "p", .shape = Points{kCorners, 0, {}}}));
  EXPECT_EQ(attribute(find_tag(file, "Piece"), "NumberOfVerts"), "4");
  EXPECT_EQ(array(file, "connectivity"), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(array(file, "offsets"), (std::vector<double>{1, 2, 3, 4}));
}

TEST(WriteVtk, CurvesBecomeLines) {
  const std::vector<std::array<std::uint32_t, 2>> lines = {{0, 1}, {1, 3}};
  const std::string file = text_of(vtk_bytes({.name = "hair", .shape = Curves{kCorners, lines, 0, {}}}));
  EXPECT_EQ(attribute(find_tag(file, "Piece"), "NumberOfLines"), "2");
  EXPECT_EQ(array(file, "connectivity"), (std::vector<double>{0, 1, 1, 3}));
}

TEST(WriteVtk, AVolumeBecomesCellDataOfAnImage) {
  const std::vector<float> density = {0, 1, 2, 3, 4, 5};
  const Drawable drawable{.name = "smoke",
                          .shape = Volume{Vec3(1, 2, 3), 0.1, {3, 2, 1}, {{"density", "kg/m3", 1, density}}}};
  EXPECT_EQ(vtk_extension(drawable), ".vti");
  const std::string file = text_of(vtk_bytes(drawable));
  const std::string image = find_tag(file, "ImageData");
  EXPECT_EQ(attribute(image, "WholeExtent"), "0 3 0 2 0 1");
  EXPECT_EQ(attribute(image, "Origin"), "1 2 3");
  EXPECT_EQ(attribute(image, "Spacing"), "0.1 0.1 0.1");
  EXPECT_EQ(array(file, "density [kg/m3]"), (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(WriteVtk, TetrahedraCarryPointAndCellArrays) {
  const std::vector<std::array<std::uint32_t, 4>> tets = {{0, 1, 2, 3}};
  const std::vector<double> mass = {1, 2, 3, 4}, stress = {5};
  const std::string file = text_of(vtk_bytes(TetArrays{.positions = kCorners,
                                                       .tets = tets,
                                                       .point_attributes = {{"mass", "kg", 1, mass}},
                                                       .cell_attributes = {{"stress", "Pa", 1, stress}}}));
  EXPECT_EQ(array(file, "types"), std::vector<double>{10});
  EXPECT_EQ(array(file, "offsets"), std::vector<double>{4});
  EXPECT_EQ(array(file, "mass [kg]"), mass);
  EXPECT_EQ(array(file, "stress [Pa]"), stress);
  EXPECT_THROW(vtk_bytes(TetArrays{.positions = std::span(kCorners).first(3), .tets = tets}), InputError);
}

TEST(WriteVtk, ReservedCharactersInNamesAreEscaped) {
  const std::vector<double> values = {1, 2, 3, 4};
  const std::string file =
      text_of(vtk_bytes({.name = "p", .shape = Points{kCorners, 0, {{"a<\"b\"&", "", 1, values}}}}));
  EXPECT_EQ(array(file, "a&lt;&quot;b&quot;&amp;"), values);
}

TEST(WriteVtk, WrongLengthsAreRefused) {
  const std::vector<float> five(5);
  EXPECT_THROW(vtk_bytes({.name = "v", .shape = Volume{Vec3::Zero(), 1, {3, 2, 1}, {{"d", "", 1, five}}}}),
               InputError);
}

TEST(VtkSeries, AResumedSeriesEqualsAnUninterruptedOne) {
  const TemporaryFolder folder;
  const auto add_frame = [](VtkSeries& series, int frame) {
    for (const std::string part : {"cloth", "smoke & \"fire\""})
      series.add(frame / 24.0, part, part + "." + std::to_string(frame) + ".vtp");
    series.save();
  };
  VtkSeries whole(folder / "whole.pvd");
  for (int frame = 0; frame < 6; ++frame) add_frame(whole, frame);

  VtkSeries interrupted(folder / "series.pvd");
  for (int frame = 0; frame < 5; ++frame) add_frame(interrupted, frame);
  VtkSeries resumed = VtkSeries::resume(folder / "series.pvd", 2 / 24.0);
  EXPECT_EQ(resumed.entries().size(), 6u);
  for (int frame = 2; frame < 6; ++frame) add_frame(resumed, frame);  // frame 2 is written again
  EXPECT_EQ(test::file_text(folder / "series.pvd"), test::file_text(folder / "whole.pvd"));
}

TEST(VtkSeries, AMissingFileIsAnEmptySeriesAndAForeignFileIsRefused) {
  const TemporaryFolder folder;
  EXPECT_TRUE(VtkSeries::resume(folder / "none.pvd", 1).entries().empty());
  std::ofstream(folder / "foreign.pvd") << "hello";
  EXPECT_THROW(VtkSeries::resume(folder / "foreign.pvd", 1), InputError);
  std::filesystem::create_directory(folder / "folder.pvd");
  EXPECT_THROW(VtkSeries::resume(folder / "folder.pvd", 1), InputError);
}

}  // namespace
}  // namespace selkie::io
