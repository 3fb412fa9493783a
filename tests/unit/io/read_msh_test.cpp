// Gmsh files of versions 2.2 and 4.1, text and binary, and what damage to them earns.
#include <gtest/gtest.h>

#include <chrono>

#include "selkie/io/read_mesh.h"
#include "support/mesh_files.h"
#include "support/temporary_folder.h"

namespace selkie::io {
namespace {

using test::error_of;
using test::replaced;
using test::seed;

TEST(ReadMsh, ReadsVersions2And4InTextAndBinary) {
  for (const char* name : {"msh/ascii_2.msh", "msh/binary_2_little.msh", "msh/binary_2_big.msh",
                           "msh/ascii_4.msh", "msh/binary_4.msh"}) {
    SCOPED_TRACE(name);
    const MshContent content = parse_msh(seed(name), "mesh");
    ASSERT_EQ(content.positions.size(), 4u);
    EXPECT_EQ(content.positions[1], Vec3::UnitX());
    EXPECT_EQ(content.positions[3], Vec3::UnitZ());
    EXPECT_EQ(content.tets, (std::vector<geometry::Tet>{{0, 1, 2, 3}}));
    EXPECT_GE(content.triangles.size(), 1u);
  }
}

TEST(ReadMsh, KeepsLinesAndCutsQuads) {
  const MshContent content = parse_msh(seed("msh/ascii_4.msh"), "mesh");
  EXPECT_EQ(content.segments, (std::vector<geometry::Segment>{{0, 1}}));
  EXPECT_EQ(content.triangles, (std::vector<geometry::Triangle>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(ReadMsh, GivesEachKindOfMeshOnlyItsOwnVertices) {
  const std::filesystem::path path = test::seed_path("msh/ascii_2.msh");
  EXPECT_EQ(read_tet_mesh(path).positions.size(), 4u);
  EXPECT_EQ(read_triangle_mesh(path).positions.size(), 3u);
  EXPECT_EQ(read_segment_mesh(path).positions.size(), 2u);
}

TEST(ReadMsh, AnyMeshIsThatOfTheHighestDimensionWithoutStrayVertices) {
  const test::TemporaryFolder folder;
  const auto read = [&](const std::string& bytes) {
    std::ofstream(folder / "SHELL.MSH") << bytes;  // extensions count in any case
    return read_any_mesh(folder / "SHELL.MSH");
  };
  // Node 99 belongs to a point alone, as the centre of an arc does in Gmsh.
  const std::string solid =
      replaced(replaced(seed("msh/ascii_2.msh"), "$Nodes\n4\n", "$Nodes\n5\n99 7 7 7\n"), "1 15 2 0 1 10",
               "1 15 2 0 1 99");
  EXPECT_EQ(std::get<geometry::TetMesh>(read(solid)).positions.size(), 4u);
  const std::string sheet = replaced(solid, "4 4 2 1 1 10 11 12 13", "4 15 2 1 1 13");
  EXPECT_EQ(std::get<geometry::TriangleMesh>(read(sheet)).positions.size(), 3u);
  const std::string line = replaced(sheet, "3 2 2 0 1 10 12 11", "3 15 2 0 1 12");
  EXPECT_EQ(std::get<geometry::SegmentMesh>(read(line)).positions.size(), 2u);
  EXPECT_THROW(read(replaced(line, "2 1 2 0 1 10 11", "2 15 2 0 1 10")), InputError);
}

TEST(ReadMsh, ReadsPastAByteOrderMark) {
  EXPECT_EQ(parse_msh("\xEF\xBB\xBF" + seed("msh/ascii_4.msh"), "mesh").positions.size(), 4u);
}

TEST(ReadMsh, GathersNodesOfSeveralSections) {
  const MshContent content = parse_msh(replaced(seed("msh/ascii_2.msh"), "$Nodes\n4\n10 0 0 0\n11 1 0 0\n",
                                                "$Nodes\n2\n11 1 0 0\n10 0 0 0\n$EndNodes\n$Nodes\n2\n"),
                                       "mesh");
  EXPECT_EQ(content.positions.size(), 4u);
  EXPECT_EQ(content.tets, (std::vector<geometry::Tet>{{1, 0, 2, 3}}));
}

TEST(ReadMsh, TakesNoLongerForNodesInManySections) {
  constexpr int kCount = 60'000;
  std::string bytes = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(kCount) + "\n";
  for (int tag = 1; tag <= kCount; ++tag) bytes += std::to_string(tag) + " 0 0 0\n";
  bytes += "$EndNodes\n";
  for (int section = 0; section < kCount; ++section) bytes += "$Nodes\n0\n$EndNodes\n";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_msh(bytes, "mesh").positions.size(), std::size_t{kCount});
  // Hundredths of a second, a few tenths under a sanitizer; half a minute when every section sorts all nodes.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(ReadMsh, RefusesDamagedTextWithItsLine) {
  const std::string two = seed("msh/ascii_2.msh"), four = seed("msh/ascii_4.msh");
  struct Case {
    std::string bytes;
    int line;
    const char* part;
  };
  const Case cases[] = {
      {"", 1, "not a Gmsh file"},
      {replaced(two, "2.2 0 8", "4.0 0 8"), 2, "version"},
      {replaced(two, "2.2 0 8", "2.2 0 4"), 2, "8-byte"},
      {replaced(two, "$Nodes\n4", "$Nodes\n-4"), 9, "out of range"},
      {replaced(two, "$Nodes\n4", "$Nodes\n4000000000"), 9, "announces"},
      {replaced(two, "$Nodes\n4", "$Nodes\n3"), 13, "$EndNodes"},
      {replaced(two, "11 1 0 0", "11 nan 0 0"), 11, "vertex 1 is not finite"},
      {replaced(two, "11 1 0 0", "10 1 0 0"), 13, "occurs twice"},
      {replaced(two, "4 4 2 1 1 10 11 12 13", "4 4 2 1 1 10 11 12 99"), 20, "node 99"},
      {replaced(two, "4 4 2 1 1 10 11 12 13", "4 5 2 1 1 10 11 12 13"), 20, "element type 5"},
      {replaced(two, "4 4 2 1 1 10 11 12 13", "4 4 -2 1 1 10 11 12 13"), 20, "negative number of tags"},
      {replaced(two, "$EndPhysicalNames", ""), 4, "has no end"},
      {replaced(two, "$PhysicalNames", "$" + std::string(127, 'a')), 4, "more than 127"},
      {replaced(two, "$Nodes\n4\n10 0 0 0\n", "$Nodes\n1\n11 0 0 0\n$EndNodes\n$Nodes\n3\n"), 16,
       "occurs twice"},
      {two + "$Nodes\n1\n14 0 0 0\n$EndNodes\n", 22, "nodes stand after elements"},
      {two.substr(0, two.find("4 4 2 1 1") + 8), 20, "ends too early"},
      {replaced(four, "2 1 1 2\n10", "7 1 1 2\n10"), 10, "dimension"},
      {replaced(four, "3 3 1 3", "3000000000 3 1 3"), 22, "announces"},
      {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", 4, "no nodes"},
      {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n0\n$EndElements\n", 4, "before the nodes"},
  };
  for (const Case& c : cases) {
    const InputError error = error_of(parse_msh, c.bytes);
    EXPECT_EQ(error.where().line, c.line) << error.what();
    EXPECT_NE(error.problem().find(c.part), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(ReadMsh, RefusesEveryTruncationOfABinaryFile) {
  for (const char* name : {"msh/binary_2_little.msh", "msh/binary_2_big.msh", "msh/binary_4.msh"}) {
    const std::string good = seed(name);
    // Without the last line the file still misses the end of a section.
    const std::size_t last_line = good.find("$EndElements");
    for (std::size_t size = 0; size < last_line; ++size) {
      const bool between_sections = good.find("$Elements") - 1 <= size && size <= good.find("$Elements");
      if (between_sections) continue;  // a valid file with nodes alone
      const bool after_nodes = size >= good.find("$EndNodes") + 9 && size < good.find("$Elements");
      if (after_nodes) continue;
      EXPECT_FALSE(error_of(parse_msh, good.substr(0, size)).problem().empty()) << name << " cut at " << size;
    }
  }
}

}  // namespace
}  // namespace selkie::io
