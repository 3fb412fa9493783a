// How liquid and bodies of one solve move along each other, from scenes: the velocity at a body's surface,
// markers that a thin panel stops, the tank's ground, room for several bodies, pins, joint solves repeated
// for a law that is not linear. [LE-35, LE-43, LE-51]
#include <algorithm>
#include <cmath>

#include "selkie/sim/systems/elastic_system.h"
#include "selkie/sim/systems/liquid_system.h"
#include "small_scene.h"

namespace selkie::scene {
namespace {

double figure(sim::World& world, const std::string& system, const std::string& wanted) {
  for (const auto& [name, value] : world.find(system)->figures(world.environment()))
    if (name == wanted) return value;
  return std::nan("");
}
sim::ElasticSystem& elastic(sim::World& world, const std::string& name) {
  return dynamic_cast<sim::ElasticSystem&>(*world.find(name));
}

// Water is continued into a body along the body's own velocity. Along that which it would have without the
// water, g Δt, water beside a body at rest would never rest.
TEST(WetMotion, WaterRestsBesideAFloatingElasticBlock) {
  sim::World world = build(test::parsed(R"([scene]
name = "float"
fps = 50
[[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [1, 1, 0], cells = 40 }
fill   = [ { box = { min = [0, 0, -1], max = [1, 0.5, 1] } } ]
[[elastic]]
name    = "block"
mesh    = { sheet = { center = [0.5, 0.503, 0], size = [0.31, 0.24], divisions = [6, 5], u = [1, 0, 0], v = [0, 1, 0] } }
young   = 1e7
density = 500
[[coupling]]
kind    = "liquid-elastic"
between = ["water", "block"]
)"));
  for (int step = 0; step < 40; ++step) ASSERT_TRUE(world.sync_step().ok);
  double fastest = 0;
  for (int step = 0; step < 10; ++step) {
    ASSERT_TRUE(world.sync_step().ok);
    fastest = std::max(fastest, figure(world, "water", "top_speed"));
  }
  EXPECT_LT(fastest, 0.15 * 9.81 / 50);  // measured 0.018 m/s, as around a rigid block; 0.067 along g Δt
}

// A jet of 8 m/s on a panel of 1.15 cells from wall to wall, which bends.
TEST(WetMotion, NoMarkerOfAJetPassesAPanelOfOneCell) {
  for (const char* cfl : {"1", "2"}) {
    sim::World world = build(test::parsed(std::string(R"([scene]
name = "jet"
fps = 60
[[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [1, 1, 0], cells = 50 }
fill   = [ { box = { min = [0.3, 0.6, -1], max = [0.7, 0.95, 1] }, velocity = [0, -8, 0] } ]
cfl    = )") + cfl + R"(
[[elastic]]
name    = "panel"
mesh    = { sheet = { center = [0.5, 0.5, 0], size = [1, 0.023], divisions = [50, 1], u = [1, 0, 0], v = [0, 1, 0] } }
young   = 1e7
density = 1000
pin     = [ { box = { min = [-1, 0, -1], max = [0.05, 1, 1] } }, { box = { min = [0.95, 0, -1], max = [2, 1, 1] } } ]
[[coupling]]
kind    = "liquid-elastic"
between = ["water", "panel"]
)"));
    auto& liquid = dynamic_cast<sim::LiquidSystem&>(*world.find("water"));
    const std::size_t seeded = liquid.live_state().particles.size();
    for (int step = 0; step < 15; ++step) ASSERT_TRUE(world.sync_step().ok);
    const auto& panel = elastic(world, "panel").live_state().positions;
    double lowest = 1;
    for (const Vec3& x : panel) lowest = std::min(lowest, x.y());
    EXPECT_LT(lowest, 0.485) << "the jet bends it";
    const auto& particles = liquid.live_state().particles;
    EXPECT_EQ(particles.size(), seeded);
    for (std::size_t p = 0; p < particles.size(); ++p) {
      const Vec3 at = liquid::world_of(liquid.model().shape, liquid::place_of(particles, p));
      double below = 1;
      for (const Vec3& x : panel)
        if (std::abs(x.x() - at.x()) < 0.025) below = std::min(below, x.y());
      EXPECT_GT(at.y(), below - 0.002) << "at " << at.transpose() << ", cfl " << cfl;
    }
  }
}

const std::string kTwoBlocks = R"([[elastic]]
name    = "low"
mesh    = { tet_box = { min = [0.2, 0.02, 0.2], max = [0.6, 0.32, 0.6], divisions = [4, 3, 4] } }
young   = 2e5
density = 2000
[[elastic]]
name    = "high"
mesh    = { tet_box = { min = [0.3, 0.4, 0.3], max = [0.5, 0.6, 0.5], divisions = [2, 2, 2] } }
young   = 2e5
density = 2000
[[coupling]]
kind    = "liquid-elastic"
between = ["water", "low"]
[[coupling]]
kind    = "liquid-elastic"
between = ["water", "high"]
)";
std::string two_blocks(const std::string& tracker) {
  return R"([scene]
name = "blocks"
fps = 60
[[liquid]]
name    = "water"
tracker = ")" +
         tracker + R"("
domain  = { min = [0, 0, 0], max = [0.8, 0.8, 0.8], cells = 16 }
fill    = [ { box = { min = [0, 0, 0], max = [0.8, 0.3, 0.8] } } ]
)" + kTwoBlocks;
}

// What falls on a block presses it on the ground, not through it.
TEST(WetMotion, TheGroundOfATankHoldsABlockUnderAnother) {
  sim::World world = build(test::parsed(two_blocks("particles")));
  for (int step = 0; step < 60; ++step) ASSERT_TRUE(world.sync_step().ok);
  double lowest = 1;
  for (const Vec3& x : elastic(world, "low").live_state().positions) lowest = std::min(lowest, x.y());
  EXPECT_GT(lowest, -0.003);  // measured -0.001; -0.015 and sinking where contacts did not know the ground
}

// A dry block named last must not make the room of a wet one liquid.
TEST(WetMotion, ALevelSetLeavesRoomForAllBodies) {
  sim::World world = build(test::parsed(two_blocks("level-set")));
  const double volume = figure(world, "water", "volume");
  EXPECT_NEAR(volume, 0.8 * 0.8 * 0.3 - 0.4 * 0.4 * 0.28, 0.004);
  for (int step = 0; step < 5; ++step) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_NEAR(figure(world, "water", "volume"), volume, 0.02 * volume);
}

TEST(WetMotion, PinsAreWhereTheirFormulaSays) {
  sim::World world = build(test::parsed(R"([scene]
name = "pins"
fps = 20
[[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [1, 1, 0], cells = 30 }
fill   = [ { box = { min = [0, 0, -1], max = [1, 0.2, 1] } } ]
[[elastic]]
name    = "block"
mesh    = { sheet = { center = [0.3, 0.5, 0], size = [0.2, 0.2], divisions = [4, 4], u = [1, 0, 0], v = [0, 1, 0] } }
density = 800
pin     = [ { box = { min = [0, 0.59, -1], max = [1, 1, 1] }, motion = { translate = ["0.8*t*t", "0", "0"] } } ]
[[coupling]]
kind    = "liquid-elastic"
between = ["water", "block"]
)"));
  auto& block = elastic(world, "block");
  for (int step = 0; step < 10; ++step) {
    ASSERT_TRUE(world.sync_step().ok);
    int pinned = 0;
    for (std::size_t i = 0; i < block.model().vertex_count; ++i) {
      if (block.live_state().pinned[i] == 0) continue;
      ++pinned;
      EXPECT_NEAR(block.live_state().positions[i].x(),
                  block.model().rest_positions[i].x() + 0.8 * world.time() * world.time(), 1e-12);
    }
    EXPECT_GT(pinned, 0);
  }
}

// A soft block under much water, in a long step: what one linearisation leaves of the law's own answer
// shrinks with every joint solve.
TEST(WetMotion, RepeatedJointSolvesConvergeToTheBodysLaw) {
  auto velocities =
      [](int iterations) {
        sim::World world = build(test::parsed(R"([scene]
name = "newton"
fps = 30
gravity = [0, -30, 0]
[[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [1, 1, 0], cells = 20 }
fill   = [ { box = { min = [0, 0, -1], max = [1, 0.9, 1] } } ]
cfl    = 100
[[elastic]]
name       = "block"
mesh       = { sheet = { center = [0.5, 0.4, 0], size = [0.3, 0.3], divisions = [4, 4], u = [1, 0, 0], v = [0, 1, 0] } }
law        = "neo-hookean"
young      = 2e4
density    = 300
integrator = "backward-euler-newton"
pin        = [ { box = { min = [0, 0.5, -1], max = [1, 1, 1] } } ]
[[coupling]]
kind       = "liquid-elastic"
between    = ["water", "block"]
tolerance  = 1e-12
iterations = )" + std::to_string(iterations) + "\n"));
        for (int step = 0; step < 3; ++step) EXPECT_TRUE(world.sync_step().ok);
        const auto& v = elastic(world, "block").live_state().velocities;
        return std::vector<Vec3>(v.begin(), v.end());
      };
  auto furthest = [](const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
    return most;
  };
  const auto once = velocities(1), some = velocities(4), many = velocities(12);
  EXPECT_GT(furthest(once, many), 1e-3);
  // Newton's method, as the body is linearised where the last solve has led it.
  EXPECT_LT(furthest(some, many), 1e-6 * furthest(once, many));
}

std::string crate_on_block(const std::string& more) {
  return R"([scene]
fps = 100
[[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [1, 1, 1], cells = 12 }
fill   = [ { box = { min = [0, 0, 0], max = [1, 0.2, 1] } } ]
[[elastic]]
name    = "block"
mesh    = { tet_box = { min = [0.3, 0.02, 0.3], max = [0.7, 0.32, 0.7], divisions = [4, 3, 4] } }
young   = 2e5
density = 2000
stiffness_damping = 0.005
law     = "neo-hookean"
integrator = "backward-euler-newton"
[[rigid]]
name     = "crate"
shape    = { box = { size = [0.28, 0.28, 0.28] } }
position = [0.5, 0.47, 0.5]
density  = 2500
[[coupling]]
kind = "liquid-rigid"
between = ["water", "crate"]
[[coupling]]
kind = "liquid-elastic"
between = ["water", "block"]
)" + more;
}

// A block that a rigid body of the same Group lies on has been pushed by it: it keeps that in every joint
// solve.
TEST(WetMotion, RepeatedJointSolvesKeepWhatRigidBodiesPush) {
  auto energy = [](const std::string& more) {
    sim::World world = build(test::parsed(crate_on_block(more)));
    for (int step = 0; step < 40; ++step) EXPECT_TRUE(world.sync_step().ok);
    return figure(world, "block", "elastic");
  };
  const double once = energy("");
  EXPECT_GT(once, 3) << "J: the crate lies on it";
  EXPECT_NEAR(energy("iterations = 6\n"), once, 0.02 * once);
}

TEST(WetMotion, RepeatedJointSolvesWithoutNewtonsMethodAreRefused) {
  const std::string said = test::refusal(two_blocks("particles") + "iterations = 3\n");
  EXPECT_NE(said.find("'iterations' is 3, but the integrator of 'high' is linearised once a step"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("backward-euler-newton"), std::string::npos) << said;
}

// Two elastic bodies in one liquid: neither sinks into the other.
TEST(WetMotion, ABlockLiesOnAnotherInOneLiquid) {
  sim::World world = build(test::parsed(two_blocks("particles")));
  for (int step = 0; step < 60; ++step) ASSERT_TRUE(world.sync_step().ok);
  double top = 0, bottom = 1;
  for (const Vec3& x : elastic(world, "low").live_state().positions)
    if (std::abs(x.x() - 0.4) < 0.11 && std::abs(x.z() - 0.4) < 0.11) top = std::max(top, x.y());
  for (const Vec3& x : elastic(world, "high").live_state().positions) bottom = std::min(bottom, x.y());
  EXPECT_NEAR(bottom, top, 0.01) << "it fell by 0.08 m and lies there";
}

// A traction on a body that water at rest surrounds bends it as far as in the air.
TEST(WetMotion, ATractionBendsABodyUnderWaterAsInTheAir) {
  auto deflection = [](bool wet) {
    const std::string water = R"([[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [1, 1, 0], cells = 20 }
fill   = [ { box = { min = [0, 0, -1], max = [1, 0.9, 1] } } ]
)",
                      joined = "[[coupling]]\nkind = \"liquid-elastic\"\nbetween = [\"water\", \"bar\"]\n";
    sim::World world = build(test::parsed("[scene]\nfps = 30\ngravity = [0, 0, 0]\n" +
                                          (wet ? water : std::string()) + R"([[elastic]]
name    = "bar"
mesh    = { sheet = { center = [0.5, 0.4, 0], size = [0.2, 0.6], divisions = [4, 12], u = [1, 0, 0], v = [0, 1, 0] } }
young   = 2e5
density = 1000
stiffness_damping = 0.05
pin     = [ { box = { min = [0, 0, -1], max = [1, 0.11, 1] } } ]
[[elastic.traction]]
box   = { min = [0.39, 0.2, -1], max = [0.41, 1, 1] }
force = ["40", "0", "0"]
)" + (wet ? joined : std::string())));
    for (int step = 0; step < 200; ++step) EXPECT_TRUE(world.sync_step().ok);
    double most = 0;
    for (const Vec3& x : elastic(world, "bar").live_state().positions) most = std::max(most, x.x() - 0.6);
    return most;
  };
  const double dry = deflection(false);
  EXPECT_GT(dry, 0.01);
  EXPECT_NEAR(deflection(true), dry, 0.01 * dry);
}

}  // namespace
}  // namespace selkie::scene
