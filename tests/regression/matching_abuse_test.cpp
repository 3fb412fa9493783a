// What no user should do to shape-matched bodies, and every user does (RT-02): nothing may become infinite,
// energy must not rise again once the event is over, and bodies must be at rest in their own shape within
// 5 s.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "selkie/scene/scene.h"
#include "selkie/sim/systems/shape_matching_system.h"
#include "selkie/solids/shape_matching/diagnostics.h"

namespace selkie {
namespace {

namespace fs = std::filesystem;

struct Abuse {
  std::string name;
  std::string scene;   // after the floor
  double event;        // s, when it is over
  double after = 0.1;  // s, until energy that is not counted, of a pressed shape, has turned into motion
};

// s: while bodies are led apart at 2 m/s, one of them is lifted.
constexpr double kParting = 0.5;

const std::string kFloor = R"([[collider]]
name  = "floor"
shape = { plane = {} }
)";

std::string jelly(const std::string& mode, const std::string& more, double height = 0.06) {
  return "[[shape_matching]]\nname = \"jelly\"\ndamping = 5\nmode = \"" + mode + "\"\n" + more +
         "[[shape_matching.body]]\nmesh = { tet_box = { min = [-0.2, " + std::to_string(height) +
         ", -0.2], max = [0.2, " + std::to_string(height + 0.4) + ", 0.2], divisions = [4, 4, 4] } }\n";
}

std::vector<Abuse> abuses(const std::string& mode) {
  const std::string at_60 = "[scene]\nfps = 60\n" + kFloor;
  return {{"teleport", at_60 + R"([[collider]]
shape  = { box = { min = [10.1, 0, -0.4], max = [10.6, 0.5, 0.4] } }
motion = { translate = ["t < 0.5 ? 0 : -10", "0", "0"] }
)" + jelly(mode, ""),
           0.55},
          {"whole overlap",
           at_60 + jelly(mode, "") +
               "[[shape_matching.body]]\nmesh = { tet_box = { min = [-0.2, 0.06, -0.2], max = [0.2, 0.46, "
               "0.2], divisions = [4, 4, 4] } }\n",
           0, kParting},
          {"half overlap",
           at_60 + jelly(mode, "") +
               "[[shape_matching.body]]\nmesh = { tet_box = { min = [0, 0.06, -0.2], max = [0.4, 0.46, 0.2], "
               "divisions = [4, 4, 4] } }\n",
           0, kParting},
          {"long steps", "[scene]\nfps = 6\n" + kFloor + jelly(mode, "", 0.6), 0.5},
          {"huge gravity",
           "[scene]\nfps = 60\ninputs = \"inputs/abuse-gravity.toml\"\n" + kFloor + jelly(mode, ""), 0.55}};
}

sim::ShapeMatchingSystem& body(sim::World& world) {
  return dynamic_cast<sim::ShapeMatchingSystem&>(*world.find("jelly"));
}

// What a body's own weight does to its shape.
double calm_error(const std::string& mode) {
  sim::World world =
      scene::build(scene::parse("[scene]\nfps = 60\n" + kFloor + jelly(mode, ""), "calm.toml", "."));
  while (world.time() < 5) EXPECT_TRUE(world.sync_step().ok);
  return shape_matching::diagnose(body(world).model(), Vec3(0, -9.81, 0), body(world).live_state())
      .shape_error;
}

class MatchingUnderAbuse : public testing::TestWithParam<std::tuple<int, std::string>> {};

TEST_P(MatchingUnderAbuse, StaysFiniteCalmsDownAndGetsItsShapeBack) {
  const Abuse abuse = abuses(std::get<1>(GetParam()))[static_cast<std::size_t>(std::get<0>(GetParam()))];
  SCOPED_TRACE(abuse.name);
  sim::World world =
      scene::build(scene::parse(abuse.scene, "abuse.toml", fs::path(SELKIE_SOURCE_DIR) / "scenes"));
  double highest_after = 0, first_after = -1;
  while (world.time() < abuse.event + 5) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
    const auto d = shape_matching::diagnose(body(world).model(), Vec3(0, -9.81, 0), body(world).live_state());
    const double energy = d.kinetic_energy + d.gravitational_energy;
    ASSERT_TRUE(std::isfinite(energy) && std::isfinite(d.shape_error));
    if (world.time() < abuse.event + abuse.after) continue;
    if (first_after < 0) first_after = energy;
    highest_after = std::max(highest_after, energy);
  }
  const auto d = shape_matching::diagnose(body(world).model(), Vec3(0, -9.81, 0), body(world).live_state());
  EXPECT_LE(highest_after, 1.05 * first_after) << "nothing gains energy any more";
  EXPECT_LT(d.max_speed, 0.05);
  EXPECT_LT(d.shape_error, calm_error(std::get<1>(GetParam())) + 0.01);
}

INSTANTIATE_TEST_SUITE_P(All, MatchingUnderAbuse,
                         testing::Combine(testing::Range(0, 5),
                                          testing::Values("rigid", "linear", "quadratic")),
                         [](const auto& made) {
                           return "abuse" + std::to_string(std::get<0>(made.param)) + "_" +
                                  std::get<1>(made.param);
                         });

}  // namespace
}  // namespace selkie
