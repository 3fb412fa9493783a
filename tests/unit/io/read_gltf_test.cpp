// glTF behind its fence, and the choice of a reader by extension.
#include <gtest/gtest.h>

#include <fstream>

#include "selkie/geometry/mesh_check.h"
#include "selkie/io/read_mesh.h"
#include "support/mesh_files.h"

namespace selkie::io {
namespace {

using test::error_of;
using test::replaced;
using test::seed;

// One per test, since tests may run at the same time.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(testing::TempDir() + "selkie_" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

// The seeds hold the unit tetrahedron doubled and moved up by 2.
void expect_placed_tetrahedron(const geometry::TriangleMesh& mesh) {
  ASSERT_EQ(mesh.positions.size(), 4u);
  EXPECT_EQ(geometry::check_mesh(mesh, {.closed = true}).text(), "no trouble found");
  EXPECT_NEAR(geometry::volume(mesh), 8.0 / 6, 1e-15);
  EXPECT_EQ(geometry::bounding_box(mesh.positions).min(), Vec3(0, 2, 0));
}

TEST(ReadGltf, ReadsEmbeddedAndBinaryFilesAndAppliesNodeTransforms) {
  expect_placed_tetrahedron(parse_gltf(seed("gltf/embedded.gltf"), "mesh"));
  expect_placed_tetrahedron(parse_gltf(seed("gltf/binary.glb"), "mesh"));
}

TEST(ReadGltf, TurnsStripsIntoTrianglesAndKeepsTheSideOfMirroredNodes) {
  // Strip 0-1-2-3 on (0,0,0), x, y, z, mirrored in z: triangles (0, 1, 2) and (2, 1, 3) with corners swapped.
  const geometry::TriangleMesh mesh = parse_gltf(seed("gltf/strip.gltf"), "mesh");
  ASSERT_EQ(mesh.triangles.size(), 2u);
  EXPECT_EQ(geometry::check_mesh(mesh).text(), "no trouble found");
  EXPECT_EQ(mesh.positions[3], Vec3(0, 0, -1));
  EXPECT_EQ(mesh.triangles[0], (geometry::Triangle{0, 2, 1}));
}

TEST(ReadGltf, FindsBuffersBesideTheFileButNotElsewhere) {
  const std::string embedded = seed("gltf/embedded.gltf"), glb = seed("gltf/binary.glb");
  const std::size_t uri = embedded.find("data:");
  const std::string data_uri = embedded.substr(uri, embedded.find('"', uri) - uri);
  const TemporaryFolder folder;
  folder.write("shape.bin", glb.substr(glb.size() - 72));
  expect_placed_tetrahedron(
      read_triangle_mesh(folder.write("shape.gltf", replaced(embedded, data_uri, "shape.bin"))));
  folder.write("my shape%.bin", glb.substr(glb.size() - 72));  // exporters escape such names
  const auto escaped = folder.write("escaped.gltf", replaced(embedded, data_uri, "my%20shape%25.bin"));
  expect_placed_tetrahedron(read_triangle_mesh(escaped));
  EXPECT_EQ(files_read_with(escaped), std::vector{escaped.parent_path() / "my shape%.bin"});
  EXPECT_TRUE(files_read_with(folder.write("whole.gltf", embedded)).empty());
  for (const char* broken : {"a%2", "a%zz.bin", "a%00.bin"}) {
    const InputError error = error_of(parse_gltf, replaced(embedded, data_uri, broken));
    EXPECT_NE(error.problem().find("escape"), std::string::npos) << error.what();
  }
  EXPECT_THROW(read_triangle_mesh(folder.write("sly.gltf", replaced(embedded, data_uri, "%2e%2e/shape.bin"))),
               InputError);
  const auto outside = folder.write("outside.gltf", replaced(embedded, data_uri, "../shape.bin"));
  EXPECT_THROW(read_triangle_mesh(outside), InputError);
  EXPECT_NE(error_of(parse_gltf, replaced(embedded, data_uri, "shape.bin")).problem().find("outside"),
            std::string::npos);
}

TEST(ReadGltf, FindsBuffersWhoseNamesAreEscapedAsJsonWritersDo) {
  const std::string embedded = seed("gltf/embedded.gltf"), glb = seed("gltf/binary.glb");
  const std::size_t uri = embedded.find("data:");
  const std::string data_uri = embedded.substr(uri, embedded.find('"', uri) - uri);
  const TemporaryFolder folder;
  struct Case {
    const char *escaped, *name;
  };
  // One of each length in UTF-8, and a letter in both cases of its digits.
  const Case cases[] = {{R"(caf\u00e9.bin)", "caf\u00e9.bin"},
                        {R"(\u65e5\u672C.bin)", "\u65e5\u672c.bin"},
                        {R"(\uD83E\uddad.bin)", "\U0001f9ad.bin"},
                        {R"(\u0073eal.bin)", "seal.bin"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.escaped);
    folder.write(c.name, glb.substr(glb.size() - 72));
    const auto path = folder.write("shape.gltf", replaced(embedded, data_uri, c.escaped));
    expect_placed_tetrahedron(read_triangle_mesh(path));
    EXPECT_EQ(files_read_with(path), std::vector{path.parent_path() / c.name});
  }
  EXPECT_THROW(
      read_triangle_mesh(folder.write("sly.gltf", replaced(embedded, data_uri, R"(\u002e\u002e/seal.bin)"))),
      InputError);
}

TEST(ReadGltf, RefusesEscapesThatAreNoCharacter) {
  const std::string good = seed("gltf/embedded.gltf");
  struct Case {
    const char *escape, *part;
  };
  const Case cases[] = {{R"(\ud83e)", "half a character"},       {R"(\ud83e.bin)", "half a character"},
                        {R"(\ud83e\ud83e)", "half a character"}, {R"(\uddad\ud83e)", "half a character"},
                        {R"(\ud83e\n)", "half a character"},     {R"(\u0000.bin)", "\\u0000"},
                        {R"(\u00g9.bin)", "bad \\u escape"},     {R"(\u-0e9.bin)", "bad \\u escape"},
                        {R"(\u12)", "bad \\u escape"},           {R"(\ud83e\udd)", "bad \\u escape"}};
  for (const Case& c : cases) {
    const InputError error =
        error_of(parse_gltf, replaced(good, "\"scene\"", std::string("\"") + c.escape + "\": 0, \"scene\""));
    EXPECT_NE(error.problem().find(c.part), std::string::npos) << c.escape << ": " << error.what();
    EXPECT_FALSE(error.remedy().empty()) << error.what();
  }
  EXPECT_NE(error_of(parse_gltf, "{\"\\u12").problem().find("bad \\u escape"), std::string::npos);
}

TEST(ReadGltf, ReadsPastAByteOrderMark) {
  expect_placed_tetrahedron(parse_gltf("\xEF\xBB\xBF" + seed("gltf/embedded.gltf"), "mesh"));
}

TEST(ReadMesh, CountsTheBuffersOutsideAGlbAsReadWithIt) {
  const std::string glb = seed("gltf/binary.glb");
  const TemporaryFolder folder;
  EXPECT_TRUE(files_read_with(folder.write("whole.glb", glb)).empty());
  // The seed's binary chunk moved into a file of its own.
  constexpr std::size_t kHeader = 12, kChunkHeader = 8, kBuffer = 72;
  std::string json = glb.substr(kHeader + kChunkHeader, glb.size() - kHeader - 2 * kChunkHeader - kBuffer);
  json = replaced(json, "\"buffers\": [{", "\"buffers\": [{\"uri\": \"shape.bin\", ");
  while (json.size() % 4 != 0) json += ' ';
  std::string outside = "glTF";
  for (const std::size_t word : {std::size_t{2}, kHeader + kChunkHeader + json.size(), json.size()})
    for (int shift = 0; shift < 32; shift += 8) outside += static_cast<char>(word >> shift & 0xff);
  outside += "JSON" + json;
  folder.write("shape.bin", glb.substr(glb.size() - kBuffer));
  for (const char* name : {"outside.glb", "outside.GLB"}) {
    const auto path = folder.write(name, outside);
    expect_placed_tetrahedron(read_triangle_mesh(path));
    EXPECT_EQ(files_read_with(path), std::vector{path.parent_path() / "shape.bin"});
  }
}

TEST(ReadGltf, RefusesDamageBeforeAssimpSeesIt) {
  const std::string good = seed("gltf/embedded.gltf"), glb = seed("gltf/binary.glb");
  struct Case {
    std::string bytes;
    const char* part;
  };
  const Case cases[] = {
      {"", "ends too early"},
      {good.substr(0, good.size() / 2), "JSON"},
      {std::string(100000, '['), "nesting"},
      {replaced(good, "\"2.0\"", "\"1.0\""), "not a glTF 2.x"},
      {replaced(good, "\"children\": [1]", "\"children\": [0]"), "own ancestor"},
      {replaced(good, "\"children\": [1]", "\"children\": [7]"), "does not exist"},
      {replaced(good, "\"children\": [1]", "\"children\": [1, 1]"), "two parents"},
      {replaced(good, "\"mesh\": 0", "\"mesh\": -1"), "'mesh'"},
      {replaced(good, "\"POSITION\": 0", "\"POSITION\": 9"), "'POSITION'"},
      {replaced(good, "\"POSITION\": 0", "\"POSITION\": 1"), "type VEC3"},
      {replaced(good, "\"count\": 4", "\"count\": 400000000"), "does not fit"},
      {replaced(good, "\"count\": 4", "\"count\": 3"), "uses vertex 3"},
      {replaced(good, "\"count\": 12", "\"count\": 11"), "whole triangles"},
      {replaced(good, "\"byteLength\": 72", "\"byteLength\": 7200"), "announces 7200 bytes"},
      {replaced(good, "\"byteOffset\": 48", "\"byteOffset\": 49"), "does not fit"},
      {replaced(good, "\"mode\": 4", "\"mode\": 0"), "shows no triangles"},
      {replaced(good, "\"scale\": [2, 2, 2]", "\"scale\": [2, 2]"), "'scale'"},
      {replaced(good, "\"scale\": [2, 2, 2]", "\"scale\": [2, 2, 1e99]"), "'scale'"},
      {replaced(good, "base64,", "base64,!"), "base64"},
      {replaced(good, "\"scene\": 0", "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"]"), "draco"},
      {glb.substr(0, glb.size() - 4), "shorter than its header"},
      {glb.substr(0, 10), "ends too early"},
  };
  for (const Case& c : cases) {
    const InputError error = error_of(parse_gltf, c.bytes);
    EXPECT_NE(error.problem().find(c.part), std::string::npos) << c.part << ": " << error.what();
    EXPECT_FALSE(error.remedy().empty()) << error.what();
  }
}

TEST(ReadMesh, ChoosesTheReaderByExtensionInAnyCase) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_triangle_mesh(folder.write("a.OBJ", seed("obj/tetrahedron.obj"))).triangles.size(), 4u);
  EXPECT_EQ(read_triangle_mesh(folder.write("a.ply", seed("ply/binary_big.ply"))).triangles.size(), 4u);
  EXPECT_EQ(read_triangle_mesh(folder.write("a.Stl", seed("stl/binary.stl"))).triangles.size(), 4u);
  EXPECT_EQ(read_triangle_mesh(folder.write("a.glb", seed("gltf/binary.glb"))).triangles.size(), 4u);
}

TEST(ReadMesh, SaysWhatIsWrongWithThePath) {
  auto message = [](const std::filesystem::path& path) {
    try {
      read_triangle_mesh(path);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const TemporaryFolder folder;
  EXPECT_NE(message("missing.obj").find("does not exist"), std::string::npos);
  EXPECT_NE(message(folder.write("empty.obj", "")).find("empty"), std::string::npos);
  EXPECT_NE(message("shape.fbx").find(".obj, .ply, .stl, .msh, .gltf or .glb"), std::string::npos);
  EXPECT_NE(message("shape").find("known extensions"), std::string::npos);
  std::filesystem::create_directories(folder.write("x", "").parent_path() / "folder.obj");
  EXPECT_NE(message(folder.write("x", "").parent_path() / "folder.obj").find("folder, not a file"),
            std::string::npos);
  EXPECT_THROW(read_tet_mesh("shape.obj"), InputError);
}

}  // namespace
}  // namespace selkie::io
