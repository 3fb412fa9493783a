// Ticks, sub-steps, retry, events and hashing of the World, on mock systems.
#include "selkie/sim/world.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mock_system.h"
#include "selkie/core/error.h"

namespace selkie::sim {
namespace {

Oscillator& add_oscillator(World& world, const std::string& name, double limit = 1e9) {
  return static_cast<Oscillator&>(world.add(std::make_unique<Oscillator>(name, limit)));
}

void advance_frames(World& world, int frames) {
  const std::int64_t end = world.frame() + frames;
  while (world.frame() < end) ASSERT_TRUE(world.sync_step().ok);
}

ports::InputEvent set_event(Tick tick, const std::string& system, double omega) {
  ports::InputEvent event{tick, system, "set", {}};
  event.arguments["path"].data = std::string("omega");
  event.arguments["value"].data = omega;
  return event;
}

TEST(World, ReachesFramesExactlyWhateverTheStepsOfItsSystems) {
  World world({.fps = 30, .steps_per_frame = 3});
  Oscillator& coarse = add_oscillator(world, "coarse");
  Oscillator& fine = add_oscillator(world, "fine", 0.004);
  advance_frames(world, 7);
  EXPECT_EQ(world.now(), 7 * kTicksPerFrame);
  EXPECT_EQ(coarse.intervals.size(), 21u);
  EXPECT_EQ(fine.intervals.size(), 21u * 3u);  // 11.1 ms in pieces of at most 4 ms
  Tick at = 0;
  for (const Interval& interval : fine.intervals) {  // without gap or overlap
    EXPECT_EQ(interval.begin, at);
    EXPECT_LE(interval.dt(), 0.004 * (1 + 1e-9));
    at = interval.end;
  }
  EXPECT_EQ(at, 7 * kTicksPerFrame);
}

TEST(World, SubStepsEqualTheSameStepsTakenOneByOne) {
  World world({.fps = 25});
  Oscillator& oscillator = add_oscillator(world, "o", 0.01);
  advance_frames(world, 1);
  double x = 1, v = 0;
  for (const Interval& interval : oscillator.intervals) {
    v += interval.dt() * -4 * x;
    x += interval.dt() * v;
  }
  EXPECT_EQ(oscillator.intervals.size(), 4u);
  EXPECT_EQ(oscillator.live_state().x[0], x);
}

TEST(World, RetriesAFailedSyncStepWithHalfTheLengthForEverySystem) {
  World world({.fps = 30});
  Oscillator& innocent = add_oscillator(world, "innocent");
  Oscillator& moody = add_oscillator(world, "moody");
  moody.fails = [](const Interval& interval) { return interval.dt() > 0.02; };
  const SyncReport report = world.sync_step();
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.retries, 1);
  EXPECT_EQ(world.now(), kTicksPerFrame / 2);
  // The innocent one was rolled back: its state is one step of half a frame.
  const double h = 0.5 / 30;
  EXPECT_NEAR(innocent.live_state().v[0], -4 * h, 1e-15);
  EXPECT_EQ(innocent.intervals.size(), 2u);
}

TEST(World, GivesUpAfterBoundedRetriesAndLeavesTheStateAsItWas) {
  World world({.fps = 30, .max_retries = 4});
  Oscillator& hopeless = add_oscillator(world, "hopeless");
  advance_frames(world, 2);
  const Hash128 before = world.hash();
  const double x = hopeless.live_state().x[0];
  hopeless.fails = [](const Interval&) { return true; };
  const SyncReport report = world.sync_step();
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.retries, 4);
  EXPECT_NE(report.trouble.find("'hopeless': asked to fail"), std::string::npos) << report.trouble;
  EXPECT_EQ(hopeless.live_state().x[0], x);
  EXPECT_EQ(world.now(), 2 * kTicksPerFrame);
  EXPECT_EQ(world.hash(), before);  // the length of the next step included
}

TEST(World, ReportsThePhasesOfRejectedAttemptsToo) {
  World world({.fps = 30});
  Oscillator& moody = add_oscillator(world, "moody");
  moody.fails = [](const Interval& interval) { return interval.dt() > 0.01; };
  const SyncReport report = world.sync_step();
  EXPECT_EQ(report.retries, 2);
  EXPECT_EQ(report.phases.at("oscillator.solve").calls, 3u);
  EXPECT_EQ(world.sync_step().phases.at("oscillator.solve").calls, 1u);
}

TEST(World, ReturnsToTheFullStepAfterTrouble) {
  World world({.fps = 30});
  Oscillator& moody = add_oscillator(world, "moody");
  moody.fails = [](const Interval& i) { return i.t0() < 0.5 / 30 && i.dt() > 0.3 / 30; };
  while (world.frame() < 3) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_EQ(moody.intervals.back().end - moody.intervals.back().begin, kTicksPerFrame);
}

TEST(World, KeepsTheAddressOfStateArraysAcrossStepsAndRetries) {
  World world({.fps = 30});
  Oscillator& moody = add_oscillator(world, "moody", 0.005);
  moody.fails = [](const Interval& i) { return i.dt() > 0.003; };
  const void* address = world.systems()[0]->state()[0].data;
  advance_frames(world, 3);
  EXPECT_EQ(world.systems()[0]->state()[0].data, address);
}

TEST(World, RefusesAStepThatWouldNeedTooManySubSteps) {
  World world({.fps = 1, .max_retries = 1, .max_substeps = 100});
  add_oscillator(world, "stiff", 1e-9);
  const SyncReport report = world.sync_step();
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.trouble.find("sub-steps"), std::string::npos);
}

TEST(World, AppliesEventsAtTheirTickAndNeverStepsOverOne) {
  World world({.fps = 10});
  Oscillator& o = add_oscillator(world, "o");
  world.queue(set_event(kTicksPerFrame / 4, "o", 5));
  advance_frames(world, 1);
  ASSERT_EQ(o.intervals.size(), 2u);
  EXPECT_EQ(o.intervals[0].end, kTicksPerFrame / 4);
  ASSERT_EQ(world.applied_events().size(), 1u);
  EXPECT_EQ(world.applied_events()[0].tick, kTicksPerFrame / 4);
}

TEST(World, ReplaysItsOwnEventLogToTheSameHash) {
  World live({.fps = 10});
  add_oscillator(live, "o", 0.03);
  advance_frames(live, 2);
  live.apply_now(set_event(0, "o", 7));
  advance_frames(live, 3);
  World replayed({.fps = 10});
  add_oscillator(replayed, "o", 0.03);
  for (const ports::InputEvent& event : live.applied_events()) replayed.queue(event);
  advance_frames(replayed, 5);
  EXPECT_EQ(live.hash(), replayed.hash());
}

TEST(World, RefusesEventsForUnknownSystemsInThePastOrWithBadValues) {
  World world;
  add_oscillator(world, "o");
  EXPECT_THROW(world.apply_now(set_event(0, "nobody", 1)), InputError);
  EXPECT_THROW(world.apply_now(set_event(0, "o", -1)), InputError);
  EXPECT_THROW(world.apply_now({0, "o", "dance", {}}), InputError);
  EXPECT_TRUE(world.applied_events().empty());
  advance_frames(world, 1);
  EXPECT_THROW(world.queue(set_event(5, "o", 1)), InputError);
}

TEST(World, HashChangesWithStateTimeAndParameters) {
  World world;
  Oscillator& o = add_oscillator(world, "o");
  const Hash128 start = world.hash();
  EXPECT_EQ(start, world.hash());
  o.live_state().x[0] = std::nextafter(1.0, 2.0);
  EXPECT_NE(start, world.hash());
  o.live_state().x[0] = 1.0;
  EXPECT_EQ(start, world.hash());
  world.apply_now(set_event(0, "o", 3));
  EXPECT_NE(start, world.hash());
}

TEST(World, PoisonedWorkLeavesTheHashUnchanged) {
  World clean, poisoned;
  add_oscillator(clean, "o", 0.01);
  add_oscillator(poisoned, "o", 0.01);
  poisoned.set_poison_work(true);
  advance_frames(clean, 4);
  advance_frames(poisoned, 4);
  EXPECT_EQ(clean.hash(), poisoned.hash());
}

TEST(World, PrintsItsScheduleWithGroupsAndLimits) {
  World world;
  add_oscillator(world, "slow");
  add_oscillator(world, "quick", 0.002);
  std::string text;
  for (const std::string& line : world.schedule()) text += line + "\n";
  EXPECT_NE(text.find("group 2: quick (oscillator); sub-steps of at most 0.002 s"), std::string::npos)
      << text;
  EXPECT_NE(text.find("apply input events"), std::string::npos);
}

}  // namespace
}  // namespace selkie::sim
