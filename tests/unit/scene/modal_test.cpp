// [[modal]]: building, copies, refusals, and what a user may do to the bodies.
#include "selkie/sim/systems/modal_system.h"

#include "selkie/sim/systems/rigid_system.h"
#include "small_scene.h"

namespace selkie::scene {
namespace {

using test::parsed;
using test::refusal;

const std::string kPlate = R"([[modal]]
name = "plate"
mesh = { tet_box = { min = [0, 0, 0], max = [0.4, 0.05, 0.3], divisions = [3, 1, 3] } }
modes = 6
)";

sim::ModalSystem& bodies(sim::World& world) { return dynamic_cast<sim::ModalSystem&>(*world.find("plate")); }

TEST(SceneModal, CopiesShareModesAndStandInTheirPlaces) {
  sim::World world = build(parsed(kPlate + R"(velocity = [1, 0, 0]
copies = { count = [3, 1, 2], spacing = [1, 0, 2] }
)"));
  modal::State& state = bodies(world).live_state();
  ASSERT_EQ(state.count(), 6u);
  EXPECT_EQ(bodies(world).model().mode_count, 6u);
  EXPECT_LT((state.positions[0] - Vec3(0.2, 0.025, 0.15)).norm(), 1e-12);
  EXPECT_LT((state.positions[5] - Vec3(2.2, 0.025, 2.15)).norm(), 1e-12);
  EXPECT_EQ(state.velocities[3], Vec3(1, 0, 0));
  EXPECT_EQ(bodies(world).kind(), "modal");
  const std::vector<ports::Drawable> drawn = bodies(world).drawables();
  ASSERT_EQ(drawn.size(), 1u);
  const auto& surface = std::get<ports::TriangleSurface>(drawn[0].shape);
  EXPECT_EQ(surface.positions.size(), 6 * bodies(world).model().vertex_count);
}

TEST(SceneModal, TiltedCopiesKeepTheirCentresAndDiffer) {
  sim::World world =
      build(parsed(kPlate + "copies = { count = [2, 1, 1], spacing = [1, 0, 0], tilt = 90 }\n"));
  modal::State& state = bodies(world).live_state();
  EXPECT_LT((state.positions[1] - Vec3(1.2, 0.025, 0.15)).norm(), 1e-12);
  EXPECT_NE(state.orientations[0], state.orientations[1]);
}

TEST(SceneModal, PinnedBodiesStayAndBendUnderTheirWeight) {
  sim::World world = build(parsed(kPlate + R"(young = 1e6
stiffness_damping = 0.01
pin = [{ half_space = { point = [0.01, 0, 0], normal = [1, 0, 0] } }]
)"));
  const Vec3 place = bodies(world).live_state().positions[0];
  for (int n = 0; n < 30; ++n) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_TRUE(bodies(world).model().pinned);
  EXPECT_EQ(bodies(world).live_state().positions[0], place);
  EXPECT_NE(bodies(world).live_state().displacements[0], 0);
}

TEST(SceneModal, AThrownBallGivesAwayTheMomentumThatABodyReceives) {
  sim::World world = build(parsed(R"([scene]
fps = 60
gravity = [0, 0, 0]
[[modal]]
name = "plate"
mesh = { tet_box = { min = [0, 0, 0], max = [0.4, 0.05, 0.3], divisions = [8, 1, 6] } }
modes = 6
)"));
  auto& thrown = dynamic_cast<sim::RigidSystem&>(*world.find("thrown"));
  const Vec3 centre = bodies(world).live_state().positions[0];
  auto vector = [](const Vec3& v) { return Value{ValueArray{Value{v.x()}, Value{v.y()}, Value{v.z()}}}; };
  ports::InputEvent event{0, "thrown", "throw", Value{ValueTable{}}};
  event.arguments["shape"] = Value{std::string("ball")};
  event.arguments["position"] = vector(centre + Vec3(0.05, 0.5, 0.02));
  event.arguments["velocity"] = vector(Vec3(0.3, -6, 0));
  event.arguments["size"] = Value{0.1};
  event.arguments["density"] = Value{800.0};
  world.apply_now(event);
  auto momentum = [&] {
    return Vec3(bodies(world).model().mass * bodies(world).live_state().velocities[0] +
                thrown.live_state().masses[0] * thrown.live_state().velocities[0]);
  };
  auto energy = [&] {
    double sum = 0;
    for (const char* name : {"plate", "thrown"})
      for (const auto& [figure, value] : world.find(name)->figures(world.environment()))
        if (figure == "energy") sum += value;
    return sum;
  };
  const Vec3 before = momentum();
  const double energy_before = energy();
  for (int n = 0; n < 12; ++n) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_LT(bodies(world).live_state().velocities[0].y(), -0.5) << "it has been hit";
  EXPECT_GT(thrown.live_state().velocities[0].y(), -5.5);
  EXPECT_LT((momentum() - before).norm(), 1e-12 * before.norm());
  EXPECT_LT(energy(), energy_before);
  EXPECT_LT(bodies(world).live_state().positions[0].y(), thrown.live_state().positions[0].y())
      << "the plate is still in front of the ball";
}

TEST(SceneModal, WhatHasNoModesIsRefusedWithItsPlace) {
  const std::string head = "[[modal]]\nname = \"plate\"\n";
  EXPECT_NE(refusal(head + "mesh = { sheet = {} }\n").find("s.toml:3"), std::string::npos);
  EXPECT_NE(refusal(head + "mesh = { sheet = {} }\n").find("tetrahedra"), std::string::npos);
  EXPECT_NE(refusal(kPlate + "poisson = 0.5\n").find("compressed"), std::string::npos);
  EXPECT_NE(refusal(kPlate + "young = 0\n").find("out of range"), std::string::npos);
  const std::string small = head + "mesh = { tet_box = { divisions = [1, 1, 1] } }\nmodes = 19\n";
  EXPECT_NE(refusal(small).find("18 modes"), std::string::npos);
  EXPECT_NE(refusal(kPlate + "pin = [{ vertices = [0, 1] }]\n").find("line"), std::string::npos);
  const std::string moving =
      "pin = [{ vertices = [0, 1, 4, 8], motion = { translate = [\"t\", \"0\", \"0\"] } }]\n";
  EXPECT_NE(refusal(kPlate + moving).find("cannot move"), std::string::npos);
  EXPECT_NE(refusal(kPlate + "copies = { count = [1000, 1000, 10] }\n").find("million"), std::string::npos);
}

TEST(SceneModal, BodiesAreGrabbedHitKickedAndLetGo) {
  sim::World world = build(parsed(kPlate + "copies = { count = [2, 1, 1], spacing = [1, 0, 0] }\n"));
  auto apply = [&](const char* action, Value arguments) {
    bodies(world).apply({0, "plate", action, std::move(arguments)});
  };
  auto vector = [](double x, double y, double z) { return ValueArray{Value{x}, Value{y}, Value{z}}; };
  modal::State& state = bodies(world).live_state();
  Value kick, grip, hit;
  kick["velocity"].data = vector(2, 0, 0);
  grip["point"].data = vector(1.4, 0.05, 0.3);
  grip["target"].data = vector(1.4, 1, 0.3);
  hit["point"].data = vector(0, 0, 0);
  hit["impulse"].data = vector(0, 1, 0);
  apply("kick", kick);
  EXPECT_EQ(state.velocities[1], Vec3(2, 0, 0));
  apply("impulse", hit);
  EXPECT_GT(state.velocities[0].y(), 0);
  EXPECT_NE(state.rates[0], 0);
  apply("grab", grip);
  EXPECT_EQ(state.grabbed_body, 1);
  for (int n = 0; n < 30; ++n) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_LT(
      (modal::position_of(bodies(world).model(), state, 1, static_cast<std::size_t>(state.grabbed_vertex)) -
       Vec3(1.4, 1, 0.3))
          .norm(),
      0.05);
  apply("release", {});
  EXPECT_EQ(state.grabbed_body, -1);
  EXPECT_THROW(apply("pin", grip), InputError);
}

}  // namespace
}  // namespace selkie::scene
