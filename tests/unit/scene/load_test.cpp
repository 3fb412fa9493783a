// Text to description: places, --set, scale, the resolved copy and the identity.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "selkie/scene/paths.h"
#include "small_scene.h"
#include "support/temporary_folder.h"

namespace selkie::scene {
namespace {

using test::kCloth;
using test::parsed;
using test::refusal;

TEST(SceneParse, FillsWhatIsWrittenAndKeepsDefaultsOfTheRest) {
  const Scene scene = parsed("[scene]\nframes = 7\n" + kCloth + "stiffness = 12\n");
  EXPECT_EQ(scene.description.scene.frames, 7);
  EXPECT_EQ(scene.description.scene.fps, 30);
  ASSERT_EQ(scene.description.mass_spring.size(), 1u);
  EXPECT_EQ(scene.description.mass_spring[0].params.stiffness, 12);
  EXPECT_EQ(scene.description.mass_spring[0].params.drag, 0);
  EXPECT_FALSE(scene.description.mass_spring[0].density.has_value());
}

TEST(SceneParse, PointsAtTheWrongToken) {
  EXPECT_EQ(refusal("[scene]\nfps = 0\n").find("s.toml:2:7: 'scene.fps' is 0"), 0u);
  EXPECT_EQ(refusal("[scene]\n  fpz = 1\n").find("s.toml:2:3: unknown key 'fpz' in 'scene'"), 0u);
  EXPECT_EQ(refusal(kCloth + "velocity = [0, true, 0]\n").find("s.toml:4:16: 'mass_spring[0].velocity[1]'"),
            0u);
}

TEST(SceneParse, RulesAcrossMembersPointAtTheMember) {
  EXPECT_EQ(refusal(kCloth + "\n" + kCloth),
            "s.toml:6:8: 'mass_spring[1].name' is \"cloth\", which another system already has\n"
            "  give each system its own name");
  EXPECT_EQ(refusal("[[collider]]\nname = \"cloth\"\nshape = { plane = {} }\n" + kCloth),
            "s.toml:2:8: 'collider[0].name' is \"cloth\", which another system or collider already has\n"
            "  give each its own name");
}

TEST(SceneParse, NamesThatCannotNameFoldersAreRefused) {
  for (const char* name : {"", ".", "..", "a/b", "/abs/x", "a\\nb"})
    EXPECT_NE(refusal("[scene]\nname = \"" + std::string(name) + "\"\n").find("cannot name a folder"),
              std::string::npos)
        << name;
  EXPECT_EQ(parsed("[scene]\nname = \"Tücher im Wind\"\n").description.scene.name, "Tücher im Wind");
}

TEST(SceneParse, KeysAndBracketsThatNestAbsurdlyDeepAreRefused) {
  std::string keys;
  for (int i = 0; i < 100000; ++i) keys += "a.";
  EXPECT_EQ(refusal(keys + "a = 1\n").find("s.toml:1:130: keys nest more than 64 deep"), 0u);
  EXPECT_EQ(refusal("x = " + std::string(100000, '[')).find("s.toml:1:69: brackets nest"), 0u);
  EXPECT_EQ(refusal("x = { b = \"\"\"a\"b\"\"\", " + keys + "a = 1 }\n").find("s.toml:1:"), 0u)
      << "a string of several lines must not hide what follows it";
  EXPECT_NO_THROW(parsed("[scene]\nabout = '''\n" + std::string(200, '[') + "'''\n"))
      << "text is not nesting";
}

// Found by fuzzing: the TOML parser's table of letters has no answer for U+02E2.
TEST(SceneParse, LettersBeyondAsciiOutsideQuotesAreRefused) {
  EXPECT_EQ(refusal("[scene]\nfps = [\u02E2]\n"),
            "s.toml:2:8: a character beyond ASCII stands outside quotes\n"
            "  put keys and text that hold it in quotes");
  EXPECT_NO_THROW(parsed("\uFEFF# \u02E2\n[scene]\nabout = \"\u02E2\"\n"))
      << "byte-order mark, comment, text";
}

// Found by fuzzing: after a bare value the TOML parser reads on through quotes, and meets U+FDFF.
TEST(SceneParse, AQuoteThatFollowsABareValueIsRefused) {
  for (const std::string& value :
       {std::string("2'''\uFDFF'''"), std::string("2.\"\uFDFF\""), std::string("2\0'\uFDFF'", 7)})
    EXPECT_NE(refusal("x = [ " + value + " ]\n").find("a quote stands inside a value or key"),
              std::string::npos)
        << value;
  EXPECT_NO_THROW(parsed("[scene]\nname=\"a\"\nabout='b'\n[output]\nformats=[\"ply\",'vdb']\n"));
}

TEST(SceneSettings, ReachSystemsCollidersAndTables) {
  const Scene scene =
      parsed("[[collider]]\nname = \"floor\"\nshape = { plane = {} }\n" + kCloth,
             {"cloth.stiffness=5", "scene.frames=3", "output.formats=[\"vtk\"]", "floor.friction=0.1",
              "cloth.integrator=rk4", "cloth.mesh.sheet.divisions=[2, 3]"});
  EXPECT_EQ(scene.description.mass_spring[0].params.stiffness, 5);
  EXPECT_EQ(scene.description.mass_spring[0].params.integrator, mass_spring::Integrator::rk4);
  EXPECT_EQ(scene.description.mass_spring[0].mesh.sheet->divisions, (std::array<int, 2>{2, 3}));
  EXPECT_EQ(scene.description.scene.frames, 3);
  EXPECT_EQ(scene.description.output.formats, std::vector<OutputFormat>{OutputFormat::vtk});
  EXPECT_EQ(scene.description.collider[0].friction, 0.1);
}

TEST(SceneSettings, LaterOnesWin) {
  EXPECT_EQ(parsed(kCloth, {"scene.fps=10", "scene.fps=20"}).description.scene.fps, 20);
}

TEST(SceneSettings, ReachElementsOfLists) {
  const Scene scene =
      parsed(kCloth + "pin = [{ vertices = [0] }, { vertices = [1] }]\n", {"cloth.pin.1.vertices=[7]"});
  EXPECT_EQ(scene.description.mass_spring[0].pin[1].vertices, std::vector<std::int64_t>{7});
}

// "cloth" is the name of a camera, too.
const std::string kPictured = R"([[camera]]
position = [0, 0, 5]
target = [0, 0, 0]
[[camera]]
name = "cloth"
position = [0, 0, 6]
target = [0, 0, 0]
[[material]]
of = "cloth"
[[contact]]
self = true
bodies = ["cloth"]
[[collider]]
shape = { plane = {} }
)" + kCloth;

TEST(SceneSettings, ReachABodyBeforeACameraOfItsName) {
  const Scene scene = parsed(kPictured, {"cloth.stiffness=5", "camera.1.field_of_view=20"});
  EXPECT_EQ(scene.description.mass_spring[0].params.stiffness, 5);
  EXPECT_EQ(scene.description.camera[1].field_of_view, 20);
}

TEST(SceneSettings, ReachACameraByItsDefaultName) {
  const Scene scene = parsed(kPictured, {"main.field_of_view=20"});
  EXPECT_EQ(scene.description.camera[0].field_of_view, 20);
  EXPECT_EQ(scene.description.camera[1].field_of_view, 40);
}

TEST(SceneSettings, ReachABodyBeforeTheCouplingThatHasItsName) {
  std::string text = "[[coupling]]\nkind = \"stitch\"\nbetween = [\"a\", \"b\"]\n";
  for (const char* name : {"a", "b", "a-b"})
    text += "[[mass_spring]]\nname = \"" + std::string(name) + "\"\nmesh = { sheet = {} }\n";
  const Scene scene = parsed(text, {"a-b.stiffness=5", "coupling.0.distance=0.5"});
  EXPECT_EQ(scene.description.mass_spring[2].params.stiffness, 5);
  EXPECT_EQ(scene.description.coupling[0].distance, 0.5);
}

TEST(SceneSettings, ReachElementsWithoutANameByTheirNumber) {
  const Scene scene = parsed(kPictured, {"material.0.roughness=0.2", "contact.0.friction=0.7",
                                         "collider.0.friction=0.1", "mass_spring.0.stiffness=9"});
  EXPECT_EQ(scene.description.material[0].roughness, 0.2);
  EXPECT_EQ(scene.description.contact[0].params.friction, 0.7);
  EXPECT_EQ(scene.description.collider[0].friction, 0.1);
  EXPECT_EQ(scene.description.mass_spring[0].params.stiffness, 9);
}

TEST(SceneSettings, OfAListAreReachedByNumberAlsoWhereABodyHasItsName) {
  const Scene scene = parsed(
      "[[contact]]\nself = true\nbodies = [\"contact\"]\n"
      "[[mass_spring]]\nname = \"contact\"\nmesh = { sheet = {} }\n",
      {"contact.stiffness=5", "contact.0.friction=0.7"});
  EXPECT_EQ(scene.description.mass_spring[0].params.stiffness, 5);
  EXPECT_EQ(scene.description.contact[0].params.friction, 0.7);
}

TEST(SceneSettings, FindKeysOfInnerTablesWhereThereIsOneSuchPlace) {
  const std::string gas = "[[smoke]]\nname = \"gas\"\ndomain = { cells = 8 }\n";
  EXPECT_EQ(parsed(gas, {"gas.cells=16"}).description.smoke[0].domain.cells, 16);
  EXPECT_EQ(parsed(gas, {"smoke.0.cells=16"}).description.smoke[0].domain.cells, 16);
  // Many shapes have divisions; the scene holds one shape.
  EXPECT_EQ(parsed(kCloth, {"cloth.divisions=[7, 9]"}).description.mass_spring[0].mesh.sheet->divisions,
            (std::array<int, 2>{7, 9}));
  EXPECT_EQ(refusal(kCloth, {"cloth.axis=[1, 0, 0]"})
                .find("--set cloth.axis=[1, 0, 0]: unknown key 'axis' in 'mass_spring[0]'"),
            0u);
  EXPECT_NE(refusal("[[smoke]]\nname = \"gas\"\ncells = 8\n").find("did you mean 'domain.cells'?"),
            std::string::npos);
}

TEST(SceneFolder, DotsBehindALinkLeadOutOfTheFolderThatItPointsTo) {
  namespace fs = std::filesystem;
  const selkie::test::TemporaryFolder home;
  fs::create_directories(home / "project/scenes");
  fs::create_directory_symlink(home / "project/scenes", home / "link");
  EXPECT_EQ(full_path(home / "link/../meshes"), fs::canonical(home / "project") / "meshes");
  EXPECT_EQ(full_path(home / "link/./mesh.obj"), fs::path(home / "link/mesh.obj"));
  EXPECT_EQ(full_path(""), fs::current_path() / "");
}

TEST(SceneFolder, StaysWhereItWasWhenTheWorkingDirectoryChanges) {
  const Scene scene = parse(kCloth, "s.toml", "below");
  EXPECT_EQ(scene.folder, std::filesystem::current_path() / "below");
}

TEST(SceneSettings, BeyondTheEndOfAListTellHowManyItHolds) {
  EXPECT_EQ(refusal(kPictured, {"camera.2.aperture=1"}),
            "--set camera.2.aperture=1: there is no element '2' in the list\n"
            "  it holds 2 element(s), counted from 0");
  EXPECT_EQ(refusal(kPictured, {"joint.0.motor_force=1"}),
            "--set joint.0.motor_force=1: there is no element '0' in the list\n"
            "  it holds 0 element(s), counted from 0");
  EXPECT_EQ(refusal(kPictured, {"material.roughness=1"}),
            "--set material.roughness=1: there is no element 'roughness' in the list\n"
            "  it holds 1 element(s), counted from 0");
  EXPECT_EQ(
      refusal(kPictured, {"contacts.0.friction=1"}),
      "--set contacts.0.friction=1: there is no system called 'contacts'\n"
      "  did you mean 'contact.N'? Known: scene, output, light, bodies, main, cloth, material.N, contact.N "
      "or collider.N");
  EXPECT_EQ(refusal(kPictured, {".friction=1"}).find("--set .friction=1: there is no system called ''"), 0u);
}

TEST(SceneSettings, RefuseKeysThatNestAbsurdlyDeepOrLieInsidePlainValues) {
  std::string deep = "cloth.";
  for (int i = 0; i < 100000; ++i) deep += "a.";
  EXPECT_NE(refusal(kCloth, {deep + "a=1"}).find("keys nest more than 64 deep"), std::string::npos);
  EXPECT_EQ(refusal(kCloth + "stiffness = 3\n", {"cloth.stiffness.x=1"})
                .find("--set cloth.stiffness.x=1: there is no key 'x' inside a whole number"),
            0u);
}

TEST(SceneSettings, AreNamedInMessages) {
  EXPECT_EQ(refusal(kCloth, {"cloth.stiffness=-1"}),
            "--set cloth.stiffness=-1: 'mass_spring[0].stiffness' is -1, which is out of range\n"
            "  use a value of at least 0 N/m");
  EXPECT_EQ(refusal(kCloth, {"cloht.stiffness=1"}),
            "--set cloht.stiffness=1: there is no system called 'cloht'\n"
            "  did you mean 'cloth'? Known: scene, output, light, bodies or cloth");
}

TEST(SceneScale, MultipliesResolutionsOnce) {
  const Scene scene = parsed("[scene]\nscale = 2.5\n" + kCloth);
  EXPECT_EQ(scene.description.mass_spring[0].mesh.sheet->divisions, (std::array<int, 2>{10, 10}));
  const Scene again = parsed(resolved(scene));
  EXPECT_EQ(again.description.mass_spring[0].mesh.sheet->divisions, (std::array<int, 2>{10, 10}));
}

TEST(SceneScale, KeepsAtLeastOneDivision) {
  EXPECT_EQ(parsed("[scene]\nscale = 0.001\n" + kCloth).description.mass_spring[0].mesh.sheet->divisions,
            (std::array<int, 2>{1, 1}));
}

TEST(SceneScale, TooLargeIsToldAtTheScale) {
  const std::string message =
      refusal("[scene]\nscale = 1000\n" + kCloth, {"cloth.mesh.sheet.divisions=[40, 40]"});
  EXPECT_EQ(
      message.find("s.toml:2:9: with 'scene.scale' = 1000, 'mass_spring[0].mesh.sheet.divisions' would"), 0u)
      << message;
}

TEST(SceneResolved, IsAFixedPoint) {
  const Scene scene =
      parsed("[scene]\nscale = 0.5\nname = \"a \\\"b\\\"\"\n" + kCloth +
             "pin = [{ vertices = [0], motion = { translate = [\"0\", \"sin(t)\", \"0\"] } }]\n"
             "place = { rotate = [0.1, 0.2, 0.3] }\ndensity = 0.1\n"
             "[[collider]]\nshape = { ball = { radius = 0.3 } }\n");
  const std::string once = resolved(scene);
  EXPECT_EQ(resolved(parsed(once)), once);
}

TEST(SceneIdentity, LeavesOutWhatAResumeMayChange) {
  const std::string base = identity(parsed(kCloth));
  EXPECT_EQ(identity(parsed(kCloth, {"scene.frames=3", "output.every=2", "scene.about=x"})), base);
  EXPECT_NE(identity(parsed(kCloth, {"cloth.stiffness=3"})), base);
  EXPECT_NE(identity(parsed(kCloth, {"scene.fps=31"})), base);
  EXPECT_NE(identity(parsed(kCloth, {"scene.scale=2"})), base);
}

// Two scenes of one text in folders of their own, with a mesh each.
class SceneIdentityOfFiles : public testing::Test {
 protected:
  std::string of(const std::string& folder, const std::string& mesh) const {
    std::filesystem::create_directories(home_.path() / folder);
    std::ofstream(home_.path() / folder / "cloth.obj") << mesh;
    const Scene scene = parse(
        "[[mass_spring]]\nname = \"cloth\"\nmesh = { file = \"cloth.obj\" }\n"
        "[[collider]]\nmesh = { file = \"cloth.obj\" }\n",
        "s.toml", home_.path() / folder);
    EXPECT_EQ(files_of(scene).size(), 2u);
    return identity(scene);
  }
  selkie::test::TemporaryFolder home_;
};

TEST_F(SceneIdentityOfFiles, ChangesWithTheirContent) {
  EXPECT_NE(of("a", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), of("a", "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n"));
}

TEST_F(SceneIdentityOfFiles, ChangesWithTheBuffersOfAGltf) {
  const auto folder = home_.path();
  std::ofstream(folder / "cloth.gltf")
      << R"({"asset": {"version": "2.0"}, "buffers": [{"uri": "my%20cloth.bin"}]})";
  const Scene scene =
      parse("[[mass_spring]]\nname = \"cloth\"\nmesh = { file = \"cloth.gltf\" }\n", "s.toml", folder);
  std::ofstream(folder / "my cloth.bin") << "one";
  const std::string one = identity(scene);
  std::ofstream(folder / "my cloth.bin") << "two";
  EXPECT_NE(identity(scene), one);
  EXPECT_EQ(files_of(scene), (std::vector{folder / "cloth.gltf", folder / "my cloth.bin"}));
}

TEST_F(SceneIdentityOfFiles, StaysWhenTheFolderMoves) {
  const std::string mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  EXPECT_EQ(of("a", mesh), of("b/c", mesh));
}

TEST(SceneFromValue, RefusesWhatIsNoTable) { EXPECT_THROW(from_value(Value{3.0}, "."), InputError); }

}  // namespace
}  // namespace selkie::scene
