// A liquid and an elastic body in one solve, from a scene: buoyancy, what is refused, threads. [LE-36, LE-37,
// LE-43]
#include <array>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/sim/systems/elastic_system.h"
#include "selkie/sim/systems/rigid_system.h"
#include "small_scene.h"

namespace selkie::scene {
namespace {

std::string tank(double density, const std::string& coupling) {
  return R"([scene]
name = "tank"
fps = 100
frames = 10

[[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [1, 1, 1], cells = 20 }
fill   = [ { box = { min = [0, 0, 0], max = [1, 0.85, 1] } } ]

[[elastic]]
name    = "block"
mesh    = { tet_box = { min = [0.36, 0.3, 0.37], max = [0.64, 0.58, 0.65], divisions = [2, 2, 2] } }
young   = 1e6
density = )" +
         std::to_string(density) + "\n" + coupling;
}
const std::string kCoupled = "[[coupling]]\nkind = \"liquid-elastic\"\nbetween = [\"water\", \"block\"]\n";

sim::World make(const std::string& text) { return build(test::parsed(text)); }

fem::State& block_of(sim::World& world) {
  return dynamic_cast<sim::ElasticSystem&>(*world.find("block")).live_state();
}
Vec3 mean_velocity(sim::World& world) {
  const fem::State& state = block_of(world);
  Vec3 sum = Vec3::Zero();
  for (const Vec3& v : state.velocities) sum += v;
  return sum / static_cast<double>(state.velocities.size());
}

// A body let go under water starts with g (ρ_f − ρ_s) / (ρ_s + c ρ_f), c the share of its volume in water
// that moves along: 0.64 for a cube far from walls, more in a tank.
TEST(LiquidElastic, ABodyUnderWaterStartsWithTheAccelerationOfItsBuoyancy) {
  for (const double density : {200.0, 1000.0, 4000.0}) {
    sim::World world = make(tank(density, kCoupled));
    for (int step = 0; step < 4; ++step) ASSERT_TRUE(world.sync_step().ok);
    const double acceleration = mean_velocity(world).y() / 0.04;
    auto with_added = [&](double share) { return 9.81 * (1000 - density) / (density + share * 1000); };
    if (density == 1000.0) {
      EXPECT_NEAR(acceleration, 0, 0.35) << "neutral";
      continue;
    }
    const double least = std::min(std::abs(with_added(1.1)), std::abs(with_added(0.5)));
    const double most = std::max(std::abs(with_added(1.1)), std::abs(with_added(0.5)));
    EXPECT_GE(std::abs(acceleration), least) << density;
    EXPECT_LE(std::abs(acceleration), most) << density;
    EXPECT_EQ(acceleration > 0, density < 1000) << density;
    EXPECT_LT(std::hypot(mean_velocity(world).x(), mean_velocity(world).z()),
              0.1 * std::abs(mean_velocity(world).y()));
  }
}

TEST(LiquidElastic, BitsDoNotDependOnThreads) {
  std::array<Hash128, 2> hashes;
  for (int threads = 1; threads <= 2; ++threads) {
    set_thread_count(threads);
    sim::World world = make(tank(300, kCoupled));
    for (int step = 0; step < 3; ++step) ASSERT_TRUE(world.sync_step().ok);
    hashes[static_cast<std::size_t>(threads - 1)] = world.hash();
  }
  set_thread_count(0);
  EXPECT_EQ(hashes[0], hashes[1]);
}

// The same in the plane, for a square: c is 1.19 far from walls.
TEST(LiquidElastic, ABodyInThePlaneStartsWithTheAccelerationOfItsBuoyancy) {
  const std::string text = R"([scene]
name = "flat"
fps = 100
[[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [1, 1, 0], cells = 40 }
fill   = [ { box = { min = [0, 0, -1], max = [1, 0.85, 1] } } ]
[[elastic]]
name    = "block"
mesh    = { sheet = { center = [0.5, 0.45, 0], size = [0.2, 0.2], divisions = [4, 4], u = [1, 0, 0], v = [0, 1, 0] } }
thickness = 0.3
young   = 1e6
density = 200
[[coupling]]
kind = "liquid-elastic"
between = ["water", "block"]
)";
  for (const char* shares : {"exact", "distance", "voxelised", "sticking"}) {
    sim::World world = build(test::parsed(text, {std::string("water-block.shares=\"") + shares + "\""}));
    for (int step = 0; step < 4; ++step) ASSERT_TRUE(world.sync_step().ok);
    const double acceleration = mean_velocity(world).y() / 0.04;
    EXPECT_GT(acceleration, 9.81 * 0.8 / (0.2 + 2.0)) << shares;
    EXPECT_LT(acceleration, 9.81 * 0.8 / (0.2 + 0.9)) << shares;
    EXPECT_LT(std::abs(mean_velocity(world).x()), 0.02 * mean_velocity(world).y()) << shares;
  }
}

std::string crate(double density, double y, const std::string& mode) {
  return R"([scene]
name = "tank"
fps = 100
[[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [1, 1, 1], cells = 20 }
fill   = [ { box = { min = [0, 0, 0], max = [1, 0.85, 1] } } ]
[[rigid]]
name     = "crate"
shape    = { box = { size = [0.28, 0.28, 0.28] } }
position = [0.5, )" +
         std::to_string(y) + ", 0.51]\ndensity = " + std::to_string(density) +
         "\n[[coupling]]\nkind = \"liquid-rigid\"\nbetween = [\"water\", \"crate\"]\n" + mode;
}
rigid::State& crates_of(sim::World& world) {
  return dynamic_cast<sim::RigidSystem&>(*world.find(sim::kThrown)).live_state();
}

TEST(LiquidRigid, ACrateUnderWaterStartsAsAStiffBlockDoes) {
  for (const double density : {200.0, 4000.0}) {
    sim::World soft = make(tank(density, kCoupled));
    sim::World hard = make(crate(density, 0.44, ""));
    for (int step = 0; step < 4; ++step) ASSERT_TRUE(soft.sync_step().ok && hard.sync_step().ok);
    const double expected = mean_velocity(soft).y();
    EXPECT_NEAR(crates_of(hard).velocities[0].y(), expected, 0.05 * std::abs(expected)) << density;
  }
}

// A light body resting against the ceiling of what pushes it: forces of the last step are part of its own step.
TEST(LiquidRigid, AHeavyCrateRestsOnTheGround) {
  sim::World world = make(crate(3000, 0.145, ""));
  for (int step = 0; step < 60; ++step) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_NEAR(crates_of(world).positions[0].y(), 0.14, 0.005);
  EXPECT_LT(crates_of(world).velocities[0].norm(), 0.02);
}

// Both are joined to one liquid, so they are of one Group: the crate falls on the block and lies there.
TEST(LiquidRigid, ACrateLiesOnASoftBlockOfTheSameLiquid) {
  sim::World world = make(R"([scene]
name = "tank"
fps = 200
[[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [1, 1, 1], cells = 20 }
fill   = [ { box = { min = [0, 0, 0], max = [1, 0.2, 1] } } ]
[[elastic]]
name    = "block"
mesh    = { tet_box = { min = [0.3, 0.02, 0.3], max = [0.7, 0.32, 0.7], divisions = [4, 3, 4] } }
young   = 2e5
density = 2000
stiffness_damping = 0.005
[[rigid]]
name     = "crate"
shape    = { box = { size = [0.28, 0.28, 0.28] } }
position = [0.5, 0.5, 0.5]
density  = 500
[[coupling]]
kind = "liquid-elastic"
between = ["water", "block"]
[[coupling]]
kind = "liquid-rigid"
between = ["water", "crate"]
)");
  double lowest = 1;
  for (int step = 0; step < 300; ++step) {
    ASSERT_TRUE(world.sync_step().ok);
    lowest = std::min(lowest, crates_of(world).positions[0].y());
  }
  double top = 0;
  for (const Vec3& x : block_of(world).positions) top = std::max(top, x.y());
  const double bottom = crates_of(world).positions[0].y() - 0.14, weight = 500 * std::pow(0.28, 3) * 9.81;
  EXPECT_NEAR(bottom, top, 0.01) << "lies on it";
  EXPECT_GT(lowest, 0.35) << "never went deep into it";
  EXPECT_LT(crates_of(world).velocities[0].norm(), 0.02);
  EXPECT_NEAR(crates_of(world).group_forces[0].y(), weight, 0.1 * weight);
}

TEST(LiquidRigid, AWeakSolveOfALightCrateGrowsWithoutBound) {
  sim::World weak = make(crate(100, 0.44, "mode = \"weak\"\n")), full = make(crate(100, 0.44, ""));
  double fastest_full = 0;
  for (int step = 0; step < 8; ++step) {
    ASSERT_TRUE(full.sync_step().ok);
    fastest_full = std::max(fastest_full, crates_of(full).velocities[0].norm());
  }
  EXPECT_LT(fastest_full, 9.81 * 9 * 0.08);  // never above the acceleration of buoyancy alone
  // Its errors grow by the ratio of masses each step; where they end up is not waited for.
  double fastest_weak = 0;
  for (int step = 0; step < 8 && fastest_weak < 5 * fastest_full; ++step) {
    if (!weak.sync_step().ok) break;
    fastest_weak = std::max(fastest_weak, crates_of(weak).velocities[0].norm());
  }
  EXPECT_GT(fastest_weak, 5 * fastest_full);
}

TEST(LiquidElastic, BodiesThatStartWhereTheyCannotBeAreRefused) {
  auto said = [](const std::string& box, const std::string& more = "") {
    return test::refusal(tank(300, more + kCoupled),
                         {"block.mesh={ tet_box = { " + box + ", divisions = [2, 2, 2] } }"});
  };
  EXPECT_NE(said("min = [1.2, 0.3, 0.3], max = [1.5, 0.5, 0.5]").find("lies outside the box of 'water'"),
            std::string::npos);
  EXPECT_NE(said("min = [0.8, 0.3, 0.3], max = [1.1, 0.5, 0.5]").find("starts 0.1 m deep in a side of 'water'"),
            std::string::npos);
  EXPECT_NE(said("min = [0.3, 0.3, 0.3], max = [0.5, 0.5, 0.5]",
                 "[[collider]]\nshape = { ball = { center = [0.3, 0.3, 0.3], radius = 0.05 } }\n")
                .find("starts 0.05 m deep in a collider"),
            std::string::npos);
  const std::string two = tank(300, R"(
[[elastic]]
name = "other"
mesh = { tet_box = { min = [0.6, 0.3, 0.37], max = [0.9, 0.5, 0.5], divisions = [1, 1, 1] } }
[[coupling]]
kind = "liquid-elastic"
between = ["water", "other"]
)" + kCoupled);
  EXPECT_NE(test::refusal(two).find("'other' starts 0.04 m deep in 'block'"), std::string::npos)
      << test::refusal(two);
  EXPECT_NE(test::refusal(tank(0, kCoupled)).find("density"), std::string::npos);
  EXPECT_NE(test::refusal(crate(300, 0.4, "mode = \"damping-only\"\n")).find("a stiffness that rigid bodies lack"),
            std::string::npos);
}

// In the plane: water of 0.5 m depth and what is added.
std::string flat_tank(const std::string& more) {
  return R"([scene]
name = "flat"
fps = 100
[[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [1, 1, 0], cells = 20 }
fill   = [ { box = { min = [0, 0, -1], max = [1, 0.5, 1] } } ]
)" + more;
}
std::string flat_crate(const std::string& name, double x, const std::string& more = "") {
  return "[[rigid]]\nname = \"" + name + "\"\nshape = { box = { size = [0.24, 0.2, 0.3] } }\nposition = [" +
         std::to_string(x) + ", 0.55, 0]\ndensity = 500\n" + more;
}
std::string coupling_of(const std::string& a, const std::string& b,
                        const std::string& kind = "liquid-rigid") {
  return "[[coupling]]\nkind = \"" + kind + "\"\nbetween = [\"" + a + "\", \"" + b + "\"]\n";
}

// All rigid bodies are one system: a table per crate would push all of them twice.
TEST(LiquidRigid, ASecondCouplingOfTheRigidBodiesIsRefused) {
  const std::string crates = flat_crate("crate", 0.3) + flat_crate("stone", 0.7);
  EXPECT_NO_THROW(make(flat_tank(crates + coupling_of("water", "crate"))));
  EXPECT_EQ(
      test::refusal(flat_tank(crates + coupling_of("water", "crate") + coupling_of("stone", "water"))),
      "s.toml:23:11: the rigid bodies and 'water' are coupled twice, first by the coupling of 'water' and "
      "'crate': one coupling wets all rigid bodies\n  take one of the two [[coupling]] tables out");
  const std::string oil = R"([[liquid]]
name   = "oil"
domain = { min = [2, 0, 0], max = [3, 1, 0], cells = 20 }
fill   = [ { box = { min = [2, 0, -1], max = [3, 0.5, 1] } } ]
)";
  EXPECT_EQ(
      test::refusal(flat_tank(oil + flat_crate("crate", 0.3) + flat_crate("stone", 2.5) +
                              coupling_of("water", "crate") + coupling_of("oil", "stone"))),
      "s.toml:27:11: the rigid bodies cannot be in 'oil', being in 'water' by the coupling of 'water' and "
      "'crate': one coupling wets all rigid bodies\n  couple with one liquid only; one [[liquid]] can be "
      "filled in several places");
}

TEST(LiquidElastic, ASecondCouplingOfABodyIsRefused) {
  EXPECT_EQ(
      test::refusal(tank(300, kCoupled + kCoupled)),
      "s.toml:21:11: 'block' and 'water' are coupled twice, first by the coupling of 'water' and 'block'\n  "
      "take one of the two [[coupling]] tables out");
  const std::string oil = R"([[liquid]]
name   = "oil"
domain = { min = [0, 0, 0], max = [1, 1, 1], cells = 20 }
fill   = [ { box = { min = [0, 0.85, 0], max = [1, 1, 1] } } ]
)";
  EXPECT_EQ(
      test::refusal(tank(300, oil + kCoupled + coupling_of("oil", "block", "liquid-elastic"))),
      "s.toml:25:11: 'block' cannot be in 'oil', being in 'water' by the coupling of 'water' and 'block'\n  "
      "couple with one liquid only; one [[liquid]] can be filled in several places");
}

// What is inside of such a body is outside for the liquid, which would have to make room everywhere else.
TEST(LiquidElastic, ABodyThatStartsInsideOutOrFlatIsRefused) {
  const std::string flat = flat_tank(R"([[elastic]]
name = "block"
mesh = { sheet = { center = [0.5, 0.3, 0], size = [0.2, 0.2], divisions = [4, 4], u = [1, 0, 0], v = [0, 1, 0] } }
)") + kCoupled;
  for (const char* stretch : {"[-1, 1, 1]", "[1, -0.5, 1]", "[0, 1, 1]", "[1, 0, 1]"}) {
    const std::vector<std::string> set{std::string("block.stretch=") + stretch};
    const std::string in_plane = test::refusal(flat, set), in_space = test::refusal(tank(300, kCoupled), set);
    EXPECT_EQ(in_plane,
              "s.toml:11:1: 'block' starts with 32 of its 32 elements flat or turned inside out, the first "
              "is number "
              "0: no liquid can be told from its inside\n  give 'stretch' values above zero, or mirror the "
              "mesh itself")
        << stretch;
    EXPECT_NE(in_space.find("'block' starts with 48 of its 48 elements flat or turned inside out"),
              std::string::npos)
        << in_space;
  }
  // Turned by half a turn it is not inside out, and the depth of a sheet does not matter.
  EXPECT_NO_THROW(build(test::parsed(tank(300, kCoupled), {"block.stretch=[-1, -1, 1]"})));
  EXPECT_NO_THROW(build(test::parsed(flat, {"block.stretch=[1, 1, -1]"})));
}

TEST(LiquidRigid, BodiesThatStartInEachOtherAreRefusedUnlessTheyPassEachOther) {
  const std::string coupling = coupling_of("water", "crate");
  const std::string said =
      test::refusal(flat_tank(flat_crate("crate", 0.3) + flat_crate("stone", 0.5) + coupling));
  EXPECT_NE(said.find("'crate' starts 0.04 m deep in 'stone', at (0.42, 0.55, 0)"), std::string::npos)
      << said;
  EXPECT_NE(said.find("move the bodies apart"), std::string::npos) << said;
  // In space, where one is inside the other, and where only edges cross.
  const std::string post =
      "[[rigid]]\nname = \"post\"\nposition = [0.5, 0.44, 0.51]\nshape = { box = { size = ";
  EXPECT_NE(test::refusal(crate(300, 0.44, post + "[0.1, 0.1, 0.1] } }\n")).find("deep in 'crate'"),
            std::string::npos);
  EXPECT_NE(test::refusal(crate(300, 0.44, post + "[0.1, 0.5, 0.1] } }\n"))
                .find("an edge of 'crate' starts inside 'post'"),
            std::string::npos);
  // Side by side they touch; joined, of groups that do not meet, or standing both, they may overlap.
  const char* joint = "[[joint]]\nkind = \"ball\"\nbetween = [\"crate\", \"stone\"]\nat = [0.4, 0.55, 0]\n";
  for (const std::string& fine :
       {flat_crate("crate", 0.3) + flat_crate("stone", 0.54),
        flat_crate("crate", 0.3) + flat_crate("stone", 0.5) + joint,
        flat_crate("crate", 0.3, "group = 1\nignores = [2]\n") + flat_crate("stone", 0.5, "group = 2\n"),
        flat_crate("crate", 0.3) + flat_crate("a", 0.7, "role = \"fixed\"\n") +
            flat_crate("b", 0.8, "role = \"fixed\"\n"),
        flat_crate("crate", 0.3) + flat_crate("a", 1.7) + flat_crate("b", 1.8)})
    EXPECT_NO_THROW(make(flat_tank(fine + coupling))) << fine;
}

TEST(LiquidElastic, ASolidInsideABodyIsRefusedThoughItReachesNoVertex) {
  const std::string ball = "[[collider]]\nshape = { ball = { center = [0.47, 0.41, 0.5], radius = 0.03 } }\n";
  const std::vector<std::string> coarse{
      "block.mesh={ tet_box = { min = [0.3, 0.2, 0.3], max = [0.7, 0.6, 0.7], divisions = [1, 1, 1] } }"};
  const std::string said = test::refusal(tank(300, ball + kCoupled), coarse);
  EXPECT_NE(said.find("'block' starts with part of a collider inside it, at (0."), std::string::npos) << said;
  EXPECT_NE(test::refusal(crate(300, 0.44, ball)).find("'crate' starts with part of a collider inside it"),
            std::string::npos);
  // A ground that it lies on is no part of it, nor a post that it is pinned around.
  const std::string ground = "[[collider]]\nshape = { box = { min = [0, 0, 0], max = [1, 0.3, 1] } }\n";
  EXPECT_NO_THROW(make(tank(300, ground + kCoupled)));
  const std::string post =
      "[[collider]]\nshape = { box = { min = [0.4, 0.5, 0.4], max = [0.6, 0.8, 0.6] } }\n";
  EXPECT_NO_THROW(build(test::parsed(tank(
      300, "pin = [ { box = { min = [0.3, 0.57, 0.3], max = [0.7, 0.6, 0.7] } } ]\n" + post + kCoupled))));
}

TEST(LiquidElastic, ABodyCanStartStretchedAboutItsMiddle) {
  sim::World world = build(test::parsed(tank(300, kCoupled), {"block.stretch=[0.5, 0.5, 0.5]"}));
  Vec3 low = Vec3::Constant(1e9), high = -low;
  for (const Vec3& x : block_of(world).positions) low = low.cwiseMin(x), high = high.cwiseMax(x);
  EXPECT_LT((high - low - Vec3::Constant(0.14)).norm(), 1e-12);
  EXPECT_LT((0.5 * (high + low) - Vec3(0.5, 0.44, 0.51)).norm(), 1e-12);
}

TEST(LiquidElastic, TwoBodiesWithoutALiquidAreRefused) {
  const std::string text = tank(300, R"(
[[elastic]]
name = "other"
mesh = { tet_box = { min = [0.1, 0.3, 0.37], max = [0.2, 0.4, 0.5], divisions = [1, 1, 1] } }
[[coupling]]
kind = "liquid-elastic"
between = ["other", "block"]
)");
  const std::string said = test::refusal(text);
  EXPECT_NE(said.find("name one [[liquid]] and one [[elastic]] body"), std::string::npos) << said;
}

// As a user would write it: a box is solid, and --set names what it means.
TEST(SceneLiquidElastic, ABeamInADamBreakRunsAsWritten) {
  const std::string text = R"(
[scene]
name    = "dam-break-beam"
fps     = 30
frames  = 90
gravity = [0, -9.81, 0]

[[liquid]]
name   = "water"
domain = { min = [0, 0, 0], max = [1, 1, 1], cells = 48 }
fill   = [ { box = { min = [0, 0, 0], max = [0.3, 0.6, 1] } } ]

[[elastic]]
name  = "beam"
mesh  = { box = { min = [0.55, 0.05, 0.46], max = [0.63, 0.61, 0.54], divisions = [4, 28, 4] } }
young = 2e5
poisson = 0.3
density = 900
pin   = [ { box = { min = [0.5, 0.6, 0.4], max = [0.7, 0.7, 0.6] } } ]

[[coupling]]
kind    = "liquid-elastic"
between = ["water", "beam"]
)";
  sim::World world = build(test::parsed(text, {"water.cells=16"}));
  for (int n = 0; n < 3; ++n) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_NEAR(world.time(), 0.1, 1e-12);
}

}  // namespace
}  // namespace selkie::scene
