// Live sessions under an invented clock: pacing, commands, and logs that replay.
#include "selkie/view/session.h"

#include <gtest/gtest.h>

#include <cmath>

#include "decode.h"
#include "selkie/sim/input_log.h"
#include "selkie/sim/systems/elastic_system.h"
#include "selkie/sim/systems/mass_spring_system.h"
#include "small_stage.h"

namespace selkie::view {
namespace {

constexpr double kStep = 1.0 / 60;  // of the small scene

int steps_taken(Session& session) { return static_cast<int>(std::lround(session.world().time() / kStep)); }

// All steps that are due at this time.
void run_until(Session& session, double now) {
  session.advance(now);
  while (session.playing() && session.next_due(now) == 0) session.advance(now);
}

TEST(Session, TheClockDecidesOnlyHowManyStepsOfTheFixedLengthAreTaken) {
  Session session(small_session(false));
  run_until(session, 100);
  EXPECT_EQ(steps_taken(session), 0);
  run_until(session, 100 + 0.9 * kStep);
  EXPECT_EQ(steps_taken(session), 0);
  run_until(session, 100 + 1.1 * kStep);
  EXPECT_EQ(steps_taken(session), 1);
  EXPECT_EQ(session.world().now(), kTicksPerFrame / 2);
  run_until(session, 100 + 6.1 * kStep);
  EXPECT_EQ(steps_taken(session), 6);
  EXPECT_EQ(session.dropped(), 0);
  ASSERT_TRUE(session.carry_out({.kind = CommandKind::speed, .factor = 0.5}).ok);
  run_until(session, 100 + 10.2 * kStep);
  EXPECT_EQ(steps_taken(session), 8);
}

TEST(Session, CatchesUpFourFramesAndCountsTheRestAsDropped) {
  Session session(small_session(false));
  run_until(session, 0);
  run_until(session, 2);  // 60 frames of 2 steps late
  EXPECT_EQ(steps_taken(session), 2 * Session::kCatchUpFrames);
  EXPECT_NEAR(session.dropped(), 2 - 4.0 / 30, 1e-9);
  run_until(session, 2);
  EXPECT_EQ(steps_taken(session), 2 * Session::kCatchUpFrames);
}

TEST(Session, PauseStepPlayAndResetDoWhatTheySay) {
  Session session(small_session());
  const std::string start = session.world().hash().hex();
  run_until(session, 0), run_until(session, 1);
  EXPECT_EQ(steps_taken(session), 0);
  ASSERT_TRUE(session.carry_out(command(CommandKind::step)).ok);
  EXPECT_EQ(steps_taken(session), 1);
  EXPECT_FALSE(session.playing());
  ASSERT_TRUE(session.carry_out(command(CommandKind::play)).ok);
  run_until(session, 1.1), run_until(session, 1.2);
  EXPECT_EQ(steps_taken(session), 7);
  EXPECT_EQ(session.dropped(), 0);  // what passed while it stood is not owed
  const std::uint64_t scene = session.scene_version();
  ASSERT_TRUE(session.carry_out(command(CommandKind::reset)).ok);
  EXPECT_NE(session.scene_version(), scene);
  EXPECT_EQ(session.world().hash().hex(), start);
  EXPECT_TRUE(session.recording().toml.empty());
}

constexpr const char* kSoftScene = R"(
[scene]
name = "soft"
fps = 30
steps_per_frame = 2
[[elastic]]
name = "bar"
mesh = { tet_box = { min = [-0.5, -0.1, -0.1], max = [0.5, 0.1, 0.1], divisions = [20, 4, 4] } }
pin = [{ half_space = { point = [-0.49, 0, 0], normal = [1, 0, 0] } }]
real_time = true
max_iterations = 200
time_budget = 1e-7
)";

TEST(Session, AnElasticBodyThatMissesItsTimeBudgetIsGivenFewerIterationsAndTheLogReplays) {
  auto build = [](const std::string& name, std::span<const std::string> settings) {
    const scene::Scene scene = scene::parse(kSoftScene, name, {}, settings);
    return Stage{scene.description, scene::build(scene)};
  };
  Session session({build, "soft", {}, {{"soft", "a bar"}}, false});
  run_until(session, 0);
  for (int step = 1; step <= 8; ++step) run_until(session, 1.01 * step * kStep);
  ASSERT_EQ(steps_taken(session), 8);
  auto& bar = dynamic_cast<sim::ElasticSystem&>(*session.world().find("bar"));
  EXPECT_EQ(static_cast<const fem::Params*>(bar.params())->max_iterations, 2);  // no step takes 0.1 µs

  const Recording log = session.recording();
  Stage stage = build("soft", log.settings);
  for (ports::InputEvent& event : sim::events_from_toml(log.toml, "inputs.toml"))
    stage.world.queue(std::move(event));
  while (stage.world.now() < session.world().now()) ASSERT_TRUE(stage.world.sync_step().ok);
  EXPECT_EQ(stage.world.hash().hex(), session.world().hash().hex());
}

TEST(Session, ALogReplaysOfflineToTheSameHashTwice) {
  Session session(small_session(false));
  double now = 0;
  auto pass = [&](int steps) {
    for (int i = 0; i < steps; ++i) run_until(session, now += kStep);
  };
  run_until(session, now);
  pass(5);
  ASSERT_TRUE(session.carry_out(grab_command({0.7, 0.9, 0.5})).ok);
  pass(7);
  ASSERT_TRUE(session.carry_out(set_command("stiffness", {std::int64_t{250}})).ok);
  ASSERT_TRUE(session.carry_out(set_command("integrator", {std::string("rk4")})).ok);
  pass(4);
  ASSERT_TRUE(session
                  .carry_out({.kind = CommandKind::event,
                              .system = "cloth",
                              .path_or_action = "release",
                              .value = Value{ValueTable{}}})
                  .ok);
  pass(9);
  const Recording log = session.recording();
  const std::string hash = session.world().hash().hex();
  for (int time = 0; time < 2; ++time) {
    Stage stage = small_stage("small", log.settings);
    for (ports::InputEvent& event : sim::events_from_toml(log.toml, "inputs.toml"))
      stage.world.queue(std::move(event));
    while (stage.world.now() < session.world().now()) ASSERT_TRUE(stage.world.sync_step().ok);
    EXPECT_EQ(stage.world.hash().hex(), hash);
  }
  Stage untouched = small_stage("small", {});
  while (untouched.world.now() < session.world().now()) ASSERT_TRUE(untouched.world.sync_step().ok);
  EXPECT_NE(untouched.world.hash().hex(), hash);
}

TEST(Session, BadCommandsAreRefusedAndLeaveTheWorldAlone) {
  Session session(small_session());
  ASSERT_TRUE(session.carry_out(command(CommandKind::step)).ok);
  const std::string before = session.world().hash().hex();
  Command nobody = grab_command(Vec3::Zero());
  nobody.system = "nobody";
  Command no_target = grab_command(Vec3::Zero());
  no_target.value = Value{ValueTable{{"point", {ValueArray{{0.0}, {0.0}, {0.0}}}}}};
  Command unknown = grab_command(Vec3::Zero());
  unknown.path_or_action = "explode";
  Command smuggled = set_command("stiffness", {1.0});
  smuggled.kind = CommandKind::event, smuggled.path_or_action = "set";
  const std::vector<Command> bad{nobody,
                                 no_target,
                                 unknown,
                                 smuggled,
                                 set_command("stiffness", {-1.0}),
                                 set_command("stiffness", {std::string("soft")}),
                                 set_command("mesh.file", {std::string("/etc/passwd")}),
                                 {.kind = CommandKind::open, .scene = "../../etc/passwd"},
                                 {.kind = CommandKind::speed, .factor = 1000},
                                 {.kind = CommandKind::speed, .factor = std::nan("")},
                                 {.kind = CommandKind::seek, .frame = 3}};
  for (const Command& each : bad) {
    const Reply reply = session.carry_out(each);
    EXPECT_FALSE(reply.ok);
    EXPECT_FALSE(reply.message.empty());
  }
  EXPECT_EQ(session.world().hash().hex(), before);
  EXPECT_TRUE(session.recording().toml.empty());
}

TEST(Session, AWorldThatFailsStandsStillAndGoesOnAfterAReset) {
  SessionOptions options = small_session(false);
  // Far beyond the stability limit of the forward Euler method: numbers overflow within a few steps.
  options.build = [](const std::string& name, std::span<const std::string> settings) {
    std::vector<std::string> all{"cloth.integrator=explicit-euler", "cloth.step=0.1", "cloth.stiffness=1e9"};
    all.insert(all.end(), settings.begin(), settings.end());
    Stage stage = small_stage(name, all);
    dynamic_cast<sim::MassSpringSystem&>(*stage.world.systems()[0]).live_state().velocities[0] =
        Vec3(1, 0, 0);
    return stage;
  };
  Session session(std::move(options));
  run_until(session, 0);
  for (int i = 1; i < 2000 && session.playing(); ++i) run_until(session, i * kStep);
  ASSERT_FALSE(session.trouble().empty());
  EXPECT_FALSE(session.playing());
  EXPECT_FALSE(text_at(session.state_message(), "trouble").empty());
  EXPECT_FALSE(session.carry_out(command(CommandKind::play)).ok);
  EXPECT_FALSE(session.carry_out(grab_command(Vec3::Zero())).ok);
  ASSERT_TRUE(session.carry_out(set_command("integrator", {std::string("implicit-euler")})).ok);
  EXPECT_TRUE(session.trouble().empty());
  EXPECT_EQ(session.world().now(), 0);
  EXPECT_EQ(session.recording().settings, std::vector<std::string>{"cloth.integrator=\"implicit-euler\""});
  EXPECT_TRUE(session.carry_out(command(CommandKind::step)).ok);
}

TEST(Session, TheSceneMessageTellsSystemsActionsAndParameters) {
  Session session(small_session());
  const Value scene = session.scene_message();
  EXPECT_EQ(text_at(scene, "name"), "small");
  EXPECT_NEAR(scene.find("bounds")->find("max")->array()[1].number(), 0.5, 1e-12);
  const Value& cloth = scene.find("systems")->array()[0];
  EXPECT_EQ(text_at(cloth, "kind"), "mass_spring");
  EXPECT_EQ(cloth.find("parts")->array().size(), 1u);
  EXPECT_FALSE(cloth.find("actions")->array().empty());
  EXPECT_FALSE(cloth.find("params")->array().empty());
  EXPECT_TRUE(session.state_message().find("figures")->find("cloth")->find("energy"));
}

TEST(Session, AShotHoldsSystemsAndSceneryWithTheScenesMaterials) {
  Session session(small_session());
  ShotMaker maker;
  const std::shared_ptr<Shot> shot = maker.begin();
  session.draw(maker, *shot);
  ASSERT_EQ(shot->parts.size(), 2u);
  EXPECT_EQ(shot->parts[0].system, "cloth");
  EXPECT_EQ(shot->parts[0].look, ports::Look::glossy);
  EXPECT_EQ(shot->parts[1].name, "ball");
  EXPECT_EQ(shot->parts[1].system, "");
}

TEST(Session, OpeningAnotherSceneForgetsTheSettingsOfTheFirst) {
  SessionOptions options = small_session();
  options.settings = {"cloth.stiffness=7"};
  Session session(std::move(options));
  EXPECT_EQ(session.recording().settings.size(), 1u);
  ASSERT_TRUE(session.carry_out({.kind = CommandKind::open, .scene = "other"}).ok);
  EXPECT_TRUE(session.recording().settings.empty());
  EXPECT_EQ(session.recording().scene, "other");
}

}  // namespace
}  // namespace selkie::view
