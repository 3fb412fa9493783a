// Checkpoints, the input log and formulas over time.
#include "selkie/sim/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numbers>

#include "mock_system.h"
#include "selkie/core/error.h"
#include "selkie/io/archive.h"
#include "selkie/sim/collider.h"
#include "selkie/sim/input_log.h"
#include "selkie/sim/motion.h"

namespace selkie::sim {
namespace {

namespace fs = std::filesystem;

class Checkpoint : public testing::Test {
 protected:
  fs::path file = fs::temp_directory_path() / ("selkie-checkpoint-" + std::to_string(getpid()) + ".h5");
  ~Checkpoint() override { fs::remove(file); }

  static World make(const std::string& name = "o") {
    World world({.fps = 30, .steps_per_frame = 2});
    auto& moody = static_cast<Oscillator&>(world.add(std::make_unique<Oscillator>(name, 0.004)));
    moody.fails = [](const Interval& i) { return i.t0() > 0.1 && i.t0() < 0.12 && i.dt() > 0.002; };
    return world;
  }
  static ports::InputEvent event(Tick tick) {
    ports::InputEvent e{tick, "o", "set", {}};
    e.arguments["path"].data = std::string("omega");
    e.arguments["value"].data = 0.1 + 0.2;  // no short decimal
    return e;
  }
};

TEST_F(Checkpoint, AWorldLoadedInMidFrameContinuesBitForBit) {
  World uninterrupted = make();
  uninterrupted.queue(event(kTicksPerFrame + 7));
  uninterrupted.queue(event(5 * kTicksPerFrame));
  World first = make();
  first.queue(event(kTicksPerFrame + 7));
  first.queue(event(5 * kTicksPerFrame));
  for (int step = 0; step < 8; ++step)
    ASSERT_TRUE(first.sync_step().ok);  // ends inside a frame, amid retries
  save_checkpoint(first, {"scene text", 4, 8}, file);

  EXPECT_EQ(read_checkpoint_note(file).scene, "scene text");
  EXPECT_EQ(read_checkpoint_note(file).step, 8);
  World second = make();
  load_checkpoint(second, file);
  EXPECT_EQ(second.hash(), first.hash());
  EXPECT_EQ(second.pending_events().size(), 1u);
  while (second.frame() < 9) ASSERT_TRUE(second.sync_step().ok);
  while (uninterrupted.frame() < 9) ASSERT_TRUE(uninterrupted.sync_step().ok);
  EXPECT_EQ(second.hash(), uninterrupted.hash());
}

TEST_F(Checkpoint, OfAnotherWorldOrADamagedOneIsRefused) {
  World world = make();
  save_checkpoint(world, {}, file);
  World other = make("someone-else");
  EXPECT_THROW(load_checkpoint(other, file), InputError);
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(fs::file_size(file) / 2));
  stream.put('\x55');
  stream.close();
  EXPECT_THROW((void)read_checkpoint_note(file), InputError);
}

TEST_F(Checkpoint, OfAVersionThatNamedFilesSaysSo) {
  World world = make();
  save_checkpoint(world, {"scene text", 4, 8}, file);
  EXPECT_FALSE(read_checkpoint_note(file).names_files);
  EXPECT_EQ(other_reason(read_checkpoint_note(file)), "");
  io::ArchiveWriter old(file, {"checkpoint", 2});
  old.put_text("/note/scene", "scene text");
  old.put_integer("/note/frame", 4), old.put_integer("/note/step", 8);
  old.commit();
  EXPECT_TRUE(read_checkpoint_note(file).names_files);
  EXPECT_NE(other_reason(read_checkpoint_note(file)), "");
}

TEST(InputLog, WrittenEventsReadBackTheSame) {
  ports::InputEvent event{123456789, "cloth", "grab", {}};
  event.arguments["point"].data = ValueArray{Value{0.1}, Value{std::int64_t{2}}, Value{-1e-300}};
  const std::string text = events_to_toml(std::vector{event, event});
  const std::vector<ports::InputEvent> read = events_from_toml(text, "log");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1].tick, event.tick);
  EXPECT_EQ(read[1].system, "cloth");
  EXPECT_EQ(events_to_toml(read), text);
}

TEST(InputLog, ErrorsNameTheirPlace) {
  auto message = [](const char* text) -> std::string {
    try {
      (void)events_from_toml(text, "inputs.toml");
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message("[[event]]\nsystem='a'\naction='set'\n").find("either 'tick' or 'frame'"),
            std::string::npos);
  EXPECT_NE(message("[[event]]\ntick=1\nsistem='a'\n").find("inputs.toml:3:1: unknown key 'sistem'"),
            std::string::npos);
  EXPECT_NE(message("[[event]]\ntick=-1\nsystem='a'\naction='set'\n").find("inputs.toml:2:6"),
            std::string::npos);
}

TEST(Motion, FollowsItsFormulas) {
  MotionFormulas formulas;
  formulas.translate = {"0", "0.1*sin(2*pi*t)", "t^2"};
  formulas.angle = "90*t";
  formulas.axis = Vec3(0, 0, 2);
  formulas.center = Vec3(1, 0, 0);
  ASSERT_TRUE(validate(formulas).empty());
  const Motion motion(formulas);
  // At t = 1: a quarter turn about the line x = 1, then z + 1.
  EXPECT_LT((motion.pose(1) * Vec3(2, 0, 0) - Vec3(1, 1, 1)).norm(), 1e-14);
  // Velocity at t = 0 of the point (2,0,0): (π/2) z × (1,0,0) + 0.2π y.
  const Vec3 expected(0, std::numbers::pi / 2 + 0.2 * std::numbers::pi, 0);
  EXPECT_LT((motion.velocity(Vec3(2, 0, 0), 0) - expected).norm(), 1e-8);  // central difference at 1e-5 s
  EXPECT_EQ(Motion().pose(3).matrix(), Eigen::Isometry3d::Identity().matrix());
}

TEST(Motion, FormulasThatDoNotCompileAreProblemsOfTheirMember) {
  MotionFormulas formulas;
  formulas.translate = {"0", "sin(", "0"};
  const auto problems = validate(formulas);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].member, "translate.1");
}

TEST(Collider, AMovingShapeReportsDistanceAndVelocityOfItsSurface) {
  ColliderDescription description;
  description.shape = geometry::AnalyticShape{.ball = geometry::Ball{Vec3(0, 0, 0), 0.5}};
  description.motion = MotionFormulas{{"2*t", "0", "0"}};
  const auto collider = make_collider(description);
  const ports::FieldSample sample = collider->sample(Vec3(3, 0, 0), 1.0);
  EXPECT_NEAR(sample.distance, 0.5, 1e-14);
  EXPECT_LT((sample.normal - Vec3(1, 0, 0)).norm(), 1e-14);
  EXPECT_LT((sample.velocity - Vec3(2, 0, 0)).norm(), 1e-9);
}

}  // namespace
}  // namespace selkie::sim
