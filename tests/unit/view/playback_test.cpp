// Finished runs: written by the run driver, read back frame by frame.
#include "selkie/view/playback.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "decode.h"
#include "selkie/core/error.h"
#include "selkie/sim/run.h"
#include "small_stage.h"
#include "support/temporary_folder.h"

namespace selkie::view {
namespace {

void write_run(const std::filesystem::path& folder, std::int64_t frames, int every = 1) {
  const scene::Scene scene = scene::parse(kSmallScene, "small", {}, {});
  sim::World world = scene::build(scene);
  sim::RunSettings settings;
  settings.folder = folder;
  settings.frames = frames;
  settings.every = every;
  settings.scene_text = scene::resolved(scene);
  settings.scene_identity = scene::identity(scene);
  const std::atomic<bool> interrupt{false};
  ASSERT_EQ(sim::run(
                world, settings, [](const sim::Progress&) {}, interrupt)
                .end,
            sim::RunEnd::finished);
}

TEST(Playback, SeeksStepsAndShowsTheFilesOfTheFrame) {
  const test::TemporaryFolder folder;
  write_run(folder / "run", 6);
  Playback playback(folder / "run", true);
  EXPECT_EQ(playback.frame(), 0);
  ASSERT_TRUE(playback.carry_out({.kind = CommandKind::seek, .frame = 4}).ok);
  ASSERT_TRUE(playback.carry_out(command(CommandKind::step)).ok);
  EXPECT_EQ(playback.frame(), 5);
  EXPECT_FALSE(playback.carry_out({.kind = CommandKind::seek, .frame = 7}).ok);
  EXPECT_FALSE(playback.carry_out(command(CommandKind::hash)).ok);

  // The live world at the same frame looks the same.
  Session session(small_session());
  while (session.world().frame() < 5) ASSERT_TRUE(session.carry_out(command(CommandKind::step)).ok);
  ShotMaker maker;
  const std::shared_ptr<Shot> live = maker.begin(), read = maker.begin();
  session.draw(maker, *live);
  playback.draw(maker, *read);
  ASSERT_EQ(read->parts.size(), live->parts.size());
  EXPECT_EQ(read->parts[0].system, "cloth");
  EXPECT_EQ(read->parts[0].look, ports::Look::glossy);
  EXPECT_EQ(read->parts[0].topology->id, live->parts[0].topology->id);
  const auto* a = reinterpret_cast<const float*>(live->payload.bytes().data());
  const auto* b = reinterpret_cast<const float*>(read->payload.bytes().data());
  for (std::size_t i = 0; i < live->parts[0].positions.count; ++i) EXPECT_EQ(a[i], b[i]);
  EXPECT_NE(playback.state_message().find("figures")->find("cloth"), nullptr);
}

TEST(Playback, PlaysByTheClockSkipsWhatIsLateAndEndsAtTheLastFrame) {
  const test::TemporaryFolder folder;
  write_run(folder / "run", 9, 3);  // frames 0, 3, 6, 9 at 30 per second
  Playback playback(folder / "run");
  playback.advance(50);
  EXPECT_EQ(playback.frame(), 0);
  playback.advance(50.09);
  EXPECT_EQ(playback.frame(), 0);
  EXPECT_NEAR(playback.next_due(50.09), 0.01, 1e-9);
  playback.advance(50.21);
  EXPECT_EQ(playback.frame(), 6);
  playback.advance(55);
  EXPECT_EQ(playback.frame(), 9);
  EXPECT_FALSE(playback.playing());
  ASSERT_TRUE(playback.carry_out(command(CommandKind::play)).ok);
  EXPECT_EQ(playback.frame(), 0);
}

TEST(Playback, ADamagedFrameIsTroubleAndTheOthersCanStillBeSeen) {
  const test::TemporaryFolder folder;
  write_run(folder / "run", 3);
  std::ofstream(folder / "run/cloth.0002.ply") << "garbage";
  Playback playback(folder / "run", true);
  ShotMaker maker;
  ASSERT_TRUE(playback.carry_out({.kind = CommandKind::seek, .frame = 2}).ok);
  playback.draw(maker, *maker.begin());
  EXPECT_NE(playback.trouble().find("cloth.0002.ply"), std::string::npos);
  ASSERT_TRUE(playback.carry_out({.kind = CommandKind::seek, .frame = 3}).ok);
  playback.draw(maker, *maker.begin());
  EXPECT_TRUE(playback.trouble().empty());
}

TEST(Playback, AFolderWithoutARunIsAnInputError) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(Playback(folder.path()), InputError);
}

}  // namespace
}  // namespace selkie::view
