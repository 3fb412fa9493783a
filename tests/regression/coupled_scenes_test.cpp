// Shipped scenes of a liquid and bodies in one solve, small but long enough that the liquid pushes the
// bodies: what each is there to show happens (LE-50, [Zarifi17 tab. 6.1]), bits do not depend on threads, and
// a checkpoint in the middle goes on with the same. Bounds leave about half of what was measured at the size
// of the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "selkie/core/parallel.h"
#include "selkie/scene/scene.h"
#include "selkie/sim/checkpoint.h"
#include "selkie/sim/systems/elastic_system.h"
#include "selkie/sim/systems/liquid_system.h"
#include "selkie/sim/systems/rigid_system.h"
#include "support/temporary_folder.h"

namespace selkie {
namespace {

namespace fs = std::filesystem;

scene::Scene shipped(const std::string& name, double scale) {
  const std::vector<std::string> small{"scene.scale=" + std::to_string(scale)};
  return scene::load(fs::path(SELKIE_SOURCE_DIR) / "scenes" / (name + ".toml"), small);
}

// What was measured, in the report that --gtest_output=xml writes.
void note(const char* what, double value) { testing::Test::RecordProperty(what, std::to_string(value)); }

using Look = std::function<void(sim::World& world)>;
void advance(sim::World& world, std::int64_t frames, const Look& look = {}) {
  while (world.frame() < frames) {
    const std::int64_t frame = world.frame();
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
    if (look && world.frame() != frame) look(world);
  }
}

// Shows each frame; one thread is to reach the same bits in the frame `compared`.
void watch(const scene::Scene& scene, std::int64_t frames, std::int64_t compared, const Look& look) {
  set_thread_count(2);
  sim::World world = scene::build(scene);
  advance(world, compared, look);
  const std::string hash = world.hash().hex();
  advance(world, frames, look);
  set_thread_count(1);
  sim::World alone = scene::build(scene);
  advance(alone, compared);
  set_thread_count(0);
  EXPECT_EQ(alone.hash().hex(), hash) << "bits depend on threads";
}

void expect_resumes(const scene::Scene& scene, std::int64_t middle, std::int64_t frames) {
  const test::TemporaryFolder folder;
  sim::World first = scene::build(scene), second = scene::build(scene);
  advance(first, middle);
  sim::save_checkpoint(first, {}, folder / "checkpoint.h5");
  sim::load_checkpoint(second, folder / "checkpoint.h5");
  advance(first, frames), advance(second, frames);
  EXPECT_EQ(second.hash().hex(), first.hash().hex()) << "a checkpoint forgets something";
}

sim::ElasticSystem& elastic(sim::World& world, const char* name) {
  return dynamic_cast<sim::ElasticSystem&>(*world.find(name));
}
const rigid::State& rigids(sim::World& world) {
  return dynamic_cast<sim::RigidSystem&>(*world.find(sim::kThrown)).live_state();
}

// Mean place now of the vertices that start where `chosen` says.
using Choice = std::function<bool(const Vec3& start)>;
Vec3 middle_of(sim::World& world, const char* name, const std::vector<Vec3>& start, const Choice& chosen) {
  const fem::State& state = elastic(world, name).live_state();
  Vec3 sum = Vec3::Zero();
  int count = 0;
  for (std::size_t v = 0; v < start.size(); ++v)
    if (chosen(start[v])) sum += state.positions[v], ++count;
  EXPECT_GT(count, 0);
  return sum / count;
}
Vec3 middle_of(sim::World& world, const char* name) {
  const fem::State& state = elastic(world, name).live_state();
  Vec3 sum = Vec3::Zero();
  for (const Vec3& x : state.positions) sum += x;
  return sum / static_cast<double>(state.positions.size());
}
std::vector<Vec3> start_of(const scene::Scene& scene, const char* name) {
  sim::World world = scene::build(scene);
  const auto places = std::as_const(elastic(world, name).live_state()).positions.span();
  return {places.begin(), places.end()};
}
double lowest(sim::World& world, const char* name) {
  double least = 1e300;
  for (const Vec3& x : elastic(world, name).live_state().positions) least = std::min(least, x.y());
  return least;
}

// Volumes over those at rest: of the whole body of tetrahedra, and least and largest of its elements.
struct Volumes {
  double whole = 0, least = 1e300, most = -1e300;
};
Volumes volumes_of(sim::World& world, const char* name) {
  const fem::Model& model = elastic(world, name).model();
  const fem::State& state = elastic(world, name).live_state();
  Volumes out;
  double rest = 0;
  for (std::size_t e = 0; e < model.element_count; ++e) {
    Mat3 sides;
    for (int c = 0; c < 3; ++c)
      sides.col(c) = state.positions[model.corner(e, static_cast<std::size_t>(c) + 1)] -
                     state.positions[model.corner(e, 0)];
    const double ratio = (sides * fem::inverse_rest_of<3>(model, e)).determinant();
    out.least = std::min(out.least, ratio), out.most = std::max(out.most, ratio);
    out.whole += ratio * model.element_volume(e), rest += model.element_volume(e);
  }
  out.whole /= rest;
  return out;
}

// Share of the water where `chosen` says.
double water_share(sim::World& world, const Choice& chosen) {
  auto& water = dynamic_cast<sim::LiquidSystem&>(*world.find("water"));
  const auto& particles = water.live_state().particles;
  const double cell = water.model().shape.cell_size();
  const Vec3 origin = water.model().shape.origin();
  const bool flat = water.model().shape.dims() == 2;
  double count = 0;
  for (std::size_t p = 0; p < particles.size(); ++p)
    count += chosen(origin + cell * Vec3(particles.x[p], particles.y[p], flat ? 0 : particles.z[p]));
  return count / static_cast<double>(particles.size());
}

TEST(CoupledScene, DamBreakBendsTheBeamAlongTheFlow) {
  const scene::Scene scene = shipped("dam-break-beam", 0.2);
  const auto start = start_of(scene, "beam");
  double bent = 0;
  watch(scene, 16, 16, [&](sim::World& world) {
    bent = std::max(bent,
                    middle_of(world, "beam", start, [](const Vec3& x) { return x.y() < 0.06; }).x() - 0.59);
  });
  note("bent", bent);
  EXPECT_GT(bent, 0.09);  // m, of its 0.56; measured 0.206
  expect_resumes(scene, 8, 12);
}

TEST(CoupledScene, OfThreeBallsTheLightOneLeavesTheWaterAndTheHeavyOneSinks) {
  double leaves = 0, even = 0, heavy = 0;
  watch(shipped("buoyancy", 0.2), 18, 12, [&](sim::World& world) {
    leaves = std::max(leaves, lowest(world, "light-ball"));
    even = middle_of(world, "even-ball").y(), heavy = middle_of(world, "heavy-ball").y();
  });
  note("leaves", leaves), note("heavy", heavy), note("even", even);
  EXPECT_GT(leaves, 0.6);  // m: the level; measured 0.661
  EXPECT_LT(heavy, 0.13);  // radius 0.11, let go at 0.3; measured 0.096
  EXPECT_GT(even, 0.2);    // sinks slowly, as pressure makes it denser; measured 0.264
  EXPECT_LT(even, 0.3);
}

TEST(CoupledScene, ACubeOfAnEighthOfItsVolumeExpandsAndFloats) {
  const scene::Scene scene = shipped("compressed-cube", 0.2);
  {
    sim::World world = scene::build(scene);
    EXPECT_NEAR(volumes_of(world, "cube").whole, 0.125, 1e-12);
  }
  double height = 0, volume = 0;
  watch(scene, 50, 10, [&](sim::World& world) {
    if (world.frame() > 30) height += middle_of(world, "cube").y() / 20;
    volume = volumes_of(world, "cube").whole;
  });
  // Water of 0.56 m with 0.35 of the cube of 0.34 m in it: its middle at 0.61, about which it swings.
  // Measured 0.587, volume 0.987.
  note("height", height), note("volume", volume);
  EXPECT_NEAR(height, 0.61, 0.06);
  EXPECT_GT(volume, 0.85);
}

TEST(CoupledScene, AHollowBallThrownByTheWaterInItBouncesOffTheWall) {
  double furthest = 0, back = 1;
  watch(shipped("fluid-in-sphere-fast", 0.16), 13, 7, [&](sim::World& world) {
    double right = 0;
    for (const Vec3& x : elastic(world, "shell").live_state().positions) right = std::max(right, x.x());
    furthest = std::max(furthest, right);
    back = middle_of(world, "shell").x();
  });
  note("furthest", furthest), note("back", back);
  EXPECT_GT(furthest, 0.98);  // m: the wall is at 1
  EXPECT_LT(back, 0.74);      // from the wall, where its middle is at 0.81; measured 0.65
}

TEST(CoupledScene, AHollowBallBouncesTowardsTheSideWithWater) {
  double deepest = 1, aside = 0, height = 0;
  watch(shipped("fluid-in-sphere-uneven", 0.3), 14, 8, [&](sim::World& world) {
    const Vec3 middle = middle_of(world, "shell");
    deepest = std::min(deepest, middle.y()), aside = middle.x() - 0.5, height = middle.y();
  });
  note("height", height), note("deepest", deepest), note("aside", aside);
  EXPECT_GT(height - deepest, 0.08);  // m; measured 0.16
  EXPECT_GT(aside, 0.007);            // measured 0.022
}

TEST(CoupledScene, ASoftPlatformSagsInTheMiddleAndHoldsThePool) {
  const scene::Scene scene = shipped("soft-platform", 0.3);
  const auto start = start_of(scene, "platform");
  double sags = 0, held = 0, pooled = 0;
  watch(scene, 40, 12, [&](sim::World& world) {
    auto inner = [](const Vec3& x) { return std::abs(x.x() - 0.5) < 0.1 && std::abs(x.z() - 0.5) < 0.1; };
    sags = std::max(sags, 0.56 - middle_of(world, "platform", start, inner).y());
    if (world.frame() < 40) return;
    held = water_share(world, [](const Vec3& x) { return x.y() > 0.15; });
    pooled = water_share(world, [](const Vec3& x) {
      return x.y() > 0.15 && std::abs(x.x() - 0.5) < 0.3 && std::abs(x.z() - 0.5) < 0.3;
    });
  });
  note("sags", sags), note("held", held), note("pooled", pooled);
  EXPECT_GT(sags, 0.12);    // m; measured 0.26
  EXPECT_GT(held, 0.8);     // measured 0.95
  EXPECT_GT(pooled, 0.65);  // measured 0.86
}

TEST(CoupledScene, WaterBendsASlopedPanelAndSlidesOff) {
  const scene::Scene scene = shipped("sloped-panel", 0.24);
  const auto start = start_of(scene, "panel");
  auto inner = [](const Vec3& x) { return std::abs(x.z() - 0.5) < 0.1; };
  double before = 0, bent = 0, back = 1, off = 0;
  {
    sim::World world = scene::build(scene);
    before = middle_of(world, "panel", start, inner).y();
  }
  watch(scene, 30, 12, [&](sim::World& world) {
    const double sinks = before - middle_of(world, "panel", start, inner).y();
    if (sinks > bent)
      bent = back = sinks;
    else
      back = std::min(back, sinks);
    off = water_share(world, [](const Vec3& x) { return x.y() < 0.25; });
  });
  note("bent", bent), note("back", back), note("off", off);
  EXPECT_GT(bent, 0.07);        // m; measured 0.13
  EXPECT_LT(back, 0.3 * bent);  // springs back; measured -0.1
  EXPECT_GT(off, 0.7);          // measured 0.95
}

TEST(CoupledScene, ALightToyIsLiftedAndCarried) {
  const scene::Scene scene = shipped("light-toy", 0.2);
  double first = 0, carried = 0, lifted = 0;
  {
    sim::World world = scene::build(scene);
    first = middle_of(world, "toy").x();
  }
  watch(scene, 18, 12, [&](sim::World& world) {
    carried = std::max(carried, middle_of(world, "toy").x() - first);
    lifted = std::max(lifted, lowest(world, "toy"));
  });
  note("carried", carried), note("lifted", lifted);
  EXPECT_GT(carried, 0.12);  // m; measured 0.27
  EXPECT_GT(lifted, 0.05);   // measured 0.15
}

TEST(CoupledScene, InThePlaneWaterBendsAGateAndPoursOver) {
  const scene::Scene scene = shipped("flat-gate", 0.4);
  const auto start = start_of(scene, "gate");
  double bent = 0, over = 0;
  watch(scene, 24, 24, [&](sim::World& world) {
    bent =
        std::max(bent, middle_of(world, "gate", start, [](const Vec3& x) { return x.y() > 0.31; }).x() - 0.8);
    over = water_share(world, [](const Vec3& x) { return x.x() > 1; });
  });
  note("bent", bent), note("over", over);
  EXPECT_GT(bent, 0.09);  // m; measured 0.22
  EXPECT_GT(over, 0.12);  // measured 0.29
}

TEST(CoupledScene, AStiffLightBeamKeepsItsShapeInLongSteps) {
  Volumes worst{1, 1, 1};
  double way = 0;
  watch(shipped("stiff-beam-modes", 0.5), 24, 12, [&](sim::World& world) {
    const Volumes now = volumes_of(world, "beam");
    worst.least = std::min(worst.least, now.least), worst.most = std::max(worst.most, now.most);
    way = std::max(way, (middle_of(world, "beam") - Vec3(0.55, 0.4, 0.5)).norm());
  });
  note("worstleast", worst.least), note("worstmost", worst.most), note("way", way);
  EXPECT_GT(worst.least, 0.3);  // measured 0.64
  EXPECT_LT(worst.most, 2);     // measured 1.09
  EXPECT_GT(way, 0.15);         // m: the wave carries it; measured 0.31
}

TEST(CoupledScene, CratesFloatAsTheirWeightAsksAndAStoneLiesOnTheGround) {
  const scene::Scene scene = shipped("floating-crates", 0.25);
  Vec3 heights = Vec3::Zero();  // of the light crate, the other one, the stone; means of the second half
  watch(scene, 40, 20, [&](sim::World& world) {
    if (world.frame() > 20)
      for (std::size_t b = 0; b < 3; ++b) heights[static_cast<int>(b)] += rigids(world).positions[b].y() / 20;
  });
  note("heights0", heights[0]), note("heights1", heights[1]);
  EXPECT_GT(heights[0], 0.36);  // m: the level without waves is 0.39; measured 0.46
  EXPECT_GT(heights[1], 0.3);   // measured 0.39
  EXPECT_GT(heights[0], heights[1]);
  EXPECT_NEAR(heights[2], 0.08, 0.005);
  expect_resumes(scene, 10, 16);
}

TEST(CoupledScene, CratesLieOnARaftThatFloats) {
  double pressed = 0, raft = 0;
  Vec3 crate = Vec3::Zero(), light = Vec3::Zero();
  watch(shipped("crates-on-raft", 0.3), 28, 14, [&](sim::World& world) {
    raft = middle_of(world, "raft").y();
    pressed = std::max(pressed, 0.42 - raft);
    crate = rigids(world).positions[0], light = rigids(world).positions[1];
  });
  note("pressed", pressed), note("raft", raft), note("cratey", crate.y()), note("lighty", light.y());
  EXPECT_GT(pressed, 0.01);                   // m; measured 0.018
  EXPECT_NEAR(raft, 0.42, 0.03);              // measured 0.419
  EXPECT_NEAR(crate.y(), raft + 0.13, 0.02);  // half of both, 0.05 and 0.08; measured 0.123
  EXPECT_NEAR(light.y(), raft + 0.115,
              0.04);  // it has rolled to the edge, where the raft hangs; measured 0.084
}

}  // namespace
}  // namespace selkie
