// Liquid without a free surface: what fills a tank or a hollow body. Its pressure is known up to a constant
// only, which no rigid body answers, and which elastic ones answer by being squeezed. [LE-38, LE-39, LE-40]
#include <cmath>

#include "selkie/sim/systems/elastic_system.h"
#include "selkie/sim/systems/rigid_system.h"
#include "small_scene.h"

namespace selkie::scene {
namespace {

struct Case {
  bool flat = false;
  std::string body;      // its table, with the name "body"
  std::string coupling;  // more of the coupling's table
};

// A tank of 1 m, filled up to `level`.
std::string tank(const Case& c, const std::string& level) {
  const std::string kind = c.body.find("[[rigid]]") != std::string::npos ? "liquid-rigid" : "liquid-elastic";
  return std::string("[scene]\nfps = 60\n[[liquid]]\nname = \"water\"\ndomain = { min = [0, 0, 0], max = ") +
         (c.flat ? "[1, 1, 0], cells = 32 }\n" : "[1, 1, 1], cells = 20 }\n") +
         "fill = [ { box = { min = [0, 0, " + (c.flat ? "-1" : "0") + "], max = [1, " + level +
         ", 1] } } ]\n" + c.body + "[[coupling]]\nkind = \"" + kind +
         "\"\nbetween = [\"water\", \"body\"]\n" + c.coupling;
}

Vec3 mean_velocity(sim::World& world) {
  if (const auto* rigid = dynamic_cast<sim::RigidSystem*>(world.find(sim::kThrown));
      rigid && !rigid->dormant())
    return const_cast<sim::RigidSystem*>(rigid)->live_state().velocities[0];
  const auto& v = dynamic_cast<sim::ElasticSystem&>(*world.find("body")).live_state().velocities;
  Vec3 sum = Vec3::Zero();
  for (const Vec3& each : v) sum += each;
  return sum / static_cast<double>(v.size());
}
double figure(sim::World& world, const std::string& wanted) {
  for (const auto& [name, value] : world.find("body")->figures(world.environment()))
    if (name == wanted) return value;
  return std::nan("");
}

const Case kBall{
    false,
    "[[rigid]]\nname = \"body\"\nshape = { ball = { radius = 0.14 } }\nposition = [0.5, 0.53, 0.51]\n"
    "density = 3000\n",
    ""},
    kBallConstant{false, kBall.body, "linear_load = false\n"},
    kFlatCrate{
        true,
        "[[rigid]]\nname = \"body\"\nshape = { box = { size = [0.3, 0.2, 0.3] } }\nposition = [0.5, 0.5, 0]\n"
        "rotate = [0, 0, 20]\ndensity = 3000\n",
        ""},
    kStiffBall{
        false,
        "[[elastic]]\nname = \"body\"\nmesh = { tet_ball = { center = [0.5, 0.53, 0.51], radius = 0.14, "
        "divisions = 3 } }\ndensity = 3000\nyoung = 1e10\n",
        ""},
    kDenseBall{
        false,
        "[[elastic]]\nname = \"body\"\nmesh = { tet_ball = { center = [0.5, 0.53, 0.51], radius = 0.14, "
        "divisions = 3 } }\ndensity = 3000\nyoung = 1e7\npoisson = 0.4999\n",
        ""};

// The lid of a tank changes how the water goes around a body in its middle by little: 2 % seen.
TEST(SealedLiquid, ABodyInATankWithoutAirFallsAsBelowALittleAir) {
  for (const Case& c : {kBall, kBallConstant, kFlatCrate, kStiffBall, kDenseBall}) {
    sim::World full = build(test::parsed(tank(c, "1"))), open = build(test::parsed(tank(c, "0.93")));
    for (int frame = 0; frame < 12; ++frame) {
      const sim::SyncReport report = full.sync_step();
      ASSERT_TRUE(report.ok) << c.body << report.trouble;
      ASSERT_TRUE(open.sync_step().ok);
    }
    const double expected = mean_velocity(open).y();
    EXPECT_LT(expected, -0.5) << c.body;
    EXPECT_NEAR(mean_velocity(full).y(), expected, 0.05 * std::abs(expected)) << c.body;
  }
}

// Corrections of the liquid's volume find no room; they must not squeeze the body instead.
TEST(SealedLiquid, ANearlyIncompressibleBodyKeepsItsVolume) {
  sim::World world = build(test::parsed(tank(kDenseBall, "1")));
  const double start = figure(world, "volume");
  for (int frame = 0; frame < 12; ++frame) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_NEAR(figure(world, "volume"), start, 2e-3 * start);
}

TEST(SealedLiquid, AFilledShellAtRestGainsNoEnergyHoweverStiff) {
  for (const char* young : {"1e5", "1e7"}) {
    sim::World world = build(test::parsed(R"([scene]
fps = 60
gravity = [0, 0, 0]
[[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [0.8, 0.8, 0.8], cells = 20 }
fill   = [ { ball = { center = [0.4, 0.4, 0.4], radius = 0.26 } } ]
[[elastic]]
name    = "body"
mesh    = { file = ")" + std::string(SELKIE_SOURCE_DIR) +
                                          R"(/scenes/meshes/shell.msh" }
place   = { translate = [0.4, 0.4, 0.4] }
density = 500
young   = )" + std::string(young) + R"(
[[coupling]]
kind    = "liquid-elastic"
between = ["water", "body"]
)"));
    for (int frame = 0; frame < 10; ++frame) ASSERT_TRUE(world.sync_step().ok);
    EXPECT_LT(figure(world, "elastic"), 1e-8) << young;
  }
}

}  // namespace
}  // namespace selkie::scene
