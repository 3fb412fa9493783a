// PLY files re-read by a small parser of the format's own rules.
#include "selkie/io/write_ply.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <sstream>
#include <string>

#include "selkie/core/error.h"
#include "support/temporary_folder.h"

namespace selkie::io {
namespace {

using namespace ports;
using Columns = std::map<std::string, std::vector<double>>;

// element name -> property name -> values; the list property's entries follow each other.
struct ParsedPly {
  std::map<std::string, Columns> elements;
  std::vector<std::string> comments;
  bool ends_exactly = false;
};

double take(const std::string& type, const char*& at) {
  const auto read = [&](auto value) {
    std::memcpy(&value, at, sizeof(value));
    at += sizeof(value);
    return static_cast<double>(value);
  };
  if (type == "uchar") return read(std::uint8_t{});
  if (type == "int") return read(std::int32_t{});
  if (type == "float") return read(float{});
  if (type == "double") return read(double{});
  throw std::runtime_error("unknown type " + type);
}

struct PlyProperty {
  std::string type, count_type, name;
};
struct PlyElement {
  std::string name;
  std::size_t count;
  std::vector<PlyProperty> properties;
};

std::vector<PlyElement> parse_header(std::istringstream& stream, ParsedPly& ply) {
  std::vector<PlyElement> elements;
  std::string line;
  std::getline(stream, line);
  EXPECT_EQ(line, "ply");
  std::getline(stream, line);
  EXPECT_EQ(line, "format binary_little_endian 1.0");
  while (std::getline(stream, line) && line != "end_header") {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "comment") ply.comments.push_back(line.substr(8));
    if (word == "element") {
      elements.emplace_back();
      words >> elements.back().name >> elements.back().count;
    }
    if (word == "property") {
      PlyProperty p;
      words >> p.type;
      if (p.type == "list") words >> p.count_type >> p.type;
      words >> p.name;
      elements.back().properties.push_back(p);
    }
  }
  return elements;
}

ParsedPly parse(const std::vector<std::byte>& bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  ParsedPly ply;
  std::istringstream stream(text);
  const std::vector<PlyElement> elements = parse_header(stream, ply);
  const char* at = text.data() + stream.tellg();
  for (const PlyElement& element : elements)
    for (std::size_t row = 0; row < element.count; ++row)
      for (const PlyProperty& p : element.properties) {
        const int entries = p.count_type.empty() ? 1 : static_cast<int>(take(p.count_type, at));
        for (int k = 0; k < entries; ++k) ply.elements[element.name][p.name].push_back(take(p.type, at));
      }
  ply.ends_exactly = at == text.data() + text.size();
  return ply;
}

const std::vector<Vec3> kCorners = {{0, 0, 0}, {1, 0, 0.1}, {0, 1, 0.2}, {1, 1, 0.3}};
const std::vector<std::array<std::uint32_t, 3>> kTriangles = {{0, 1, 2}, {2, 1, 3}};

TEST(WritePly, TrianglesComeBackWithVelocityAndNamedAttributes) {
  const std::vector<double> velocity = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, heat = {0.5, 1.5, 2.5, 3.5};
  const Drawable drawable{
      .name = "cloth",
      .shape = TriangleSurface{
          kCorners,
          kTriangles,
          {{"velocity", "m/s", 3, velocity}, {"heat flow", "W/m2", 1, heat}, {"force", "N", 3, velocity}}}};
  ParsedPly ply = parse(ply_bytes(drawable));
  EXPECT_TRUE(ply.ends_exactly);
  Columns& vertex = ply.elements["vertex"];
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(vertex["x"][i], static_cast<float>(kCorners[i].x()));
    EXPECT_EQ(vertex["z"][i], static_cast<float>(kCorners[i].z()));
    EXPECT_EQ(vertex["vy"][i], velocity[3 * i + 1]);
    EXPECT_EQ(vertex["heat_flow"][i], heat[i]);
    EXPECT_EQ(vertex["force_z"][i], velocity[3 * i + 2]);
  }
  EXPECT_EQ(ply.elements["face"]["vertex_indices"], (std::vector<double>{0, 1, 2, 2, 1, 3}));
  const auto named = std::find(ply.comments.begin(), ply.comments.end(), "selkie attribute 3 velocity");
  ASSERT_NE(named, ply.comments.end());
  EXPECT_EQ(*(named + 1), "selkie unit m/s");
}

TEST(WritePly, DoublePositionsAreExact) {
  const std::vector<Vec3> positions = {{1.0 / 3, 1e-300, -0.0}};
  ParsedPly ply =
      parse(ply_bytes({.name = "p", .shape = Points{positions, 0, {}}}, {.double_positions = true}));
  EXPECT_EQ(ply.elements["vertex"]["x"][0], 1.0 / 3);
  EXPECT_EQ(ply.elements["vertex"]["y"][0], 1e-300);
  EXPECT_TRUE(std::signbit(ply.elements["vertex"]["z"][0]));
}

TEST(WritePly, ManyVerticesKeepTheirOrderAcrossBlocks) {
  std::vector<Vec3> positions(5000);
  std::vector<double> number(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    number[i] = static_cast<double>(i);
    positions[i] = Vec3(number[i], -number[i], 2 * number[i]);
  }
  ParsedPly ply = parse(ply_bytes({.name = "p", .shape = Points{positions, 0, {{"id", "", 1, number}}}}));
  EXPECT_EQ(ply.elements["vertex"]["x"], number);
  EXPECT_EQ(ply.elements["vertex"]["id"], number);
  EXPECT_EQ(ply.elements["vertex"]["z"][4999], 2 * 4999.0);
}

TEST(WritePly, CurvesBecomeEdgesAndTheRadiusAComment) {
  const std::vector<std::array<std::uint32_t, 2>> lines = {{0, 1}, {1, 3}};
  ParsedPly ply = parse(ply_bytes({.name = "hair", .shape = Curves{kCorners, lines, 0.25, {}}}));
  EXPECT_EQ(ply.elements["edge"]["vertex1"], (std::vector<double>{0, 1}));
  EXPECT_EQ(ply.elements["edge"]["vertex2"], (std::vector<double>{1, 3}));
  EXPECT_NE(std::find(ply.comments.begin(), ply.comments.end(), "selkie radius 0.25"), ply.comments.end());
  EXPECT_TRUE(ply.ends_exactly);
}

TEST(WritePly, ArrowsBecomePointsThatCarryTheArrow) {
  ParsedPly ply = parse(ply_bytes({.name = "f", .shape = Vectors{"force", "N", kCorners, kCorners}}));
  EXPECT_EQ(ply.elements["vertex"]["force_x"], (std::vector<double>{0, 1, 0, 1}));
}

TEST(WritePly, AHeightSurfaceBecomesAGridWhoseTrianglesFaceUp) {
  const std::vector<double> heights = {0, 1, 2, 3, 4, 5};
  ParsedPly ply =
      parse(ply_bytes({.name = "pond", .shape = HeightSurface{Vec3(10, 20, 30), 0.5, {3, 2}, heights, {}}}));
  Columns& v = ply.elements["vertex"];
  EXPECT_EQ(v["x"], (std::vector<double>{10, 10.5, 11, 10, 10.5, 11}));
  EXPECT_EQ(v["y"], (std::vector<double>{20, 21, 22, 23, 24, 25}));
  EXPECT_EQ(v["z"], (std::vector<double>{30, 30, 30, 30.5, 30.5, 30.5}));
  const std::vector<double>& corners = ply.elements["face"]["vertex_indices"];
  ASSERT_EQ(corners.size(), 12u);
  for (std::size_t f = 0; f < 4; ++f) {
    const auto at = [&](std::size_t c) {
      const auto i = static_cast<std::size_t>(corners[3 * f + c]);
      return Vec3(v["x"][i], v["y"][i], v["z"][i]);
    };
    EXPECT_GT((at(1) - at(0)).cross(at(2) - at(0)).y(), 0);
  }
}

TEST(WritePly, NamesThatClashOrBreakTheHeaderAreMadeSafe) {
  const std::vector<double> one = {1, 1, 1, 1}, two = {2, 2, 2, 2};
  ParsedPly ply = parse(ply_bytes(
      {.name = "p", .shape = Points{kCorners, 0, {{"x", "m", 1, one}, {"a b\nend_header", "m\n", 1, two}}}}));
  EXPECT_TRUE(ply.ends_exactly);
  EXPECT_EQ(ply.elements["vertex"]["x_"], one);
  EXPECT_EQ(ply.elements["vertex"]["a_b_end_header"], two);
}

TEST(WritePly, AnEmptyDrawableIsAValidFile) {
  ParsedPly ply = parse(ply_bytes({.name = "none", .shape = Points{}}));
  EXPECT_TRUE(ply.ends_exactly);
}

TEST(WritePly, WrongLengthsIndicesAndVolumesAreRefused) {
  const std::vector<double> three = {1, 2, 3};
  const std::vector<std::array<std::uint32_t, 3>> beyond = {{0, 1, 4}};
  EXPECT_THROW(ply_bytes({.name = "p", .shape = Points{kCorners, 0, {{"a", "", 1, three}}}}), InputError);
  EXPECT_THROW(ply_bytes({.name = "p", .shape = TriangleSurface{kCorners, beyond, {}}}), InputError);
  EXPECT_THROW(ply_bytes({.name = "p", .shape = HeightSurface{Vec3::Zero(), 1, {2, 2}, three, {}}}),
               InputError);
  EXPECT_THROW(ply_bytes({.name = "p", .shape = Volume{}}), InputError);
}

TEST(WritePly, TheFileHoldsTheBytes) {
  const test::TemporaryFolder folder;
  const Drawable drawable{.name = "cloth", .shape = TriangleSurface{kCorners, kTriangles, {}}};
  write_ply(folder / "cloth.ply", drawable);
  const std::vector<std::byte> bytes = ply_bytes(drawable);
  EXPECT_EQ(test::file_text(folder / "cloth.ply"),
            std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace
}  // namespace selkie::io
