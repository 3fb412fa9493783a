// What users throw at a world: it leaves no trace until then, pushes and is pushed, and survives a
// checkpoint.
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/sim/checkpoint.h"
#include "selkie/sim/systems/mass_spring_system.h"
#include "selkie/sim/systems/rigid_system.h"
#include "selkie/solids/mass_spring/diagnostics.h"
#include "selkie/solids/rigid/queries.h"
#include "small_scene.h"
#include "support/temporary_folder.h"

namespace selkie::scene {
namespace {

using selkie::scene::test::kCloth;
using selkie::scene::test::parsed;
using selkie::scene::test::refusal;

Value vector(const Vec3& v) { return Value{ValueArray{Value{v.x()}, Value{v.y()}, Value{v.z()}}}; }

ports::InputEvent event(const std::string& system, const std::string& action,
                        std::vector<std::pair<std::string, Value>> arguments = {}) {
  ports::InputEvent made{0, system, action, Value{ValueTable{}}};
  for (auto& [key, value] : arguments) made.arguments[key] = std::move(value);
  return made;
}

ports::InputEvent throwing(const std::string& shape, const Vec3& position, const Vec3& velocity, double size,
                           double density) {
  return event("thrown", "throw",
               {{"shape", Value{shape}},
                {"position", vector(position)},
                {"velocity", vector(velocity)},
                {"size", Value{size}},
                {"density", Value{density}}});
}

sim::RigidSystem& thrown(sim::World& world) { return dynamic_cast<sim::RigidSystem&>(*world.find("thrown")); }
sim::MassSpringSystem& body(sim::World& world) {
  return dynamic_cast<sim::MassSpringSystem&>(*world.find("cloth"));
}

Vec3 momentum(sim::World& world) {
  Vec3 sum = rigid::diagnose(thrown(world).live_state(), Vec3::Zero()).momentum;
  const auto& state = body(world).live_state();
  for (std::size_t i = 0; i < state.positions.size(); ++i)
    sum += body(world).model().masses[i] * state.velocities[i];
  return sum;
}

double energy(sim::World& world) {
  double sum = 0;
  for (sim::System* system : {world.find("cloth"), world.find("thrown")})
    for (const auto& [name, value] : system->figures(world.environment()))
      if (name == "energy") sum += value;
  return sum;
}

double number_of(sim::System& system, const sim::World& world, const std::string& figure) {
  for (const auto& [name, value] : system.figures(world.environment()))
    if (name == figure) return value;
  return std::nan("");
}

void advance(sim::World& world, int frames) {
  for (const std::int64_t end = world.frame() + frames; world.frame() < end;) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
  }
}

TEST(Thrown, LeavesNoTraceUntilSomethingIsThrown) {
  sim::World world = build(parsed(kCloth));
  for (const std::string& line : world.schedule()) EXPECT_EQ(line.find("thrown"), std::string::npos) << line;
  const sim::SyncReport before = world.sync_step();
  ASSERT_EQ(before.systems.size(), 1u);
  EXPECT_EQ(before.systems[0].system, "cloth");
  EXPECT_TRUE(world.find("thrown")->drawables().empty());

  world.apply_now(throwing("box", {0, 5, 0}, Vec3::Zero(), 0.1, 500));
  const sim::SyncReport after = world.sync_step();
  ASSERT_EQ(after.systems.size(), 2u);
  EXPECT_EQ(after.systems[1].system, "thrown");
  EXPECT_EQ(world.find("thrown")->drawables().size(), 1u);

  world.apply_now(event("thrown", "clear"));
  EXPECT_EQ(world.sync_step().systems.size(), 1u);
}

TEST(Thrown, TheNameIsReserved) {
  EXPECT_NE(
      refusal("[[mass_spring]]\nname = \"thrown\"\nmesh = { sheet = {} }\n").find("taken by the bodies"),
      std::string::npos);
}

TEST(Thrown, FallsFreelyInAWorldWithoutAnythingElse) {
  sim::World world = build(parsed("[scene]\nfps = 60\n"));
  world.apply_now(throwing("ball", {0, 0, 0}, {1, 0, 0}, 0.1, 1000));
  advance(world, 60);
  const Vec3 x = thrown(world).live_state().positions[0];
  EXPECT_NEAR(x.x(), 1, 1e-12);
  EXPECT_NEAR(x.y(), -0.5 * 9.81, 1e-9);  // free flight is exact
}

// Integrators that hold contacts inside their solve, and two that do not.
class ThrownAtCloth : public testing::TestWithParam<std::string> {};

TEST_P(ThrownAtCloth, GivesAwayWhatTheClothReceives) {
  for (const std::string shape : {"ball", "box"}) {
    sim::World world =
        build(parsed("[scene]\ngravity = [0, 0, 0]\nfps = 60\n[[mass_spring]]\nname = \"cloth\"\n"
                     "mesh = { sheet = { size = [1, 1], divisions = [12, 12] } }\n"
                     "solver = \"cholesky\"\ntolerance = 1e-13\nnewton_tolerance = 1e-12\nstiffness = 200\n"
                     "newton_iterations = 60\nintegrator = \"" +
                     GetParam() + "\"\n"));
    world.apply_now(throwing(shape, {0.05, 0.3, 0.02}, {0.5, -8, 0}, 0.15, 100));
    const Vec3 before = momentum(world);
    advance(world, 20);
    EXPECT_LT(thrown(world).live_state().velocities[0].norm(), 7.9) << "it has hit";
    // Direct solves to 10⁻¹³ of the change they look for, Newton's to 10⁻¹² of the momenta, over 20 steps.
    EXPECT_LT((momentum(world) - before).norm(), 1e-9 * before.norm()) << shape;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ThrownAtCloth,
                         testing::Values("implicit-euler", "implicit-euler-newton", "rk4", "verlet"),
                         [](const auto& made) {
                           std::string name = made.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Thrown, AClothHeldAllAroundCatchesWhatFallsOnIt) {
  for (const double density : {20.0, 500.0, 2000.0}) {
    sim::World world = build(parsed(
        "[scene]\nfps = 60\n[[mass_spring]]\nname = \"cloth\"\nstiffness = 2000\nbending = 0.02\n"
        "mesh = { sheet = { size = [1, 1], divisions = [20, 20] } }\ncontact_thickness = 0.005\ndrag = 0.5\n"
        "pin = [{ box = { min = [-0.6, -1, -0.6], max = [-0.49, 1, 0.6] } },\n"
        "       { box = { min = [0.49, -1, -0.6], max = [0.6, 1, 0.6] } }]\n"));
    world.apply_now(throwing("ball", {0, 0.5, 0}, Vec3::Zero(), 0.12, density));
    advance(world, 240);
    const auto& state = thrown(world).live_state();
    EXPECT_GT(state.positions[0].y(), -0.5) << density;
    EXPECT_LT(state.velocities[0].norm(), 0.5) << density;
  }
}

TEST(Thrown, HeavyAndLightBallsAtTwentyMetresASecondDoNotBlowUpClothOrJelly) {
  const std::string cloth =
      "mesh = { sheet = { center = [0, 1, 0], size = [1, 1], divisions = [20, 20], v = [0, 1, 0] } }\n"
      "pin = [{ box = { min = [-0.6, 1.49, -1], max = [0.6, 1.51, 1] } }]\ncontact_thickness = 0.005\n";
  const std::string jelly =
      "mesh = { tet_box = { min = [-0.2, 0, -0.2], max = [0.2, 0.4, 0.2], "
      "divisions = [4, 4, 4] } }\nstiffness = 20000\ndamping = 0.1\n";
  for (const std::string& mesh : {cloth, jelly})
    for (const double density : {5.0, 1e4})
      for (const std::string shape : {"ball", "box"}) {
        sim::World world =
            build(parsed("[scene]\nfps = 60\n[[collider]]\nname = \"floor\"\nshape = { plane = {} }\n"
                         "[[mass_spring]]\nname = \"cloth\"\n" +
                         mesh));
        const Vec3 from = mesh == cloth ? Vec3(0, 1, 1) : Vec3(0, 0.25, 1);
        world.apply_now(throwing(shape, from, {0, 0, -20}, 0.1, density));
        const double before = energy(world), thrown_with = number_of(thrown(world), world, "kinetic");
        double highest = before;
        for (int frame = 0; frame < 60; ++frame) {
          advance(world, 1);
          highest = std::max(highest, energy(world));
        }
        // Undoing overlap moves vertices and may stretch springs a little.
        EXPECT_LT(highest - before, 0.05 * thrown_with)
            << shape << " " << density << (mesh == cloth ? " cloth" : " jelly");
        EXPECT_TRUE(std::isfinite(energy(world)));
      }
}

TEST(Thrown, ACheckpointWithBodiesContinuesBitForBit) {
  const std::string scene =
      "[scene]\nfps = 60\n[[collider]]\nshape = { plane = { point = [0, -1, 0] } }\n" + kCloth;
  auto prepare = [](sim::World& world) {
    ports::InputEvent later = throwing("box", {0.1, 0.5, 0}, {0, -3, 0}, 0.2, 300);
    later.tick = 6 * kTicksPerFrame + 77;
    world.queue(later);
    world.apply_now(throwing("ball", {0, 0.4, 0}, {0, -4, 0}, 0.3, 50));
    ports::InputEvent heavier =
        event("", "set", {{"path", Value{std::string("gravity")}}, {"value", vector({0, -3, 1})}});
    world.apply_now(heavier);
  };
  sim::World whole = build(parsed(scene));
  prepare(whole);
  advance(whole, 12);

  const selkie::test::TemporaryFolder folder;
  sim::World first = build(parsed(scene));
  prepare(first);
  advance(first, 4);
  sim::save_checkpoint(first, {}, folder / "c.h5");
  sim::World second = build(parsed(scene));
  sim::load_checkpoint(second, folder / "c.h5");
  EXPECT_EQ(second.hash().hex(), first.hash().hex());
  EXPECT_EQ(second.environment().gravity, Vec3(0, -3, 1));
  advance(second, 8);
  EXPECT_EQ(second.hash().hex(), whole.hash().hex());
  EXPECT_EQ(thrown(second).live_state().count(), 2u);
}

TEST(Thrown, TryingEventsOutTakesEverythingBack) {
  sim::World world = build(parsed(kCloth));
  const Hash128 before = world.hash();
  ports::InputEvent later = throwing("ball", {0, 1, 0}, Vec3::Zero(), 0.1, 1000);
  later.tick = 100;
  world.queue(later);
  ports::InputEvent gravity =
      event("", "set", {{"path", Value{std::string("gravity")}}, {"value", vector({1, 2, 3})}});
  gravity.tick = 200;
  world.queue(gravity);
  world.check_pending_events();
  EXPECT_EQ(world.hash(), before);
}

TEST(Thrown, RefusesWhatCannotBeThrownAndSaysWhy) {
  sim::World world = build(parsed(kCloth));
  auto refused = [&](const ports::InputEvent& bad) {
    try {
      world.apply_now(bad);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    ADD_FAILURE() << "not refused";
    return std::string();
  };
  EXPECT_NE(refused(throwing("cone", {0, 0, 0}, {0, 0, 0}, 1, 1)).find("ball"), std::string::npos);
  EXPECT_NE(refused(throwing("ball", {0, 0, 0}, {0, 0, 0}, 0, 1)).find("'size' is 0"), std::string::npos);
  EXPECT_NE(refused(throwing("ball", {0, 0, 0}, {0, 0, 0}, 1, -1)).find("'density'"), std::string::npos);
  EXPECT_NE(refused(throwing("ball", {0, 0, 0}, {0, 1e6, 0}, 1, 1)).find("'velocity'"), std::string::npos);
  EXPECT_NE(refused(event("thrown", "grab", {{"point", vector({0, 0, 0})}, {"target", vector({0, 0, 0})}}))
                .find("throw one first"),
            std::string::npos);
  EXPECT_NE(refused(event("thrown", "dance")).find("throw, clear"), std::string::npos);
  EXPECT_NE(refused(event("", "dance")).find("set"), std::string::npos);
  EXPECT_EQ(thrown(world).live_state().count(), 0u);
}

TEST(Touch, PushAddsAGaussianOfVelocityAndKickTheSameEverywhere) {
  sim::World world = build(parsed(kCloth + "pin = [{ vertices = [0] }]\n"));
  const auto& state = body(world).live_state();
  const Vec3 point = state.positions[12];
  world.apply_now(event("cloth", "push",
                        {{"point", vector(point)},
                         {"direction", vector({0, 2, 0})},
                         {"strength", Value{3.0}},
                         {"radius", Value{0.25}}}));
  EXPECT_NEAR(state.velocities[12].y(), 3, 1e-12);
  EXPECT_NEAR(state.velocities[13].y(), 3 * std::exp(-0.5), 1e-12);  // one radius away
  EXPECT_EQ(state.velocities[0], Vec3::Zero()) << "pinned";
  world.apply_now(event("cloth", "kick", {{"velocity", vector({1, 0, 0})}}));
  EXPECT_NEAR(state.velocities[24].x(), 1, 1e-12);
  EXPECT_EQ(state.velocities[0], Vec3::Zero());
}

TEST(Touch, DragMovesTheTargetOfAGrabAndIsHarmlessWithoutOne) {
  sim::World world = build(parsed(kCloth));
  world.apply_now(event("cloth", "drag", {{"target", vector({1, 1, 1})}}));
  EXPECT_EQ(body(world).live_state().grabbed_vertex, -1);
  world.apply_now(
      event("cloth", "grab", {{"point", vector({-0.5, 0, -0.5})}, {"target", vector({0, 0, 0})}}));
  world.apply_now(event("cloth", "drag", {{"target", vector({0, 1, 0})}}));
  advance(world, 60);
  EXPECT_LT((body(world).live_state().positions[0] - Vec3(0, 1, 0)).norm(), 1e-9);
}

}  // namespace
}  // namespace selkie::scene
