// [[shape_matching]]: crowds, refusals, drawing, and what a user may do to a body.
#include "selkie/sim/systems/shape_matching_system.h"

#include <numbers>

#include "selkie/sim/systems/rigid_system.h"
#include "selkie/solids/rigid/queries.h"
#include "small_scene.h"

namespace selkie::scene {
namespace {

using test::parsed;
using test::refusal;

const std::string kBlock = R"([[shape_matching]]
name = "soft"
body = [{ mesh = { tet_box = { divisions = [2, 2, 2] } } }]
)";
const std::string kCrowd = R"([[shape_matching]]
name = "soft"
copies = { count = 7, spacing = 2, per_layer = [2, 1], jitter = 0.1 }
[[shape_matching.body]]
mesh = { tet_box = { divisions = [2, 2, 2] } }
[[shape_matching.body]]
mesh = { icosphere = { divisions = 2 } }
colour = [1, 0, 0]
)";

sim::ShapeMatchingSystem& bodies(sim::World& world) {
  return dynamic_cast<sim::ShapeMatchingSystem&>(*world.find("soft"));
}

TEST(SceneShapeMatching, BodiesAreMadeWhereTheyStand) {
  sim::World world = build(parsed(kBlock + "density = 500\nvelocity = [1, 0, 0]\ncluster = 12\n"));
  EXPECT_EQ(bodies(world).model().body_count(), 1u);
  EXPECT_GT(bodies(world).model().cluster_count(), 1u);
  EXPECT_NEAR(shape_matching::total_mass(bodies(world).model()), 500, 1e-10);
  EXPECT_EQ(bodies(world).live_state().velocities[3], Vec3(1, 0, 0));
  EXPECT_EQ(bodies(world).drawables().size(), 1u);
  EXPECT_EQ(bodies(world).drawables()[0].name, "soft");
}

TEST(SceneShapeMatching, ACrowdTakesItsMakesInTurnLayerByLayer) {
  sim::World world = build(parsed(kCrowd));
  const shape_matching::Model& model = bodies(world).model();
  ASSERT_EQ(model.body_count(), 7u);
  EXPECT_EQ(model.body_begin[1] - model.body_begin[0], 27u);
  EXPECT_EQ(model.body_begin[2] - model.body_begin[1], 42u);
  EXPECT_EQ(model.body_begin[3] - model.body_begin[2], 27u);
  // The third pair stands on the fourth layer of two, 2 m apart, up to the jitter.
  const Vec3 middle =
      geometry::bounding_box(std::span(model.rest_positions).subspan(model.body_begin[6], 27)).center();
  EXPECT_NEAR(middle.y(), 6, 0.21);
  const auto drawn = bodies(world).drawables();
  ASSERT_EQ(drawn.size(), 2u);
  EXPECT_EQ(drawn[1].name, "soft-2");
  EXPECT_EQ(drawn[1].colour, Vec3(1, 0, 0));
}

TEST(SceneShapeMatching, WhatCannotBeMadeIsRefusedWithItsPlace) {
  const std::string head = "[[shape_matching]]\nname = \"soft\"\n";
  EXPECT_NE(refusal(head + "body = []\n").find("is empty"), std::string::npos);
  EXPECT_NE(refusal(head).find("body"), std::string::npos);
  EXPECT_NE(refusal(head + "body = [{ mesh = { file = \"none.obj\" } }]\n").find("s.toml:3"),
            std::string::npos);
  EXPECT_NE(refusal(kBlock + "stiffness = 1.5\n").find("out of range"), std::string::npos);
  EXPECT_NE(refusal(kBlock + "density = 0\n").find("out of range"), std::string::npos);
  EXPECT_NE(refusal(kBlock + "copies = { count = 0, spacing = 1 }\n").find("out of range"),
            std::string::npos);
  EXPECT_NE(refusal(kBlock + "pin = [{ vertices = [27] }]\n").find("27"), std::string::npos);
}

TEST(SceneShapeMatching, BodiesThatTouchAreSeenToTouch) {
  sim::World world = build(parsed(kBlock + "radius = 0.1\n"));
  const auto drawn = bodies(world).drawables();
  const auto& surface = std::get<ports::TriangleSurface>(drawn[0].shape);
  double highest = 0;
  for (const Vec3& x : surface.positions) highest = std::max(highest, x.y());
  EXPECT_NEAR(highest, 0.6, 1e-12) << "the skin is a radius outside the vertices";
}

TEST(SceneShapeMatching, ThrownBodiesAreStoppedByACrowdAndPushIt) {
  sim::World world = build(parsed("[scene]\ngravity = [0, 0, 0]\n" + kBlock));
  auto vector = [](double x, double y, double z) { return ValueArray{Value{x}, Value{y}, Value{z}}; };
  Value ball;
  ball["shape"].data = std::string("ball");
  ball["position"].data = vector(0, 0, 3);
  ball["velocity"].data = vector(0, 0, -8);
  ball["size"].data = 0.4;
  ball["density"].data = 1000.0;
  world.queue({0, "thrown", "throw", ball});
  for (int n = 0; n < 45; ++n) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
  }
  Vec3 momentum = Vec3::Zero();
  const auto& state = bodies(world).live_state();
  for (std::size_t i = 0; i < state.velocities.size(); ++i)
    momentum += bodies(world).model().masses[i] * state.velocities[i];
  const Vec3 other =
      rigid::diagnose(dynamic_cast<sim::RigidSystem&>(*world.find("thrown")).live_state(), Vec3::Zero())
          .momentum;
  const double thrown = 1000 * 4.0 / 3 * std::numbers::pi * 0.4 * 0.4 * 0.4 * -8;
  EXPECT_LT(momentum.z(), 0.5 * thrown);
  EXPECT_NEAR((momentum + other).z(), thrown, 1e-9 * std::abs(thrown));
}

TEST(SceneShapeMatching, BodiesAreGrabbedKickedAndLetGo) {
  sim::World world = build(parsed(kBlock));
  auto vector = [](double x, double y, double z) { return ValueArray{Value{x}, Value{y}, Value{z}}; };
  Value kick, grip;
  kick["velocity"].data = vector(2, 0, 0);
  grip["point"].data = vector(0.5, 0.5, 0.5);
  grip["target"].data = vector(1, 1, 1);
  bodies(world).apply({0, "soft", "kick", kick});
  EXPECT_EQ(bodies(world).live_state().velocities[5], Vec3(2, 0, 0));
  bodies(world).apply({0, "soft", "grab", grip});
  EXPECT_EQ(bodies(world).live_state().grabbed_vertex, 26);
  EXPECT_THROW(bodies(world).apply({0, "soft", "sing", {}}), InputError);
}

}  // namespace
}  // namespace selkie::scene
