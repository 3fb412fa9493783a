// [[shallow_water]]: building, refusals, and bodies that float. [RT-60]
#include <cmath>

#include "selkie/io/write_png.h"
#include "selkie/sim/systems/rigid_system.h"
#include "selkie/sim/systems/shallow_water_system.h"
#include "small_scene.h"
#include "support/temporary_folder.h"

namespace selkie::scene {
namespace {

using test::parsed;
using test::refusal;
using Water = sim::ShallowWaterSystem<double>;

const std::string kPond = R"([[shallow_water]]
name = "pond"
precision = "double"
domain = { min = [-4, -4], max = [4, 4], cells = 32 }
ground = { formula = "-2" }
water = [{ level = "0" }]
)";

Water& pond(sim::World& world) { return dynamic_cast<Water&>(*world.find("pond")); }
sim::RigidSystem& thrown(sim::World& world) { return dynamic_cast<sim::RigidSystem&>(*world.find("thrown")); }

void throw_box(sim::World& world, double half, double density, const Vec3& position,
               const Vec3& velocity = Vec3::Zero()) {
  ports::InputEvent event{world.now(), "thrown", "throw"};
  auto vector = [](const Vec3& v) { return ValueArray{{v.x()}, {v.y()}, {v.z()}}; };
  event.arguments["shape"].data = std::string("box");
  event.arguments["size"].data = half;
  event.arguments["density"].data = density;
  event.arguments["position"].data = vector(position);
  event.arguments["velocity"].data = vector(velocity);
  world.apply_now(event);
}

void advance(sim::World& world, int frames) {
  const std::int64_t end = world.frame() + frames;
  while (world.frame() < end) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
  }
}

double figure(sim::World& world, const std::string& name) {
  for (const auto& [key, value] : pond(world).figures(world.environment()))
    if (key == name) return value;
  ADD_FAILURE() << name;
  return 0;
}

TEST(SceneShallowWater, WaterIsFilledToItsLevelAndNoFurther) {
  sim::World world = build(parsed(R"([[shallow_water]]
name = "pond"
precision = "double"
domain = { min = [0, 0], max = [8, 4], cells = 16 }
ground = { formula = "0.5*x" }
water = [{ level = "1" }, { level = "3", within = { box = { min = [4, 0, 0], max = [8, 9, 2] } } }]
)"));
  const auto& state = pond(world).live_state();
  const auto& grid = pond(world).model().grid;
  EXPECT_EQ(grid.cells, (std::array<int, 2>{16, 8}));
  auto depth = [&](int i, int j) { return state.depth[static_cast<std::size_t>(grid.at(i, j))]; };
  EXPECT_DOUBLE_EQ(depth(0, 0), 1 - 0.125);
  EXPECT_DOUBLE_EQ(depth(15, 0), 0);
  EXPECT_DOUBLE_EQ(depth(8, 1), 3 - 0.5 * 4.25);
  EXPECT_DOUBLE_EQ(depth(8, 6), 0);
}

TEST(SceneShallowWater, GroundComesFromAPictureToo) {
  const ::selkie::test::TemporaryFolder folder;
  const std::vector<std::uint8_t> grey{0, 0, 0, 255, 255, 255, 0, 0, 0, 255, 255, 255};
  io::write_png(folder / "hills.png", {2, 2, grey});
  const std::string text = R"([[shallow_water]]
name = "pond"
precision = "double"
domain = { min = [0, 0], max = [8, 8], cells = 8 }
ground = { image = "hills.png", low = 1, high = 5, formula = "0.5" }
)";
  sim::World world = build(parse(text, "s.toml", folder / ".", {}));
  const auto& model = pond(world).model();
  EXPECT_DOUBLE_EQ(model.ground[static_cast<std::size_t>(model.grid.at(0, 0))], 1.5);
  EXPECT_DOUBLE_EQ(model.ground[static_cast<std::size_t>(model.grid.at(7, 7))], 5.5);
}

TEST(SceneShallowWater, WhatCannotBeIsRefusedWithItsPlace) {
  const std::string head = "[[shallow_water]]\nname = \"pond\"\n";
  EXPECT_NE(refusal(head + "ground = { formula = \"sqrt(0.3 - x)\" }\n").find("s.toml:3"), std::string::npos);
  EXPECT_NE(refusal(head + "ground = { formula = \"sqrt(0.3 - x)\" }\n").find("cell"), std::string::npos);
  EXPECT_NE(refusal(head + "ground = { formula = \"y\" }\n").find("formula in x and z"), std::string::npos);
  EXPECT_NE(refusal(head + "ground = { image = \"nowhere.png\" }\n").find("nowhere.png"), std::string::npos);
  EXPECT_NE(refusal(head + "water = [{ level = \"1/0\" }]\n").find("s.toml:3"), std::string::npos);
  EXPECT_NE(refusal(head + "sides = { low_x = { value = \"x\" } }\n").find("formula in t"),
            std::string::npos);
  EXPECT_NE(refusal(head + "source = [{ region = { ball = { center = [0, 99, 0] } } }]\n").find("no cell"),
            std::string::npos);
  EXPECT_NE(refusal(head + "domain = { max = [0, 1] }\n").find("'min'"), std::string::npos);
  EXPECT_NE(refusal(head + "cfl = 2\n").find("out of range"), std::string::npos);
  EXPECT_NE(refusal(head + "acceleration = [\"1\", \"0\"]\n").find("three"), std::string::npos);
  EXPECT_NE(refusal(head + "acceleration = [\"1\", \"0\", \"y\"]\n").find("x, z and t"), std::string::npos);
}

TEST(SceneShallowWater, AFieldFromFormulasActsOverTime) {
  sim::World world = build(parsed(kPond + "acceleration = [\"0.2*(t < 0.5)\", \"0\", \"0\"]\n"));
  advance(world, 3);  // 0.1 s: waves from the sides have come half a metre
  const auto& state = pond(world).live_state();
  const auto at = static_cast<std::size_t>(pond(world).model().grid.at(16, 16));
  EXPECT_NEAR(state.flow_x[at] / state.depth[at], 0.2 * 0.1, 1e-6);
  EXPECT_NEAR(state.flow_z[at], 0, 1e-12);
}

TEST(SceneShallowWater, ABodyFloatsAtItsDraftAndRaisesTheTankByWhatItDisplaces) {
  sim::World world = build(parsed("[scene]\nfps = 60\n" + kPond + "friction = 1\n"));  // calms the tank
  const double before = figure(world, "volume");
  throw_box(world, 0.5, 500, Vec3(0, 0, 0));  // at its draft already: 1 m cube, half as dense as water
  advance(world, 360);
  const auto& state = thrown(world).live_state();
  EXPECT_NEAR(state.positions[0].y(), 0.5 / 64, 0.03);  // the level has risen by V / A
  EXPECT_NEAR(figure(world, "volume"), before, 1e-10 * before);
  // Half a cubic metre is displaced; the surface stands that much over 64 m² higher.
  const auto& water = pond(world).live_state();
  const auto& grid = pond(world).model().grid;
  double level = 0, displaced = 0;
  for (int j = 0; j < 32; ++j)
    for (int i = 0; i < 32; ++i) {
      level += (water.depth[static_cast<std::size_t>(grid.at(i, j))] - 2) / 1024;
      displaced += water.displaced[static_cast<std::size_t>(grid.at(i, j))] * grid.cell_area();
    }
  EXPECT_NEAR(displaced, 0.5, 0.03);
  EXPECT_NEAR(level, displaced / 64, 1e-9);
}

TEST(SceneShallowWater, ABodyLiftedOutLeavesTheTankAsItWas) {
  sim::World world = build(parsed("[scene]\nfps = 60\n" + kPond));
  const double before = figure(world, "volume");
  throw_box(world, 0.5, 500, Vec3(0, 0, 0));
  advance(world, 30);
  world.apply_now({world.now(), "thrown", "clear"});
  advance(world, 120);
  const auto& water = pond(world).live_state();
  for (const double d : water.displaced) ASSERT_NEAR(d, 0, 1e-6);
  EXPECT_NEAR(figure(world, "volume"), before, 1e-10 * before);
}

TEST(SceneShallowWater, WhatABodyLosesTheWaterGains) {
  // Without gravity only drag acts: momentum of both together stays, drop for drop.
  sim::World world = build(parsed("[scene]\nfps = 60\ngravity = [0, 0, 0]\n" + kPond));
  throw_box(world, 0.5, 700, Vec3(0.1, -1, 0.2), Vec3(3, 0, -1));
  const double mass = 700;
  advance(world, 30);
  const Vec3 velocity = thrown(world).live_state().velocities[0];
  EXPECT_LT(velocity.x(), 2.5);
  EXPECT_NEAR(mass * velocity.x() + figure(world, "momentum_x"), 3 * mass, 1e-9 * mass);
  EXPECT_NEAR(mass * velocity.z() + figure(world, "momentum_z"), -mass, 1e-9 * mass);
}

TEST(SceneShallowWater, AHeavyBodySinksToTheGround) {
  sim::World world = build(parsed("[scene]\nfps = 60\n" + kPond));
  throw_box(world, 0.3, 3000, Vec3(0, 0.5, 0));
  advance(world, 180);
  EXPECT_NEAR(thrown(world).live_state().positions[0].y(), -2 + 0.3, 0.02);
}

}  // namespace
}  // namespace selkie::scene
