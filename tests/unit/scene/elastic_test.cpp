// [[elastic]]: building, refusals, and what a user may do to a body.
#include "selkie/sim/systems/elastic_system.h"
#include "small_scene.h"

namespace selkie::scene {
namespace {

using test::parsed;
using test::refusal;

const std::string kBlock = R"([[elastic]]
name = "block"
mesh = { tet_box = { divisions = [2, 2, 2] } }
)";

sim::ElasticSystem& body(sim::World& world) {
  return dynamic_cast<sim::ElasticSystem&>(*world.find("block"));
}

TEST(SceneElastic, TetrahedraAndFlatTrianglesBecomeBodies) {
  sim::World solid = build(parsed(kBlock + "density = 500\nvelocity = [1, 0, 0]\n"));
  EXPECT_EQ(body(solid).model().element_count, 48u);
  EXPECT_NEAR(fem::total_mass(body(solid).model()), 500, 1e-10);
  EXPECT_EQ(body(solid).live_state().velocities[3], Vec3(1, 0, 0));
  EXPECT_EQ(body(solid).kind(), "elastic");

  const std::string plate =
      "[[elastic]]\nname = \"block\"\nthickness = 0.5\n"
      "mesh = { sheet = { u = [1, 0, 0], v = [0, 1, 0], divisions = [3, 2] } }\n";
  sim::World flat = build(parsed(plate));
  EXPECT_EQ(body(flat).model().dimension, 2);
  EXPECT_NEAR(fem::total_mass(body(flat).model()), 500, 1e-10);
}

TEST(SceneElastic, WhatHasNoElementsOrImpossibleConstantsIsRefusedWithItsPlace) {
  const std::string head = "[[elastic]]\nname = \"block\"\n";
  EXPECT_NE(refusal(head + "mesh = { icosphere = {} }\n").find("s.toml:3"), std::string::npos);
  EXPECT_NE(refusal(head + "mesh = { icosphere = {} }\n").find("plane strain"), std::string::npos);
  EXPECT_NE(refusal(head + "mesh = { sheet = {} }\n").find("plane"), std::string::npos);
  EXPECT_NE(refusal(head + "mesh = { chain = {} }\n").find("[[mass_spring]]"), std::string::npos);
  EXPECT_NE(refusal(kBlock + "poisson = 0.5\n").find("compressed"), std::string::npos);
  EXPECT_NE(refusal(kBlock + "young = -1\n").find("out of range"), std::string::npos);
  EXPECT_NE(refusal(kBlock + "density = 0\n").find("out of range"), std::string::npos);
  EXPECT_NE(
      refusal(kBlock + "pin = [{ ball = { center = [9, 9, 9], radius = 1 } }]\n").find("holds no vertex"),
      std::string::npos);
}

TEST(SceneElastic, PinsFollowTheirMotion) {
  sim::World world = build(parsed("[scene]\nfps = 10\n" + kBlock + R"(young = 1e5
pin = [{ half_space = { point = [-0.4, 0, 0], normal = [1, 0, 0] }, motion = { translate = ["t", "0", "0"] } }]
)"));
  for (int n = 0; n < 10; ++n) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
  }
  int held = 0;
  for (std::size_t i = 0; i < body(world).live_state().pinned.size(); ++i) {
    if (!body(world).live_state().pinned[i]) continue;
    ++held;
    EXPECT_NEAR(body(world).live_state().positions[i].x(), 0.5, 1e-12);
  }
  EXPECT_EQ(held, 9);
}

TEST(SceneElastic, BodiesAreGrabbedKickedAndLetGo) {
  sim::World world = build(parsed(kBlock));
  auto apply = [&](const char* action, Value arguments) {
    body(world).apply({0, "block", action, std::move(arguments)});
  };
  auto vector = [](double x, double y, double z) { return ValueArray{Value{x}, Value{y}, Value{z}}; };
  fem::State& state = body(world).live_state();
  Value kick, grip;
  kick["velocity"].data = vector(2, 0, 0);
  grip["point"].data = vector(0.5, 0.5, 0.5);
  grip["target"].data = vector(1, 1, 1);
  apply("kick", kick);
  EXPECT_EQ(state.velocities[5], Vec3(2, 0, 0));
  apply("grab", grip);
  EXPECT_EQ(state.grabbed_vertex, 26);
  const sim::SyncReport report = world.sync_step();
  ASSERT_TRUE(report.ok) << report.trouble;
  // At 20 m/s for a thirtieth of a second it covers 0.67 of the 0.87 m.
  EXPECT_NEAR((state.positions[26] - Vec3(0.5, 0.5, 0.5)).norm(), 20.0 / 30, 1e-9);
  apply("release", {});
  EXPECT_EQ(state.grabbed_vertex, -1);
  EXPECT_THROW(apply("sing", {}), InputError);
}

}  // namespace
}  // namespace selkie::scene
