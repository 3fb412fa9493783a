// A vertex that is pinned while a world runs stays where it is, also in a body with pins that follow a
// formula; and steps that a user fixes: how long they are, and what is said when they are too long.
#include <algorithm>

#include "selkie/sim/system.h"
#include "small_scene.h"

namespace selkie::scene {
namespace {

using test::parsed;

constexpr std::uint32_t kFree = 11;  // a corner of the block's lower side that no pin of the scene holds

// A block whose left side is carried to and fro, and which falls on the right.
std::string driven(const std::string& kind) {
  const std::string mesh =
      "mesh = { tet_box = { min = [-0.2, 0, -0.2], max = [0.2, 0.3, 0.2], divisions = [2, 1, 2] } }\n";
  return "[scene]\nfps = 60\n[[" + kind + "]]\nname = \"body\"\ndensity = 500\n" +
         (kind == "shape_matching" ? "[[shape_matching.body]]\n" : "") + mesh + "[[" + kind + ".pin]]\n" +
         "box = { min = [-0.3, -0.1, -0.3], max = [-0.15, 0.4, 0.3] }\n" +
         "motion = { translate = [\"0.05*sin(8*t)\", \"0\", \"0\"] }\n";
}

Vec3 place(sim::World& world, std::uint32_t vertex) {
  for (const ArrayRef& array : world.find("body")->state())
    if (array.name == "positions") {
      const double* x = static_cast<const double*>(array.data) + 3 * std::size_t{vertex};
      return {x[0], x[1], x[2]};
    }
  ADD_FAILURE() << "no positions";
  return Vec3::Zero();
}

class Pin : public testing::TestWithParam<const char*> {};

TEST_P(Pin, AVertexPinnedDuringARunStaysWhereItIsThoughOthersAreDriven) {
  sim::World world = build(parsed(driven(GetParam())));
  const Vec3 start = place(world, kFree);
  for (int n = 0; n < 12; ++n) ASSERT_TRUE(world.sync_step().ok);
  const Vec3 here = place(world, kFree);
  ASSERT_GT((here - start).norm(), 0.01) << "it hangs by now";
  Value vertex;
  vertex["vertex"].data = std::int64_t{kFree};
  world.apply_now({world.now(), "body", "pin", vertex});
  for (int n = 0; n < 6; ++n) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_EQ((place(world, kFree) - here).norm(), 0);
  world.apply_now({world.now(), "body", "unpin", vertex});
  for (int n = 0; n < 6; ++n) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_GT((place(world, kFree) - here).norm(), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(All, Pin,
                         testing::Values("mass_spring", "elastic", "position_based", "shape_matching"),
                         [](const auto& made) { return std::string(made.param); });

std::string with_step(const std::string& integrator, double step) {
  return "[scene]\nfps = 60\n" + test::kCloth + "pin = [{ vertices = [0] }]\nintegrator = \"" + integrator +
         "\"\nstep = " + std::to_string(step) + "\n";
}

// 1/60 s is cut into the fewest equal sub-steps that are no longer than `step`.
TEST(FixedStep, IsTheLongestSubStepAndCutsTheSyncStepEvenly) {
  const std::vector<std::pair<double, int>> steps{{0.004, 5}, {0.0011, 16}, {0.1, 1}};
  for (const auto& [step, count] : steps) {
    sim::World world = build(parsed(with_step("implicit-euler", step)));
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok);
    EXPECT_EQ(report.systems.at(0).substeps, count) << step;
  }
}

TEST(FixedStep, BeyondTheLimitOfStabilityIsWarnedOf) {
  auto warning = [](const std::string& text) {
    return build(parsed(text)).find("cloth")->estimate().warning;
  };
  EXPECT_NE(warning(with_step("rk4", 0.5)).find("its 'step' of 0.5 s is beyond the"), std::string::npos);
  EXPECT_EQ(warning(with_step("rk4", 1e-4)), "");
  EXPECT_EQ(warning(with_step("implicit-euler", 0.5)), "");
}

}  // namespace
}  // namespace selkie::scene
