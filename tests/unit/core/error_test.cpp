// The texts a person reads when something is wrong.
#include "selkie/core/error.h"

#include <gtest/gtest.h>

#include "selkie/core/check.h"

namespace selkie {
namespace {

TEST(SourceLocation, PrintsAsMuchAsIsKnown) {
  EXPECT_EQ((SourceLocation{"scene.toml", 4, 9}.text()), "scene.toml:4:9");
  EXPECT_EQ((SourceLocation{"scene.toml", 4, 0}.text()), "scene.toml:4");
  EXPECT_EQ((SourceLocation{"scene.toml", 0, 0}.text()), "scene.toml");
  EXPECT_EQ((SourceLocation{"", 4, 9}.text()), "line 4:9");
  EXPECT_EQ(SourceLocation{}.text(), "");
}

TEST(InputError, JoinsPlaceProblemAndRemedy) {
  const InputError error({"a.toml", 2, 3}, "'young' is -1", "use a value greater than 0");
  EXPECT_STREQ(error.what(), "a.toml:2:3: 'young' is -1\n  use a value greater than 0");
  EXPECT_EQ(error.where().line, 2);
  EXPECT_EQ(error.problem(), "'young' is -1");
  EXPECT_EQ(error.remedy(), "use a value greater than 0");
}

TEST(InputError, LeavesOutWhatIsMissing) {
  EXPECT_STREQ(InputError("too large").what(), "too large");
  EXPECT_STREQ(InputError("too large", "shrink it").what(), "too large\n  shrink it");
}

TEST(OutputError, NamesTheFile) {
  const OutputError error("out/a.ply", "no space left", "free some space");
  EXPECT_STREQ(error.what(), "out/a.ply: no space left\n  free some space");
  EXPECT_EQ(error.path(), "out/a.ply");
}

TEST(CheckDeathTest, ABrokenContractAbortsWithItsPlace) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(SELKIE_CHECK(1 + 1 == 3, "arithmetic"),
               "error_test.cpp:[0-9]+: check failed: 1 \\+ 1 == 3 \\(arithmetic\\)");
}

TEST(Check, AHoldingContractIsSilent) {
  testing::internal::CaptureStderr();
  SELKIE_CHECK(1 + 1 == 2, "arithmetic");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace selkie
