// Every shipped scene at a small size, and every integrator on a small sheet: finite, the same bits for one
// and two threads, independent of what scratch memory holds, and continued bit for bit from a checkpoint.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "selkie/core/parallel.h"
#include "selkie/scene/scene.h"
#include "selkie/sim/checkpoint.h"
#include "support/temporary_folder.h"

namespace selkie {
namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 5;
// Cloth that meets a ball after 5 ms.
std::string hanging_sheet(int divisions) {
  const std::string n = std::to_string(divisions);
  return R"(
[[mass_spring]]
name = "cloth"
stiffness = 80
pin = [{ box = { min = [-0.6, -0.1, -0.6], max = [-0.45, 0.1, 0.6] } }]
mesh = { sheet = { size = [1, 1], divisions = [)" +
         n + ", " + n + R"(] } }
[[collider]]
shape = { ball = { center = [0.3, -0.3001, 0], radius = 0.3 } }
)";
}

void advance(sim::World& world, std::int64_t frames) {
  while (world.frame() < frames) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
  }
}

bool all_finite(sim::World& world) {
  for (const auto& system : world.systems())
    for (const ArrayRef& array : system->state()) {
      auto finite = [&](auto zero) {
        using Real = decltype(zero);
        const auto* values = static_cast<const Real*>(array.data);
        return std::all_of(values, values + array.bytes() / sizeof(Real),
                           [](Real x) { return std::isfinite(x); });
      };
      if (array.scalar == Scalar::f64 && !finite(0.0)) return false;
      if (array.scalar == Scalar::f32 && !finite(0.0f)) return false;
    }
  return true;
}

std::string hash_with_threads(const scene::Scene& scene, std::int64_t frames, int threads) {
  set_thread_count(threads);
  sim::World world = scene::build(scene);
  advance(world, frames);
  set_thread_count(0);
  return world.hash().hex();
}

// Rigid bodies and nothing that costs much: long enough for dominoes to fall, walls to be hit and dolls to land.
bool is_rigid(const scene::Scene& scene) {
  return !scene.description.rigid.empty() && scene.description.liquid.empty() &&
         scene.description.shallow_water.empty();
}

std::int64_t frames_of(const scene::Scene& scene) { return is_rigid(scene) ? 60 : kFrames; }

std::size_t touches(sim::World& world) {
  for (const ArrayRef& array : world.find("thrown")->state())
    if (array.name == "contact_pairs") return array.count;
  return 0;
}

void expect_reproducible(const scene::Scene& scene, std::int64_t frames) {
  sim::World world = scene::build(scene);
  advance(world, frames);
  EXPECT_TRUE(all_finite(world));
  if (is_rigid(scene) && scene.description.rigid.size() > 1) {
    EXPECT_GT(touches(world), 0u) << "too short for bodies to meet";
  }
  const std::string hash = world.hash().hex();
  EXPECT_EQ(hash_with_threads(scene, frames, 1), hash);
  EXPECT_EQ(hash_with_threads(scene, frames, 2), hash);

  sim::World poisoned = scene::build(scene);
  poisoned.set_poison_work(true);
  advance(poisoned, frames);
  EXPECT_EQ(poisoned.hash().hex(), hash) << "scratch memory influences the result";

  const test::TemporaryFolder folder;
  sim::World first = scene::build(scene);
  advance(first, frames / 2);
  sim::save_checkpoint(first, {}, folder / "checkpoint.h5");
  sim::World second = scene::build(scene);
  sim::load_checkpoint(second, folder / "checkpoint.h5");
  EXPECT_EQ(second.hash().hex(), first.hash().hex());
  advance(second, frames);
  EXPECT_EQ(second.hash().hex(), hash) << "a checkpoint forgets something";
}

std::vector<fs::path> shipped_scenes() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(SELKIE_SOURCE_DIR) / "scenes"))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string identifier(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return text;
}

// Scenes whose scale 1 is the size of their source are shipped at a smaller one.
double shipped_scale(const fs::path& file) {
  std::ifstream text(file);
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("scale")) return std::stod(line.substr(line.find('=') + 1));
  return 1;
}

class ShippedScene : public testing::TestWithParam<fs::path> {};

TEST_P(ShippedScene, IsFiniteAndReproducible) {
  const std::vector<std::string> small{"scene.scale=" + std::to_string(std::min(0.3, 0.4 * shipped_scale(GetParam())))};
  const scene::Scene scene = scene::load(GetParam(), small);
  expect_reproducible(scene, frames_of(scene));
}

INSTANTIATE_TEST_SUITE_P(All, ShippedScene, testing::ValuesIn(shipped_scenes()),
                         [](const auto& made) { return identifier(made.param.stem().string()); });

std::vector<std::string> integrators() { return type_of<mass_spring::Integrator>().choices; }

class EveryIntegrator : public testing::TestWithParam<std::string> {};

TEST_P(EveryIntegrator, IsFiniteAndReproducibleOnAHangingSheet) {
  const std::vector<std::string> setting{"cloth.integrator=" + GetParam()};
  expect_reproducible(scene::parse(hanging_sheet(6), "sheet.toml", ".", setting), kFrames);
}

// More vertices than a block of the parallel loops and sums holds; short frames, for explicit Euler needs 10⁵
// steps a second.
TEST_P(EveryIntegrator, IsFiniteAndReproducibleOnASheetOfSeveralBlocks) {
  const std::vector<std::string> setting{"cloth.integrator=" + GetParam(), "scene.fps=300"};
  static_assert(65 * 65 > kDefaultBlock);
  expect_reproducible(scene::parse(hanging_sheet(64), "sheet.toml", ".", setting), 2);
}

INSTANTIATE_TEST_SUITE_P(All, EveryIntegrator, testing::ValuesIn(integrators()),
                         [](const auto& made) { return identifier(made.param); });

}  // namespace
}  // namespace selkie
