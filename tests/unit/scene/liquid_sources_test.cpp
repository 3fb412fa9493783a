// Inflows and drains of [[liquid]] with the form of a mesh, pushes, figures in m³, and the kernel of the
// exported surface, from scenes.
#include <cmath>
#include <filesystem>
#include <fstream>

#include "selkie/geometry/mesh.h"
#include "selkie/sim/systems/liquid_system.h"
#include "small_scene.h"
#include "support/temporary_folder.h"

namespace selkie::scene {
namespace {

const std::string kTank = R"([[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [1, 1, 1], cells = 16 }
)";

sim::LiquidSystem& water_of(sim::World& world) {
  return dynamic_cast<sim::LiquidSystem&>(*world.find("water"));
}
double figure(sim::World& world, const std::string& name) {
  for (const auto& [key, value] : water_of(world).figures(world.environment()))
    if (key == name) return value;
  ADD_FAILURE() << "no figure " << name;
  return NAN;
}
void run(sim::World& world, std::int64_t frames) {
  while (world.frame() < frames) ASSERT_TRUE(world.sync_step().ok);
}

// A cube with an edge of 0.2 m around a point, as a file.
struct Cube {
  ::selkie::test::TemporaryFolder folder;
  std::string mesh;
  Cube(double x, double y, double z) {
    std::ofstream file(folder / "cube.obj");
    for (int c = 0; c < 8; ++c)
      file << "v " << x + (c & 1 ? 0.1 : -0.1) << ' ' << y + (c & 2 ? 0.1 : -0.1) << ' '
           << z + (c & 4 ? 0.1 : -0.1) << '\n';
    file << "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    mesh = "mesh = { file = \"" + (folder / "cube.obj").string() + "\" }";
  }
};

class LiquidSources : public testing::TestWithParam<const char*> {
 protected:
  std::string tank() const { return kTank + "tracker = \"" + GetParam() + "\"\n"; }
};

TEST_P(LiquidSources, AnInflowMayBeAMesh) {
  const Cube cube(0.5, 0.7, 0.5);
  sim::World world = build(
      test::parsed(tank() + "inflow = [ { " + cube.mesh + ", rate = 0.05, velocity = [0, -1, 0] } ]\n"));
  run(world, 12);
  // Half a second; less than the form holds may still be owed.
  EXPECT_NEAR(figure(world, "inflow_volume"), 0.05 * world.time(), 0.1 * 0.05 * world.time());
  // The surface around scattered particles is wider than they are; what they stand for is exact.
  const bool particles = GetParam() == std::string("particles");
  EXPECT_NEAR(figure(world, particles ? "particle_volume" : "volume"), figure(world, "inflow_volume"),
              (particles ? 1e-12 : 0.25) * figure(world, "inflow_volume"));
}

TEST_P(LiquidSources, ADrainMayBeAMesh) {
  const Cube cube(0.5, 0.1, 0.5);
  sim::World world = build(
      test::parsed(tank() + "fill = [ { box = { min = [0, 0, 0], max = [1, 0.4, 1] } } ]\ndrain = [ { " +
                   cube.mesh + " } ]\n"));
  const double start = figure(world, "volume");
  run(world, 6);
  EXPECT_GT(figure(world, "drained_volume"), 0.01);
  EXPECT_NEAR(figure(world, "volume"), start - figure(world, "drained_volume"), 0.03 * start);
}

TEST_P(LiquidSources, APushMovesTheLiquidWhereItPoints) {
  auto sum_after_push = [&](double strength) {
    sim::World world =
        build(test::parsed(tank() + "fill = [ { box = { min = [0, 0, 0], max = [1, 0.5, 1] } } ]\n"));
    ports::InputEvent event{0, "water", "push"};
    auto vector = [](double x, double y, double z) {
      return Value{ValueArray{Value{x}, Value{y}, Value{z}}};
    };
    event.arguments = Value{ValueTable{}};
    event.arguments["point"] = vector(0.5, 0.4, 0.5);
    event.arguments["direction"] = vector(1, 0, 0);
    event.arguments["strength"] = Value{strength};
    event.arguments["radius"] = Value{0.2};
    world.apply_now(event);
    run(world, 2);
    return figure(world, "kinetic");
  };
  EXPECT_GT(sum_after_push(1), 20 * sum_after_push(0) + 1);
}

INSTANTIATE_TEST_SUITE_P(Trackers, LiquidSources, testing::Values("particles", "level-set"),
                         [](const auto& tracker) {
                           return tracker.param[0] == 'p' ? "Particles" : "LevelSet";
                         });

TEST(SceneLiquid, RefusesSourcesWithoutFormAndMeshesItCannotMake) {
  auto refused = [](const std::string& text, const std::string& words) {
    const std::string said = test::refusal(kTank + text);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  refused("inflow = [ { rate = 0.1 } ]\n", "has neither 'shape' nor 'mesh'");
  refused("drain = [ { shape = { ball = {} }, mesh = { file = \"a.obj\" } } ]\n", "exclude each other");
  refused("inflow = [ { mesh = { file = \"none.obj\" }, rate = 0.1 } ]\n", "'none.obj' does not exist");
  refused("tracker = \"level-set\"\nmesh_from = \"anisotropic\"\n", "needs particles");
  refused("band = 3\nmesh_from = \"averaged\"\n", "'band' leaves out");
}

// Kernels other than the solver's enclose the same pool.
TEST(SceneLiquid, TheExportedSurfaceFollowsTheChosenKernel) {
  std::vector<std::vector<Vec3>> corners;
  for (const std::string kernel : {"solver", "averaged", "anisotropic"}) {
    sim::World world = build(
        test::parsed(kTank + "fill = [ { box = { min = [0, 0, 0], max = [1, 0.5, 1] } } ]\nmesh_from = \"" +
                     kernel + "\"\n"));
    const auto drawables = water_of(world).drawables();
    const auto& surface = std::get<ports::TriangleSurface>(drawables[0].shape);
    corners.emplace_back(surface.positions.begin(), surface.positions.end());
    const double volume = geometry::volume(
        geometry::TriangleMesh{corners.back(), {surface.triangles.begin(), surface.triangles.end()}});
    EXPECT_NEAR(volume, 0.5, 0.01) << kernel;  // a sixth of a cell's layer; kernels differ by 0.04 cells
  }
  EXPECT_NE(corners[0], corners[1]);
  EXPECT_NE(corners[1], corners[2]);
}

}  // namespace
}  // namespace selkie::scene
