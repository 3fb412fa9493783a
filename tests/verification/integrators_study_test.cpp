// Every row of `selkie verify integrators` must agree with theory.
#include <gtest/gtest.h>

#include "selkie/studies/integrators.h"

namespace selkie::studies {
namespace {

// The tolerances stand in the tables' notes, each with its reason.
TEST(IntegratorsStudy, EveryMeasuredOrderLimitAndEnergyFactorAgreesWithTheory) {
  const StudyResult result = integrators({});
  ASSERT_FALSE(result.tables.empty());
  for (const Table& table : result.tables) {
    EXPECT_FALSE(table.rows.empty()) << table.title;
    Table failing = table;
    std::erase_if(failing.rows, [](const Row& row) { return row.pass; });
    EXPECT_TRUE(failing.rows.empty()) << to_text(failing);
    for (const Row& row : table.rows) EXPECT_EQ(row.cells.size(), table.columns.size()) << table.title;
  }
}

}  // namespace
}  // namespace selkie::studies
