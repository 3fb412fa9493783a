// A liquid and an elastic body in one solve, from a scene: buoyancy, what is refused, threads. [LE-36, LE-37,
// LE-43]
#include <array>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/sim/systems/elastic_system.h"
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

}  // namespace
}  // namespace selkie::scene
