// Rows of `selkie verify shallow` must pass; here at sizes that take seconds.
#include <gtest/gtest.h>

#include "selkie/studies/shallow_cases.h"

namespace selkie::studies {
namespace {

using namespace shallow_cases;

void expect_passed(const Table& table) {
  EXPECT_FALSE(table.rows.empty()) << table.title;
  Table failing = table;
  std::erase_if(failing.rows, [](const Row& row) { return row.pass; });
  EXPECT_TRUE(failing.rows.empty()) << to_text(failing);
}

TEST(ShallowStudy, DamBreaksHaveHalfTheErrorOfTheSource) { expect_passed(dam_table({200, 400})); }

TEST(ShallowStudy, ShocksRunAtTheirSpeed) { expect_passed(plateau_table(400)); }

TEST(ShallowStudy, LakesRestSeichesSwingAndVolumeIsAccounted) {
  for (const Table& table : {rest_table(40, 200), seiche_table(100), ledger_table(400)}) expect_passed(table);
}

TEST(ShallowStudy, AFloatingBoxHeavesWithItsPeriod) { expect_passed(heave_table()); }

TEST(ShallowStudy, WavesLeaveThroughAbsorbingSides) { expect_passed(absorbing_table()); }

TEST(ShallowStudy, TheShoreOfABowlMovesAsThackerSays) {
  for (const bool planar : {true, false}) expect_passed(bowl_table({64, 128}, planar));
}

}  // namespace
}  // namespace selkie::studies
