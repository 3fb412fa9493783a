// [[position_based]]: building, refusals, what a user may do to a body, and a thrown ball that does not pass.
#include "selkie/sim/systems/position_based_system.h"

#include <cmath>
#include <fstream>

#include "selkie/sim/systems/rigid_system.h"
#include "selkie/solids/pbd/crossing.h"
#include "selkie/solids/rigid/queries.h"
#include "small_scene.h"
#include "support/temporary_folder.h"

namespace selkie::scene {
namespace {

using test::parsed;
using test::refusal;

const std::string kHead = "[[position_based]]\nname = \"body\"\n";

sim::PositionBasedSystem& body(sim::World& world) {
  return dynamic_cast<sim::PositionBasedSystem&>(*world.find("body"));
}
sim::RigidSystem& thrown(sim::World& world) { return dynamic_cast<sim::RigidSystem&>(*world.find("thrown")); }

Value vector(const Vec3& v) { return Value{ValueArray{Value{v.x()}, Value{v.y()}, Value{v.z()}}}; }

void throw_ball(sim::World& world, const Vec3& position, const Vec3& velocity, double size, double density) {
  ports::InputEvent event{0, "thrown", "throw", Value{ValueTable{}}};
  event.arguments["shape"] = Value{std::string("ball")};
  event.arguments["position"] = vector(position);
  event.arguments["velocity"] = vector(velocity);
  event.arguments["size"] = Value{size};
  event.arguments["density"] = Value{density};
  world.apply_now(event);
}

TEST(ScenePositionBased, SheetsBalloonsSolidsAndRopesBecomeBodies) {
  sim::World sheet = build(parsed(kHead + "mesh = { sheet = { divisions = [4, 4] } }\nmass = 2\n"));
  EXPECT_EQ(body(sheet).kind(), "position_based");
  EXPECT_NEAR(pbd::total_mass(body(sheet).model()), 2, 1e-12);
  EXPECT_GT(body(sheet).model().hinges.batch.count, 0u);
  sim::World balloon =
      build(parsed(kHead + "mesh = { icosphere = {} }\ninflated = true\nbending = \"isometric\"\n"));
  EXPECT_NEAR(body(balloon).model().closed.rest_volume, M_PI / 6, 0.02);
  sim::World jelly = build(parsed(kHead + "mesh = { tet_box = { divisions = [2, 2, 2] } }\n"));
  EXPECT_EQ(body(jelly).model().volumes.batch.count, 48u);
  sim::World rope = build(parsed(kHead + "mesh = { chain = { segments = 5 } }\nbending = \"links\"\n"));
  EXPECT_EQ(body(rope).model().stretch.batch.count, 5u);
  EXPECT_EQ(body(rope).model().bend_links.batch.count, 4u);
  EXPECT_EQ(rope.find("body")->drawables().size(), 1u);
}

TEST(ScenePositionBased, WhatCannotBeIsRefusedWithItsPlace) {
  EXPECT_NE(refusal(kHead + "mesh = { sheet = {} }\ninflated = true\n").find("s.toml:3"), std::string::npos);
  EXPECT_NE(refusal(kHead + "mesh = { tet_box = {} }\ninflated = true\n").find("s.toml:4"),
            std::string::npos);
  EXPECT_NE(refusal(kHead + "mesh = { sheet = {} }\nmass = 1\ndensity = 1\n").find("exclude"),
            std::string::npos);
  EXPECT_NE(refusal(kHead + "mesh = { sheet = {} }\nstretch_stiffness = 1.5\n").find("out of range"),
            std::string::npos);
  EXPECT_NE(refusal(kHead + "mesh = { sheet = {} }\nmethod = \"xpdb\"\n").find("xpbd"), std::string::npos);
  EXPECT_NE(refusal(kHead + "mesh = { sheet = {} }\ndensity = 0\n").find("out of range"), std::string::npos);
}

TEST(ScenePositionBased, MeshesThatWouldComeApartAreRefusedWithTheirFirstVertex) {
  const selkie::test::TemporaryFolder temporary;
  std::ofstream(temporary.path() / "cracked.msh")
      << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n6 1 "
         "0 0\n"
         "$EndNodes\n$Elements\n2\n1 4 2 0 1 1 2 3 4\n2 4 2 0 1 6 3 4 5\n$EndElements\n";
  for (const char* kind : {"position_based", "modal", "elastic"}) {
    const std::string text =
        "[[" + std::string(kind) + "]]\nname = \"body\"\nmesh = { file = \"cracked.msh\" }\n";
    try {
      build(parse(text, "s.toml", temporary.path(), {}));
      ADD_FAILURE() << kind << " not refused";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("first: vertex 5, where vertex 1 is"), std::string::npos)
          << error.what();
    }
  }
}

// The way of the ball's centre through no triangle of the sheet, both moving.
bool passes(const std::vector<Vec3>& before, const std::vector<Vec3>& after, const Vec3& from, const Vec3& to,
            const std::vector<geometry::Triangle>& triangles) {
  for (const auto& [a, b, c] : triangles)
    if (pbd::find_crossing({from, before[a], before[b], before[c]}, {to, after[a], after[b], after[c]})
                .count %
            2 ==
        1)
      return true;
  return false;
}

TEST(ScenePositionBased, AThrownBallDoesNotPassAThinSheet) {
  for (const double speed : {2.0, 5.0, 300.0, 1000.0}) {
    sim::World world = build(parsed("[scene]\nfps = 60\ngravity = [0, 0, 0]\n" + kHead + R"(
mesh = { sheet = { size = [1, 1], divisions = [24, 24] } }
density = 0.4
iterations = 40
contact_thickness = 0.005
pin = [ { box = { min = [-0.6, -1, -0.6], max = [-0.49, 1, 0.6] } }, { box = { min = [0.49, -1, -0.6], max = [0.6, 1, 0.6] } },
        { box = { min = [-0.6, -1, -0.6], max = [0.6, 1, -0.49] } }, { box = { min = [-0.6, -1, 0.49], max = [0.6, 1, 0.6] } } ]
)"));
    constexpr double kRadius = 0.12;
    throw_ball(world, Vec3(0.03, 0.4, 0.02), Vec3(0, -speed, 0), kRadius, 60);
    for (int n = 0; n < 20; ++n) {
      const auto& x = body(world).live_state().positions;
      const std::vector<Vec3> before(x.begin(), x.end());
      const Vec3 from = thrown(world).live_state().positions[0];
      const sim::SyncReport report = world.sync_step();
      ASSERT_TRUE(report.ok) << report.trouble;
      const std::vector<Vec3> after(x.begin(), x.end());
      // The centre, and points of the ball to all sides of it.
      const Vec3 to = thrown(world).live_state().positions[0];
      for (const Vec3& side :
           {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 0, 1), Vec3(0, 0, -1), Vec3(0, 1, 0)})
        EXPECT_FALSE(passes(before, after, from + 0.6 * kRadius * side, to + 0.6 * kRadius * side,
                            body(world).model().triangles))
            << "speed " << speed << ", frame " << n;
    }
    EXPECT_LT(thrown(world).live_state().velocities[0].norm(), 0.9 * speed) << "it has hit";
  }
}

TEST(ScenePositionBased, ABallGivesAwayTheMomentumThatAFreeSheetReceives) {
  sim::World world = build(parsed("[scene]\nfps = 60\ngravity = [0, 0, 0]\n" + kHead +
                                  "mesh = { sheet = { size = [1, 1], divisions = [12, 12] } }\n"));
  throw_ball(world, Vec3(0.05, 0.3, 0.02), Vec3(0.5, -8, 0), 0.15, 100);
  auto momentum = [&] {
    Vec3 sum = rigid::diagnose(thrown(world).live_state(), Vec3::Zero()).momentum;
    const auto& state = body(world).live_state();
    for (std::size_t i = 0; i < state.positions.size(); ++i)
      sum += body(world).model().masses[i] * state.velocities[i];
    return sum;
  };
  const Vec3 before = momentum();
  for (int n = 0; n < 20; ++n) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_LT(thrown(world).live_state().velocities[0].norm(), 7.9) << "it has hit";
  EXPECT_LT((momentum() - before).norm(), 1e-10 * before.norm());
}

TEST(ScenePositionBased, BodiesAreGrabbedAndPinnedOnesFollowTheirMotion) {
  sim::World world = build(parsed("[scene]\nfps = 10\n" + kHead + R"(mesh = { sheet = { divisions = [4, 4] } }
substeps = 5
pin = [{ half_space = { point = [-0.4, 0, 0], normal = [1, 0, 0] }, motion = { translate = ["t", "0", "0"] } }]
)"));
  ports::InputEvent grab{0, "body", "grab", Value{ValueTable{}}};
  grab.arguments["point"] = vector(Vec3(0.5, 0, 0.5));
  grab.arguments["target"] = vector(Vec3(1.3, 0.3, 0.5));
  body(world).apply(grab);
  for (int n = 0; n < 10; ++n) ASSERT_TRUE(world.sync_step().ok);
  const pbd::State& state = body(world).live_state();
  EXPECT_LT((state.positions[static_cast<std::size_t>(state.grabbed_vertex)] - Vec3(1.3, 0.3, 0.5)).norm(),
            1e-9);
  for (std::size_t i = 0; i < state.pinned.size(); ++i)
    if (state.pinned[i] != 0) {
      EXPECT_NEAR(state.positions[i].x(), 0.5, 1e-12);
    }
}

}  // namespace
}  // namespace selkie::scene
