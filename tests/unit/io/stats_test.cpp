// stats.csv: quoting, late columns, torn lines, resume.
#include "selkie/io/stats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "selkie/core/error.h"
#include "support/file_size_limit.h"
#include "support/temporary_folder.h"

namespace selkie::io {
namespace {

using test::file_text;
using test::TemporaryFolder;

void append(StatsTable& table, std::int64_t frame, std::int64_t step, std::vector<StatsCell> cells) {
  table.append(frame, step, cells);
}

TEST(StatsTable, RowsReachTheFileAtOnceWithShortestNumbers) {
  const TemporaryFolder folder;
  StatsTable table(folder / "stats.csv");
  append(table, 0, 0, {{"dt", 0.1}, {"iterations", std::int64_t{12}}, {"note", std::string("ok")}});
  append(table, 0, 1, {{"note", std::string("b")}, {"dt", 1.0 / 3}});
  EXPECT_EQ(file_text(folder / "stats.csv"),
            "frame,step,dt,iterations,note\n0,0,0.1,12,ok\n0,1,0.3333333333333333,,b\n");
}

TEST(StatsTable, NumbersReadBackToTheSameValue) {
  const TemporaryFolder folder;
  StatsTable table(folder / "stats.csv");
  for (const double value : {5e-324, 1.7976931348623157e308, -0.0, 0.1 + 0.2, 1e22}) {
    append(table, 0, 0, {{"v", value}});
    const std::string text = file_text(folder / "stats.csv");
    const std::size_t comma = text.rfind(',');
    const double back = std::strtod(text.c_str() + comma + 1, nullptr);
    EXPECT_EQ(back, value);
    EXPECT_EQ(std::signbit(back), std::signbit(value));
  }
}

TEST(StatsTable, AColumnThatAppearsLaterExtendsTheHeaderAndPadsEarlierRows) {
  const TemporaryFolder folder;
  StatsTable table(folder / "stats.csv");
  append(table, 0, 0, {{"a", 1.0}});
  append(table, 1, 0, {{"a", 2.0}, {"b", 3.0}});
  append(table, 2, 0, {{"b", 4.0}});
  EXPECT_EQ(file_text(folder / "stats.csv"), "frame,step,a,b\n0,0,1,\n1,0,2,3\n2,0,,4\n");
}

TEST(StatsTable, CommasQuotesAndLineBreaksAreQuotedAndSurviveARewrite) {
  const TemporaryFolder folder;
  StatsTable table(folder / "stats.csv");
  append(table, 0, 0, {{"a,b", std::string("say \"hi\"\nthere")}});
  append(table, 1, 0, {{"late", 1.0}});
  EXPECT_EQ(file_text(folder / "stats.csv"),
            "frame,step,\"a,b\",late\n0,0,\"say \"\"hi\"\"\nthere\",\n1,0,,1\n");
}

TEST(StatsTable, AResumedRunsFileEqualsAnUninterruptedOnes) {
  const TemporaryFolder folder;
  const auto run = [](StatsTable& table, int begin, int end) {
    for (int k = begin; k < end; ++k) {
      std::vector<StatsCell> cells = {{"energy", k * 0.1}};
      if (k >= 5) cells.push_back({"contacts", std::int64_t{k}});
      table.append(k / 2, k % 2, cells);
    }
  };
  StatsTable whole(folder / "whole.csv");
  run(whole, 0, 10);
  {
    StatsTable interrupted(folder / "stats.csv");
    run(interrupted, 0, 8);
  }
  std::ofstream(folder / "stats.csv", std::ios::app) << "4,0,0.";  // the line the crash tore
  StatsTable resumed = StatsTable::resume(folder / "stats.csv", 1, 1);
  EXPECT_EQ(file_text(folder / "stats.csv").find("\n2,0"), std::string::npos);
  run(resumed, 4, 10);
  resumed.sync();
  EXPECT_EQ(file_text(folder / "stats.csv"), file_text(folder / "whole.csv"));
}

TEST(StatsTable, ResumingWithoutAFileStartsOneAndAForeignFileIsRefused) {
  const TemporaryFolder folder;
  StatsTable fresh = StatsTable::resume(folder / "stats.csv", 3, 0);
  append(fresh, 4, 0, {{"a", 1.0}});
  EXPECT_EQ(file_text(folder / "stats.csv"), "frame,step,a\n4,0,1\n");
  std::ofstream(folder / "foreign.csv") << "time,x\n1,2\n";
  EXPECT_THROW(StatsTable::resume(folder / "foreign.csv", 0, 0), InputError);
  EXPECT_EQ(file_text(folder / "foreign.csv"), "time,x\n1,2\n");
}

TEST(StatsTable, DamageBeyondTheCheckpointIsDroppedAndDamageBeforeItIsRefused) {
  const TemporaryFolder folder;
  const std::string header = "frame,step,a\n", kept = "0,1,10\n1,2,20\n";
  const auto resumed = [&](const std::string& text) {
    std::ofstream(folder / "stats.csv") << text;
    StatsTable::resume(folder / "stats.csv", 1, 2);
    return file_text(folder / "stats.csv");
  };
  EXPECT_EQ(resumed(header + kept + "stray\n"), header + kept);
  EXPECT_EQ(resumed(header + kept + "2,x,30\n3,4,40\n"), header + kept);
  EXPECT_EQ(resumed(header + kept + "2,3,30\n3,4\n"), header + kept);
  std::ofstream(folder / "first.csv") << header << "stray\n1,2,20\n";
  StatsTable::resume(folder / "first.csv", 0, 0);  // the checkpoint of the start
  EXPECT_EQ(file_text(folder / "first.csv"), "frame,step,a\n");
  const std::string before = header + "0,1,10\nstray\n1,2,20\n";
  try {
    resumed(before);
    ADD_FAILURE() << "a damaged row before the checkpoint was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().line, 3);
  }
  EXPECT_EQ(file_text(folder / "stats.csv"), before);
  EXPECT_THROW(resumed(header + "0,1,10\n1,2\n"), InputError);  // the checkpoint's own row
}

TEST(StatsTable, EarlierRowsThatCannotBeReadBackAreAnErrorAndNotLost) {
  const TemporaryFolder folder;
  StatsTable table(folder / "stats.csv");
  append(table, 0, 1, {{"a", 1.0}});
  std::filesystem::rename(folder / "stats.csv", folder / "aside.csv");
  EXPECT_THROW(append(table, 0, 2, {{"b", 2.0}}), OutputError);
  EXPECT_FALSE(std::filesystem::exists(folder / "stats.csv"));
  std::filesystem::rename(folder / "aside.csv", folder / "stats.csv");
  append(table, 0, 2, {{"b", 2.0}});
  EXPECT_EQ(file_text(folder / "stats.csv"), "frame,step,a,b\n0,1,1,\n0,2,,2\n");
  std::filesystem::create_directory(folder / "folder.csv");
  EXPECT_THROW(StatsTable::resume(folder / "folder.csv", 0, 0), InputError);
}

TEST(StatsTable, ARowThatDoesNotFitTheDiskIsAnErrorAndLeavesWholeRows) {
  const TemporaryFolder folder;
  StatsTable table(folder / "stats.csv");
  append(table, 0, 0, {{"note", std::string("short")}});
  const std::string before = file_text(folder / "stats.csv");
  {
    const test::FileSizeLimit limit(before.size() + 10);
    EXPECT_THROW(append(table, 0, 1, {{"note", std::string(1000, 'x')}}), OutputError);
    EXPECT_THROW(append(table, 0, 1, {{"other", std::string(1000, 'x')}}), OutputError);
  }
  EXPECT_EQ(file_text(folder / "stats.csv"), before);
  append(table, 0, 1, {{"note", std::string("again")}});
  EXPECT_EQ(file_text(folder / "stats.csv"), before + "0,1,again\n");
}

}  // namespace
}  // namespace selkie::io
