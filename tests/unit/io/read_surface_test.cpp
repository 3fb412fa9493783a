// OBJ, PLY and STL: every form of the same tetrahedron reads alike, and each kind of damage earns an
// InputError with its place.
#include <gtest/gtest.h>

#include <cstring>

#include "selkie/geometry/mesh_check.h"
#include "selkie/io/read_mesh.h"
#include "support/mesh_files.h"

namespace selkie::io {
namespace {

using test::error_of;
using test::replaced;
using test::seed;

void expect_unit_tetrahedron(const geometry::TriangleMesh& mesh) {
  EXPECT_EQ(mesh.positions.size(), 4u);
  EXPECT_EQ(mesh.triangles.size(), 4u);
  EXPECT_EQ(geometry::check_mesh(mesh, {.closed = true}).text(), "no trouble found");
  EXPECT_NEAR(geometry::volume(mesh), 1.0 / 6, 1e-16);
}

const std::string kByteOrderMark = "\xEF\xBB\xBF";

// The binary seed with another text in its first 80 bytes.
std::string with_header(std::string text) {
  text.resize(80, ' ');
  return text + seed("stl/binary.stl").substr(80);
}

void expect_error(const InputError& error, int line, const std::string& part) {
  EXPECT_EQ(error.where().file, "mesh") << error.what();
  EXPECT_EQ(error.where().line, line) << error.what();
  EXPECT_NE(error.problem().find(part), std::string::npos) << error.what();
  EXPECT_FALSE(error.remedy().empty()) << error.what();
}

TEST(ReadObj, ReadsSlashesNegativeIndicesContinuationsAndComments) {
  expect_unit_tetrahedron(parse_obj(seed("obj/tetrahedron.obj"), "mesh"));
}

TEST(ReadObj, CutsPolygonsIntoFans) {
  const geometry::TriangleMesh mesh = parse_obj(seed("obj/quad.obj"), "mesh");
  EXPECT_EQ(mesh.triangles, (std::vector<geometry::Triangle>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(ReadObj, LetsAFaceUseVerticesThatFollowIt) {
  EXPECT_EQ(parse_obj("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", "mesh").triangles.size(), 1u);
}

TEST(ReadObj, KeepsTheFirstVertexBehindAByteOrderMark) {
  const geometry::TriangleMesh mesh =
      parse_obj(kByteOrderMark + "v 5 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n", "mesh");
  ASSERT_EQ(mesh.positions.size(), 4u);
  EXPECT_EQ(mesh.positions[0], Vec3(5, 0, 0));
}

TEST(ReadObj, RefusesDamageWithItsLine) {
  const std::string vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  expect_error(error_of(parse_obj, vertices + "f 1 2 4\n"), 4, "vertex 4");
  expect_error(error_of(parse_obj, vertices + "f 1 2 0\n"), 4, "index 0");
  expect_error(error_of(parse_obj, vertices + "f 1 2 -4\n"), 4, "index -4");
  expect_error(error_of(parse_obj, vertices + "f 1 2 99999999999999999999\n"), 4, "vertex index");
  expect_error(error_of(parse_obj, vertices + "f 1 2\n"), 4, "2 corners");
  expect_error(error_of(parse_obj, vertices + "f 1 x 2\n"), 4, "\"x\"");
  expect_error(error_of(parse_obj, "v 0 0 0\nv 1 nan 0\n"), 2, "not finite");
  expect_error(error_of(parse_obj, "v 0 0 0\nv 1 1e999 0\n"), 2, "not finite");
  expect_error(error_of(parse_obj, "v 0 0 0\nv nan nan 0\nv 1 0 0\nv inf 0 0\n"), 2,
               "2 vertices are not finite, the first is vertex 1");
  expect_error(error_of(parse_obj, "v 0 0\n"), 1, "three coordinates");
  expect_error(error_of(parse_obj, "v 0 0 zero\n"), 1, "\"zero\"");
  expect_error(error_of(parse_obj, ""), 0, "no triangles");
  expect_error(error_of(parse_obj, vertices), 0, "no triangles");
}

TEST(ReadPly, ReadsAsciiAndBothBinaryFormsPastUnknownProperties) {
  for (const char* name : {"ply/ascii.ply", "ply/binary_little.ply", "ply/binary_big.ply"}) {
    SCOPED_TRACE(name);
    expect_unit_tetrahedron(parse_ply(seed(name), "mesh"));
  }
}

TEST(ReadPly, ReadsPastAByteOrderMark) {
  expect_unit_tetrahedron(parse_ply(kByteOrderMark + seed("ply/ascii.ply"), "mesh"));
}

TEST(ReadPly, RefusesDamagedHeadersWithTheirLine) {
  const std::string good = seed("ply/ascii.ply");
  expect_error(error_of(parse_ply, ""), 1, "not a PLY file");
  expect_error(error_of(parse_ply, "ply\nformat ascii 1.0\n"), 3, "end_header");
  expect_error(error_of(parse_ply, replaced(good, "ascii", "morse")), 2, "\"morse\"");
  expect_error(error_of(parse_ply, replaced(good, "vertex 4", "vertex -4")), 4, "\"-4\"");
  expect_error(error_of(parse_ply, replaced(good, "uchar red", "colour red")), 5, "\"colour\"");
  expect_error(error_of(parse_ply, replaced(good, "float x", "float w")), 15, "x, y, z");
  expect_error(error_of(parse_ply, replaced(good, "vertex_indices", "corners")), 18, "vertex_indices");
}

TEST(ReadPly, RefusesDamagedTextWithItsLine) {
  const std::string good = seed("ply/ascii.ply");
  expect_error(error_of(parse_ply, replaced(good, "vertex 4", "vertex 4000000000000")), 14, "announces");
  expect_error(error_of(parse_ply, replaced(good, "7 1 0 0", "7 nan 0 0")), 16, "vertex 1 is not finite");
  expect_error(error_of(parse_ply, replaced(good, "3 0 2 1", "2 0 2 1")), 19, "2 corners");
  expect_error(error_of(parse_ply, replaced(good, "3 0 2 1", "3 0 -2 1")), 19, "vertex index");
  expect_error(error_of(parse_ply, replaced(good, "3 0 2 1", "3000000000 0 2 1")), 19, "announces");
  expect_error(error_of(parse_ply, replaced(good, "3 0 2 1", "3 0 9 1")), 0, "index out of range");
  expect_error(error_of(parse_ply, good.substr(0, good.find("3 0 1 3") + 4)), 20, "ends too early");
}

TEST(ReadPly, RefusesDamagedBinaryWithItsByte) {
  const std::string good = seed("ply/binary_little.ply");
  const std::size_t data = good.find("end_header\n") + 11;
  // The last list holds two numbers of two bytes each.
  const std::string cut = good.substr(0, good.size() - 3);
  expect_error(error_of(parse_ply, cut), 0,
               "2 list entries, but only 1 bytes follow (at byte " + std::to_string(good.size() - 6) + ")");
  std::string nan = good;
  std::memset(nan.data() + data + 1, 0xff, 4);
  expect_error(error_of(parse_ply, nan), 0, "not finite (at byte " + std::to_string(data + 1) + ")");
  expect_error(error_of(parse_ply, replaced(good, "vertex 4", "vertex 999999999")), 0, "announces");
}

TEST(ReadPly, IsNotHeldUpByRowsWithoutProperties) {
  EXPECT_EQ(
      error_of(parse_ply, "ply\nformat ascii 1.0\nelement void 9000000000000000000\nend_header\n").problem(),
      "the file holds no triangles");
}

TEST(ReadStl, ReadsAsciiAndBinaryAndWeldsEqualVertices) {
  expect_unit_tetrahedron(parse_stl(seed("stl/ascii.stl"), "mesh"));
  expect_unit_tetrahedron(parse_stl(seed("stl/binary.stl"), "mesh"));
}

TEST(ReadStl, TakesABinaryFileThatBeginsWithSolidForWhatItIs) {
  expect_unit_tetrahedron(parse_stl(with_header("solid binary"), "mesh"));
  expect_unit_tetrahedron(parse_stl(with_header("solid binary") + "made 5 years ago\n", "mesh"));
  expect_unit_tetrahedron(parse_stl(with_header("solid facets\n") + std::string(5, '\0'), "mesh"));
  const std::string good = with_header("solid binary");
  expect_error(error_of(parse_stl, good.substr(0, good.size() - 1)), 0, "announces 4 facets");
}

TEST(ReadStl, TakesTextForWhatItIsWhateverItsNameOrDamage) {
  // 80 bytes of name, most of them zero, so that the bytes of a facet count are zero as well.
  std::string padded = "solid name";
  padded.resize(90, '\0');
  expect_unit_tetrahedron(parse_stl(replaced(seed("stl/ascii.stl"), "solid seed", padded), "mesh"));
  expect_unit_tetrahedron(parse_stl(seed("stl/ascii.stl") + "\n\n \n", "mesh"));
  // Damage to the first facet does not make a text binary.
  const std::string damaged = replaced(seed("stl/ascii.stl"), "facet normal", "faset normal");
  expect_error(error_of(parse_stl, damaged), 2, "\"faset\"");
}

TEST(ReadStl, ReadsTextBehindAByteOrderMark) {
  expect_unit_tetrahedron(parse_stl(kByteOrderMark + seed("stl/ascii.stl"), "mesh"));
}

TEST(ReadStl, WeldsZeroAndNegativeZero) {
  const std::string text = replaced(seed("stl/ascii.stl"), "vertex 0 0 0", "vertex -0 0 -0");
  EXPECT_EQ(parse_stl(text, "mesh").positions.size(), 4u);
}

TEST(ReadStl, RefusesDamage) {
  const std::string text = seed("stl/ascii.stl"), binary = seed("stl/binary.stl");
  expect_error(error_of(parse_stl, replaced(text, "vertex 1 0 0", "vertex 1 inf 0")), 6, "not finite");
  expect_error(error_of(parse_stl, replaced(text, "endloop", "vertex 0 0 0 endloop")), 7, "\"endloop\"");
  expect_error(error_of(parse_stl, text.substr(0, 60)), 5, "ends too early");
  expect_error(error_of(parse_stl, "solid nothing\nendsolid nothing\n"), 0, "no triangles");
  expect_error(error_of(parse_stl, ""), 0, "ends too early");
  expect_error(error_of(parse_stl, binary.substr(0, 200)), 0, "announces 4 facets");
  std::string nan = binary;
  std::memset(nan.data() + 84 + 12, 0xff, 4);
  expect_error(error_of(parse_stl, nan), 0, "facet 0 is not finite (at byte 96)");
  std::memset(nan.data() + 84 + 2 * 50 + 12 + 32, 0xff, 4);
  expect_error(error_of(parse_stl, nan), 0, "2 facets are not finite, the first is facet 0");
}

}  // namespace
}  // namespace selkie::io
