// [[surface_water]] from text to a running world: what is refused, what moves, what is kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "selkie/core/error.h"
#include "selkie/core/parallel.h"
#include "selkie/scene/scene.h"
#include "selkie/sim/checkpoint.h"
#include "support/temporary_folder.h"

namespace selkie::scene {
namespace {

sim::World world_of(const std::string& text, const std::filesystem::path& folder = ".") {
  return build(parse(text, "scene.toml", folder));
}

void expect_refused(const std::string& text, const std::string& reason,
                    const std::filesystem::path& folder = ".") {
  try {
    world_of(text, folder);
    FAIL() << "accepted: " << text;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

TEST(SurfaceWaterScene, RefusesWhatCannotRun) {
  const std::string head = "[[surface_water]]\nname = \"w\"\n";
  expect_refused(head + "mesh = { sheet = {} }", "hole");
  expect_refused(head + "mesh = { icosphere = {} }\nwater = \"q\"", "formula");
  expect_refused(head + "mesh = { icosphere = {} }\nwater = \"1/0\"", "number between");
  expect_refused(head + "mesh = { icosphere = {} }\nclip = [ { name = \"walk\" } ]", "no skeleton");
  expect_refused(head + "mesh = { figure = {} }\nclip = [ { name = \"swim\" } ]", "no clip");
  expect_refused(head + "mesh = { icosphere = {} }\ndeform = [\"x\", \"y\"]", "three");
  expect_refused(head +
                     "mesh = { icosphere = {} }\nsource = [ { region = { ball = { center = [9, 9, 9], radius "
                     "= 0.1 } } } ]",
                 "no vertex");
  expect_refused(head + "mesh = { letters = { text = \"B\" } }", "letter");
}

TEST(SurfaceWaterScene, RefusesASequenceWhoseTopologyChanges) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "a.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  std::ofstream(folder / "b.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  std::ofstream(folder / "c.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\nf 3 2 1\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  const std::string head =
      "[[surface_water]]\nname = \"w\"\nmesh = { file = \"a.obj\" }\nsequence = { fps = 1, files = ";
  expect_refused(head + "[\"a.obj\", \"c.obj\"] }", "triangles", folder.path());
  sim::World world = world_of(head + "[\"a.obj\", \"b.obj\"] }", folder.path());
  while (world.frame() < 15) ASSERT_TRUE(world.sync_step().ok);
}

constexpr const char* kWalker = R"(
[scene]
fps = 60
[[surface_water]]
name = "figure"
mesh = { figure = { divisions = 36 } }
clip = [ { name = "walk" } ]
bottom = "0.1"
water = "0.1"
)";

TEST(SurfaceWaterScene, AWalkingFigureResumesBitForBitOnAnyNumberOfThreads) {
  auto run = [](int threads) {
    set_thread_count(threads);
    sim::World world = world_of(kWalker);
    while (world.frame() < 20) EXPECT_TRUE(world.sync_step().ok);
    set_thread_count(0);
    return world.hash().hex();
  };
  const std::string hash = run(1);
  EXPECT_EQ(run(2), hash);
  const test::TemporaryFolder folder;
  sim::World first = world_of(kWalker);
  while (first.frame() < 9) ASSERT_TRUE(first.sync_step().ok);
  sim::save_checkpoint(first, {}, folder / "c.h5");
  sim::World second = world_of(kWalker);
  sim::load_checkpoint(second, folder / "c.h5");
  while (second.frame() < 20) ASSERT_TRUE(second.sync_step().ok);
  EXPECT_EQ(second.hash().hex(), hash);
}

constexpr const char* kSphere =
    "[scene]\nfps = 60\n[[surface_water]]\nname = \"w\"\nmesh = { icosphere = { radius = 1 } }\n";

double figure_of(sim::World& world, const std::string& name) {
  for (const auto& [key, value] : world.find("w")->figures(world.environment()))
    if (key == name) return value;
  return -1;
}
Value vector(const Vec3& v) {
  Value value;
  ValueArray numbers(3);
  for (std::size_t k = 0; k < 3; ++k) numbers[k].data = v[static_cast<int>(k)];
  value.data = std::move(numbers);
  return value;
}

// What the viewer's key M sends: a point, and nothing else.
TEST(SurfaceWaterScene, ASourceAtTheCursorRunsUntilTheNextOne) {
  sim::World world = world_of(kSphere);
  const std::vector<std::string> actions = world.find("w")->actions();
  EXPECT_NE(std::find(actions.begin(), actions.end(), "source"), actions.end());
  const double start = figure_of(world, "volume");
  ports::InputEvent source{0, "w", "source"};
  source.arguments["point"] = vector(Vec3(1, 0, 0));
  world.queue(source);
  while (world.frame() < 60) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_NEAR(figure_of(world, "volume"), start + 0.0257, 1e-9);
  source.tick = world.now();
  world.queue(source);
  while (world.frame() < 90) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_NEAR(figure_of(world, "volume"), start + 0.0257, 1e-9);
}

TEST(SurfaceWaterScene, CanBeDraggedAndPoured) {
  sim::World world = world_of(kSphere);
  auto figure = [&](const std::string& name) { return figure_of(world, name); };
  ports::InputEvent grab{0, "w", "grab"};
  grab.arguments["point"] = vector(Vec3(0, 1, 0));
  grab.arguments["target"] = vector(Vec3(0.5, 1, 0));
  ports::InputEvent pour{0, "w", "pour"};
  pour.arguments["point"] = vector(Vec3(0, 1, 0));
  pour.arguments["rate"].data = 0.06;
  const double start = figure("volume");
  world.queue(grab), world.queue(pour);
  while (world.frame() < 60) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_NEAR(figure("volume"), start + 0.06, 1e-9);
  EXPECT_NEAR(figure("unaccounted"), 0, 1e-11);
  EXPECT_GT(figure("top_speed"), 0.01) << "the water felt the drag";
  for (const ArrayRef& array : world.find("w")->state())
    EXPECT_TRUE(array.name != "offset" || std::abs(static_cast<const double*>(array.data)[0] - 0.5) < 1e-3);
}

}  // namespace
}  // namespace selkie::scene
