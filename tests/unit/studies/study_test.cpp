#include "selkie/studies/study.h"

#include <gtest/gtest.h>

namespace selkie::studies {
namespace {

const Study kStudy{"waves", "speed of waves", nullptr};

Table table(const char* title, bool pass) {
  return {title, {"speed", "theory"}, {{{"3.1", "3.1"}}, {{"3.0", "3.1"}, pass}}};
}

TEST(StudyReport, ShowsEveryTableAndTheOutcome) {
  EXPECT_EQ(to_text(kStudy, {{table("shallow", true), table("deep", true)}}, Shown::kAll),
            "waves: speed of waves\n\n"
            "shallow\n  speed  theory \n  3.1    3.1    ok\n  3.0    3.1    ok\n\n"
            "deep\n  speed  theory \n  3.1    3.1    ok\n  3.0    3.1    ok\n\n"
            "waves: passed\n");
}

TEST(StudyReport, OfFailuresShowsOnlyTheTablesThatFailed) {
  EXPECT_EQ(to_text(kStudy, {{table("shallow", true), table("deep", false)}}, Shown::kFailures),
            "waves: speed of waves\n\n"
            "deep\n  speed  theory \n  3.1    3.1    ok\n  3.0    3.1    FAIL\n\n"
            "waves: FAILED\n");
}

TEST(StudyReport, OfFailuresIsSilentWhenAllPassed) {
  EXPECT_EQ(to_text(kStudy, {{table("shallow", true)}}, Shown::kFailures), "");
}

TEST(StudyReport, AFailedTableShowsInTheWholeReportToo) {
  const std::string text = to_text(kStudy, {{table("shallow", true), table("deep", false)}}, Shown::kAll);
  EXPECT_NE(text.find("shallow\n"), std::string::npos);
  EXPECT_NE(text.find("waves: FAILED\n"), std::string::npos);
}

}  // namespace
}  // namespace selkie::studies
