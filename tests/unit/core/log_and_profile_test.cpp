// The log file and the profile zones.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/core/profile.h"

namespace selkie {
namespace {

class LogFile : public testing::Test {
 protected:
  void SetUp() override {
    set_console_log_level(LogLevel::off);
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("selkie_log_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    close_log_file();
    set_console_log_level(LogLevel::warning);
    std::filesystem::remove_all(folder_);
  }
  std::string path() const { return (folder_ / "log.txt").string(); }
  std::string contents() const {
    std::ostringstream all;
    all << std::ifstream(path()).rdbuf();
    return all.str();
  }
  std::filesystem::path folder_;
};

TEST_F(LogFile, ReceivesInfoAndAboveAtOnce) {
  open_log_file(path());
  log_debug("a detail");
  log_info("frame 1");
  log_warning("step halved");
  log_error("disk full");
  const std::string text = contents();  // before closing: a crash must not lose lines
  EXPECT_EQ(text.find("a detail"), text.npos);
  EXPECT_NE(text.find(" info: frame 1\n"), text.npos) << text;
  EXPECT_NE(text.find(" warning: step halved\n"), text.npos) << text;
  EXPECT_NE(text.find(" error: disk full\n"), text.npos) << text;
}

TEST_F(LogFile, TextIsNotTakenForAFormat) {
  open_log_file(path());
  log_info("100 {} %s {0}");
  EXPECT_NE(contents().find("100 {} %s {0}"), std::string::npos);
}

TEST_F(LogFile, AppendsAndStopsWhenClosed) {
  open_log_file(path());
  log_info("first");
  close_log_file();
  log_info("unheard");
  open_log_file(path());
  log_info("second");
  const std::string text = contents();
  EXPECT_NE(text.find("first"), text.npos);
  EXPECT_EQ(text.find("unheard"), text.npos);
  EXPECT_NE(text.find("second"), text.npos);
}

TEST_F(LogFile, BegunAnewForgetsWhatItHeld) {
  std::ofstream(path()) << "of an older run\n";
  open_log_file(path(), LogStart::anew);
  log_info("first");
  EXPECT_EQ(contents().find("of an older run"), std::string::npos);
  EXPECT_NE(contents().find("first"), std::string::npos);
}

TEST_F(LogFile, OnAFullDiskIsGivenUpAndEndsNothing) {
  std::filesystem::create_symlink("/dev/full", path());
  open_log_file(path());
  ::testing::internal::CaptureStderr();
  EXPECT_NO_THROW(log_info("frame 1"));
  EXPECT_NO_THROW(log_info("frame 2"));
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("the log file is given up"), said.npos) << said;
  EXPECT_EQ(said.find("the log file is given up"), said.rfind("the log file is given up")) << said;
}

TEST_F(LogFile, ThatCannotBeOpenedIsAnOutputErrorNamingIt) {
  std::ofstream(folder_ / "file") << "x";
  const std::string below_a_file = (folder_ / "file" / "log.txt").string();
  try {
    open_log_file(below_a_file);
    FAIL() << "opened";
  } catch (const OutputError& error) {
    EXPECT_EQ(error.path(), below_a_file);
    EXPECT_NE(std::string(error.what()).find("may be written"), std::string::npos);
  }
}

TEST_F(LogFile, LinesOfManyThreadsStayWhole) {
  open_log_file(path());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i) log_info("0123456789");
    });
  for (auto& thread : threads) thread.join();
  std::istringstream lines(contents());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_TRUE(line.ends_with(" info: 0123456789")) << line;
  EXPECT_EQ(count, 200);
}

TEST(ProfileZone, AddsTimeAndCallsPerName) {
  take_phase_times();
  for (int i = 0; i < 3; ++i) {
    const ProfileZone outer("outer");
    const ProfileZone inner("inner");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const PhaseTimes times = take_phase_times();
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times.at("outer").calls, 3u);
  EXPECT_GE(times.at("inner").seconds, 0.006);
  EXPECT_GE(times.at("outer").seconds, times.at("inner").seconds) << "a zone includes its inner zones";
}

TEST(ProfileZone, OwnTimesLeaveInnerZonesOutAndAddUpToTheWhole) {
  take_phase_times();
  {
    const ProfileZone outer("outer");
    for (int i = 0; i < 2; ++i) {
      const ProfileZone middle("middle");
      const ProfileZone inner("inner");
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  const PhaseTimes times = take_phase_times();
  const PhaseTime outer = times.at("outer"), middle = times.at("middle"), inner = times.at("inner");
  EXPECT_EQ(inner.self_seconds, inner.seconds);
  // Sums of a few doubles near 0.01: round-off far below 1e-12.
  EXPECT_NEAR(middle.self_seconds, middle.seconds - inner.seconds, 1e-12);
  EXPECT_NEAR(outer.self_seconds + middle.self_seconds + inner.self_seconds, outer.seconds, 1e-12);
}

TEST(ProfileZone, TakingStartsAnew) {
  { const ProfileZone zone("once"); }
  take_phase_times();
  EXPECT_TRUE(take_phase_times().empty());
}

TEST(ProfileZone, OtherThreadsKeepTheirOwnTotals) {
  take_phase_times();
  std::thread([] { const ProfileZone zone("elsewhere"); }).join();
  EXPECT_TRUE(take_phase_times().empty());
}

}  // namespace
}  // namespace selkie
