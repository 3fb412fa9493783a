// Stiffness that no explicit method would survive: springs a million times the default. Every solve must
// reach its tolerance, nothing may be retried, and the sheet must stretch less, not more.
#include <gtest/gtest.h>

#include "selkie/scene/scene.h"

namespace selkie {
namespace {

struct Outcome {
  double max_stretch = 0;
  double max_residual = 0;
  int retries = 0;
};

Outcome run(const std::string& scene, const std::vector<std::string>& settings, const std::string& system,
            int frames) {
  sim::World world =
      scene::build(scene::load(std::string(SELKIE_SOURCE_DIR) + "/scenes/" + scene + ".toml", settings));
  Outcome outcome;
  while (world.frame() < frames) {
    const sim::SyncReport report = world.sync_step();
    EXPECT_TRUE(report.ok) << report.trouble;
    if (!report.ok) break;
    outcome.retries += report.retries;
    outcome.max_residual = std::max(outcome.max_residual, report.systems[0].step.residual);
    for (const auto& [name, value] : report.systems[0].figures)
      if (name == "max_stretch") outcome.max_stretch = std::max(outcome.max_stretch, value);
  }
  EXPECT_EQ(world.systems()[0]->name(), system);
  return outcome;
}

TEST(StiffSprings, AMillionTimesTheDefaultStretchesASheetLess) {
  const Outcome soft = run("hanging-sheet", {"scene.scale=0.25"}, "cloth", 60);
  const Outcome stiff = run("hanging-sheet", {"scene.scale=0.25", "cloth.stiffness=1e9"}, "cloth", 60);
  EXPECT_GT(soft.max_stretch, 0.01);
  EXPECT_LT(soft.max_stretch, 0.10);
  EXPECT_LT(stiff.max_stretch, soft.max_stretch);
  EXPECT_LE(soft.max_residual, 1e-6);
  EXPECT_LE(stiff.max_residual, 1e-6);
  EXPECT_EQ(soft.retries + stiff.retries, 0);
}

TEST(StiffSprings, AMillionTimesTheDefaultStretchesABlockLess) {
  const Outcome soft = run("jelly-block", {"scene.scale=0.4"}, "jelly", 60);
  const Outcome stiff = run("jelly-block", {"scene.scale=0.4", "jelly.stiffness=1e9"}, "jelly", 60);
  EXPECT_LT(stiff.max_stretch, soft.max_stretch);
  EXPECT_LE(soft.max_residual, 1e-6);
  EXPECT_LE(stiff.max_residual, 1e-6);
  EXPECT_EQ(soft.retries + stiff.retries, 0);
}

}  // namespace
}  // namespace selkie
