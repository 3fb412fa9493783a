// Rigid bodies from a scene file: where joints sit on copies, forces and wind, what is refused, inputs that replay.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "selkie/core/parallel.h"
#include "selkie/sim/input_log.h"
#include "selkie/sim/systems/rigid_system.h"
#include "selkie/solids/rigid/joints.h"
#include "selkie/solids/rigid/queries.h"
#include "small_scene.h"
#include "support/temporary_folder.h"

namespace selkie::scene {
namespace {

using selkie::scene::test::parsed;
using selkie::scene::test::refusal;

sim::RigidSystem& bodies(sim::World& world) { return dynamic_cast<sim::RigidSystem&>(*world.find("thrown")); }

void advance(sim::World& world, int frames) {
  for (const std::int64_t end = world.frame() + frames; world.frame() < end;) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
  }
}

Scene shipped(const std::string& name, const std::vector<std::string>& settings = {}) {
  return load(std::filesystem::path(SELKIE_SOURCE_DIR) / "scenes" / (name + ".toml"), settings);
}

// Both points of each joint, held against the surface of its body: the furthest outside, m.
double furthest_outside(sim::RigidSystem& system) {
  const rigid::Model& model = system.model();
  double furthest = -1;
  for (const rigid::Joint& joint : model.joints) {
    furthest = std::max(furthest, contact::distance(rigid::shape_of(model, system.live_state(), joint.a), joint.point_a).distance);
    if (joint.b != rigid::kWorld)
      furthest = std::max(furthest, contact::distance(rigid::shape_of(model, system.live_state(), joint.b), joint.point_b).distance);
  }
  return furthest;
}

double widest_gap(sim::RigidSystem& system) {
  double widest = 0;
  for (const rigid::Joint& joint : system.model().joints)
    widest = std::max(widest, rigid::joint_gap(joint, system.live_state()));
  return widest;
}

const std::string kPairsOfBoxes = R"([scene]
fps = 60
[[rigid]]
name = "upper"
shape = { box = { size = [0.2, 0.2, 0.2] } }
position = [0, 1.2, 0]
copies = { COPIES }
[[rigid]]
name = "lower"
shape = { box = { size = [0.2, 0.2, 0.2] } }
position = [0, 1, 0]
copies = { COPIES }
[[joint]]
kind = "ball"
between = ["upper", "lower"]
at = [0, 1.1, 0]
)";

TEST(SceneRigid, ACopyCarriesThePointOfItsJointWithIt) {
  for (const std::string copies :
       {"grid = { count = [3, 1, 2], spacing = [1, 1, 1] }", "wall = { count = [3, 1], spacing = [1, 1] }",
        "ring = { count = 5, axis = [0, 1, 0], center = [2, 0, 0] }"}) {
    std::string text = kPairsOfBoxes;
    for (std::size_t at; (at = text.find("COPIES")) != std::string::npos;) text.replace(at, 6, copies);
    sim::World world = build(parsed(text, {"scene.scale=1"}));
    ASSERT_GT(bodies(world).model().joints.size(), 2u) << copies;
    for (const rigid::Joint& joint : bodies(world).model().joints) {
      EXPECT_LT((joint.point_a - Vec3(0, -0.1, 0)).norm(), 1e-12) << copies;
      EXPECT_LT((joint.point_b - Vec3(0, 0.1, 0)).norm(), 1e-12) << copies;
    }
  }
}

TEST(SceneRigid, RagdollsStayInOnePieceAllTheWayDown) {
  sim::World world = build(shipped("ragdolls"));
  sim::RigidSystem& dolls = bodies(world);
  ASSERT_EQ(dolls.model().joints.size(), 30u);
  EXPECT_LT(furthest_outside(dolls), 0.005) << "joints lie in the bodies they join";
  double widest = 0;
  while (world.frame() < 240) {
    ASSERT_TRUE(world.sync_step().ok);
    widest = std::max(widest, widest_gap(dolls));
  }
  EXPECT_LT(widest, 0.01) << "m; a forearm is 8 cm thick";
  const auto& x = dolls.live_state().positions;
  const double highest = std::max_element(x.begin(), x.end(), [](const Vec3& a, const Vec3& b) { return a.y() < b.y(); })->y();
  EXPECT_LT(highest, 1.6) << "nobody stands on the upper landing any more";
}

TEST(SceneRigid, AForceAcceleratesATorqueTurnsAndWindCarriesAlong) {
  sim::World world = build(parsed(R"([scene]
fps = 60
gravity = [0, 0, 0]
[[rigid]]
name = "pulled"
shape = { ball = { radius = 0.1 } }
mass = 2
force = ["6*t", "0", "-4"]
[[rigid]]
name = "turned"
shape = { box = { size = [1, 1, 1] } }
position = [5, 0, 0]
mass = 6
torque = ["0", "3", "0"]
)"));
  advance(world, 60);
  const rigid::State& state = bodies(world).live_state();
  // ∫ 6 t / 2 dt = 1.5 t²; the middle of a step integrates a straight line exactly.
  EXPECT_LT((state.velocities[0] - Vec3(1.5, 0, -2)).norm(), 1e-12);
  EXPECT_LT((rigid::angular_velocity(state, 1) - Vec3(0, 3, 0)).norm(), 1e-12);  // inertia: 6 · (1 + 1) / 12

  sim::World windy = build(parsed(R"([scene]
fps = 60
gravity = [0, 0, 0]
[bodies]
drag = 2
wind = [3, 0, 0]
[[rigid]]
name = "leaf"
shape = { box = { size = [0.1, 0.01, 0.1] } }
)"));
  advance(windy, 60);
  EXPECT_NEAR(bodies(windy).live_state().velocities[0].x(), 3 * (1 - std::exp(-2.0)), 1e-9);
}

TEST(SceneRigid, AForceThatChangesWakesItsBodyAndAConstantOneLetsItSleep) {
  const std::string scene = R"([scene]
fps = 60
[[rigid]]
name = "floor"
role = "fixed"
shape = { plane = true }
[[rigid]]
name = "box"
shape = { box = { size = [0.2, 0.2, 0.2] } }
position = [0, 0.1, 0]
mass = 1
friction = 0.5
)";
  sim::World still = build(parsed(scene + "force = [\"1\", \"0\", \"0\"]\n"));
  advance(still, 180);
  EXPECT_TRUE(bodies(still).live_state().asleep[1]) << "friction holds it";
  sim::World pulled = build(parsed(scene + "force = [\"(t > 3) ? 20 : 1\", \"0\", \"0\"]\n"));
  advance(pulled, 179);
  EXPECT_TRUE(bodies(pulled).live_state().asleep[1]);
  advance(pulled, 30);
  EXPECT_GT(bodies(pulled).live_state().positions[1].x(), 0.5);
}

TEST(SceneRigid, WhatHasNoVolumeOrIsNotFiniteIsRefusedWithItsPlace) {
  struct Case {
    std::string text, place, words;
  };
  const std::string head = "[[rigid]]\nname = \"x\"\n";
  for (const Case& c : std::vector<Case>{
           {head + "shape = { mesh = { surface = { sheet = { size = [1, 1], divisions = [2, 2] } } } }\n", "s.toml:3:",
            "encloses no body"},
           {head + "shape = { hull = { points = [[0,0,0], [1,0,0], [0,1,0], [1,1,0]] } }\n", "s.toml:3:", "encloses no volume"},
           {head + "shape = { ball = { radius = 0 } }\n", "s.toml:3:", "radius"},
           {head + "shape = { box = {} }\nrole = \"kinematic\"\nkeyframes = [{ time = 0, position = [0, 0, 0] },\n"
                   "             { time = 1, position = [0, nan, 0] }]\n",
            "s.toml:6:", "finite"},
           {head + "shape = { box = {} }\nrole = \"kinematic\"\nkeyframes = [{ time = nan, position = [0, 0, 0] }]\n",
            "s.toml:5:", "finite"},
           {head + "shape = { box = {} }\nforce = [\"1\", \"0\"]\n", "s.toml:4:", "three formulas"},
           {head + "shape = { box = {} }\ntorque = [\"1\", \"0\", \"x\"]\n", "s.toml:4:", "does not compile"},
           {head + "shape = { box = {} }\nforce = [\"1/0\", \"0\", \"0\"]\n", "s.toml:4:", "not finite"},
           {head + "shape = { box = {} }\nrole = \"fixed\"\nforce = [\"1\", \"0\", \"0\"]\n", "s.toml:5:", "dynamic"},
       }) {
    const std::string words = refusal(c.text);
    EXPECT_NE(words.find(c.place), std::string::npos) << words;
    EXPECT_NE(words.find(c.words), std::string::npos) << words;
  }
}

TEST(SceneRigid, AClosedMeshWithoutVolumeIsRefused) {
  const ::selkie::test::TemporaryFolder folder;
  std::ofstream(folder / "flat.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n";
  try {
    build(parse("[[rigid]]\nname = \"x\"\nshape = { mesh = { surface = { file = \"flat.obj\" } } }\n", "s.toml",
                folder.path(), {}));
    ADD_FAILURE() << "not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("s.toml:3:"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("encloses no"), std::string::npos) << error.what();
  }
}

TEST(SceneRigid, AStackDoesNotSinkInUnderASoftLoad) {
  sim::World world = build(shipped("soft-on-rigid"));
  advance(world, 120);
  const rigid::State& state = bodies(world).live_state();
  EXPECT_LT(rigid::diagnose(state, world.environment().gravity).deepest, 0.01 * 0.2) << "1 % of a box";
  EXPECT_GT(state.positions[2].y(), 0.5 - 0.005);
}

// A soft block flies into two bodies that touch each other: what it gives they take, whatever their shapes.
TEST(SceneRigid, SoftBodiesGiveWhatRigidOnesTake) {
  for (const std::string soft : {"[[elastic]]\nyoung = 1e5\n", "[[mass_spring]]\nstiffness = 8000\nsolver = \"cholesky\"\n"})
    for (const std::string shape :
         {"box = { size = [0.4, 0.4, 0.4] }", "capsule = { radius = 0.15, length = 0.2 }",
          "hull = { points = [[-0.2,-0.2,-0.2], [0.2,-0.2,-0.2], [0,0.2,-0.2], [0,0,0.3]] }",
          "compound = [{ ball = { radius = 0.2 } }, { box = { size = [0.1, 0.6, 0.1] } }]"}) {
      sim::World world = build(parsed("[scene]\nfps = 60\ngravity = [0, 0, 0]\n" + soft +
                                      "name = \"soft\"\ndensity = 300\nmesh = { tet_box = { min = [-1, -0.2, -0.2], "
                                      "max = [-0.6, 0.2, 0.2], divisions = [3, 3, 3] } }\n[[rigid]]\nname = \"hard\"\n"
                                      "shape = { " + shape + " }\nvelocity = [-4, 0.1, 0]\ndensity = 500\n"
                                      "copies = { grid = { count = [2, 1, 1], spacing = [0.45, 1, 1] } }\n"));
      const ports::DeformableSolid& block = *world.find("soft")->deformable_solid();
      auto given = [&] {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < block.positions().size(); ++i) sum += block.velocities()[i] / block.inverse_masses()[i];
        return sum;
      };
      auto kept = [&] { return rigid::diagnose(bodies(world).live_state(), Vec3::Zero()).momentum; };
      const Vec3 before = given() + kept();
      advance(world, 30);
      EXPECT_GT(given().norm(), 0.1 * before.norm()) << shape << " has hit";
      EXPECT_LT((given() + kept() - before).norm(), 1e-9 * before.norm()) << soft << shape;
    }
}

// A plane among the rigid bodies is a floor for everyone, and the bodies themselves stand on it once.
TEST(SceneRigid, APlaneStopsSoftBodiesToo) {
  const std::string scene = R"([scene]
fps = 60
[[rigid]]
name = "floor"
role = "fixed"
shape = { plane = true }
position = [0, -0.5, 0]
friction = 0.6
[[rigid]]
name = "ball"
shape = { ball = { radius = 0.1 } }
position = [2, -0.4, 0]
)";
  for (const std::string soft :
       {"[[elastic]]\nyoung = 1e5\n", "[[mass_spring]]\nstiffness = 8000\nsolver = \"cholesky\"\n",
        "[[position_based]]\n"}) {
    sim::World world = build(parsed(scene + soft +
                                    "name = \"jelly\"\nmesh = { tet_box = { min = [-0.2, -0.2, -0.2], "
                                    "max = [0.2, 0.2, 0.2], divisions = [3, 3, 3] } }\n"));
    advance(world, 60);
    double lowest = 1;
    for (const Vec3& x : world.find("jelly")->deformable_solid()->positions()) lowest = std::min(lowest, x.y());
    EXPECT_GT(lowest, -0.52) << soft;
    EXPECT_LT(lowest, -0.45) << soft << " has fallen";
    EXPECT_EQ(bodies(world).live_state().contact_pairs.size(), 1u) << "the ball touches the plane once";
  }
}

// A lift that starts, moves sideways, turns by a quarter and stays: what stands on it comes along.
TEST(SceneRigid, KeyframesLeadABodyAndFrictionCarriesWhatStandsOnIt) {
  sim::World world = build(parsed(R"([scene]
fps = 60
[[rigid]]
name = "tray"
role = "kinematic"
shape = { box = { size = [1, 0.1, 1] } }
keyframes = [{ time = 0.5, position = [0, 0, 0] }, { time = 2.5, position = [2, 1, 0] },
             { time = 3.5, position = [2, 1, 0] }, { time = 5.5, position = [2, 1, 0], rotate = [0, 90, 0] }]
[[rigid]]
name = "cup"
shape = { box = { size = [0.2, 0.2, 0.2] } }
position = [0.2, 0.15, 0]
friction = 0.8
restitution = 0
[bodies]
friction = 0.8
)"));
  const rigid::State& state = bodies(world).live_state();
  advance(world, 30);
  EXPECT_LT(state.positions[0].norm(), 1e-12) << "it waits for its first keyframe";
  advance(world, 60);
  EXPECT_LT((state.positions[0] - Vec3(1, 0.5, 0)).norm(), 1e-12) << "half way";
  // The start is a jerk of 1 m/s, which friction follows within v²/2µg = 6 cm.
  EXPECT_LT((state.positions[1] - Vec3(1.2, 0.65, 0)).norm(), 0.08);
  EXPECT_LT((state.velocities[1] - Vec3(1, 0.5, 0)).norm(), 1e-3);
  advance(world, 240);
  const Vec3 arm = state.positions[1] - state.positions[0];
  EXPECT_LT((rigid::orientation(state, 0).toRotationMatrix().col(0) + Vec3::UnitZ()).norm(), 1e-9) << "x points to −z";
  EXPECT_LT(std::abs(arm.x()), 0.03) << "the cup has turned with the tray";
  EXPECT_LT(arm.z(), -0.1);
  advance(world, 60);
  EXPECT_TRUE(state.asleep[1]);
}

Value vector(const Vec3& v) { return Value{ValueArray{Value{v.x()}, Value{v.y()}, Value{v.z()}}}; }

ports::InputEvent event(const std::string& action, std::vector<std::pair<std::string, Value>> arguments) {
  ports::InputEvent made{0, "thrown", action, Value{ValueTable{}}};
  for (auto& [key, value] : arguments) made.arguments[key] = std::move(value);
  return made;
}

// A person who throws, pushes, grabs, drags, lets go and changes a parameter; the log is then played back from text.
TEST(SceneRigid, RecordedInputsReplayExactly) {
  for (const int threads : {1, 2}) {
    const Scene scene = shipped("wall-and-ball");
    set_thread_count(1);
    sim::World live = build(scene);
    advance(live, 5);
    live.apply_now(event("throw", {{"shape", Value{std::string("box")}},
                                   {"position", vector({0, 1.5, 3})},
                                   {"velocity", vector({0.1, 0, -9})},
                                   {"size", Value{0.2}},
                                   {"density", Value{2000.0}}}));
    advance(live, 15);
    live.apply_now(event("push", {{"point", vector({0, 1, 0})},
                                  {"direction", vector({0, 0.3, -1})},
                                  {"strength", Value{2.0}},
                                  {"radius", Value{0.7}}}));
    live.apply_now(event("grab", {{"point", vector({0.5, 1, 0})}, {"target", vector({0.5, 1.2, 0.5})}}));
    advance(live, 3);
    live.apply_now(event("drag", {{"target", vector({0.7, 1.6, 0.9})}}));
    live.apply_now(event("set", {{"path", Value{std::string("friction")}}, {"value", Value{0.8}}}));
    advance(live, 4);
    live.apply_now(event("release", {}));
    advance(live, 10);

    const std::string log = sim::events_to_toml(live.applied_events());
    set_thread_count(threads);
    sim::World replayed = build(scene);
    for (const ports::InputEvent& e : sim::events_from_toml(log, "inputs.toml")) replayed.queue(e);
    advance(replayed, 37);
    EXPECT_EQ(replayed.applied_events().size(), 6u);
    EXPECT_EQ(replayed.hash().hex(), live.hash().hex()) << threads;
    set_thread_count(0);
  }
}

}  // namespace
}  // namespace selkie::scene
