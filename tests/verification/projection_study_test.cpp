// Every row of `selkie verify projection` must pass; iterations at the two smaller sizes.
#include <gtest/gtest.h>

#include "selkie/studies/projection_cases.h"

namespace selkie::studies {
namespace {

using namespace projection_cases;

// The tolerances stand in the tables' notes, each with its reason.
TEST(ProjectionStudy, EveryRestBalanceOrderAndIterationCountPasses) {
  for (const Table& table :
       {rest_table(), balance_table(), pocket_table(), order_table(), iteration_table({64, 128})}) {
    EXPECT_FALSE(table.rows.empty()) << table.title;
    Table failing = table;
    std::erase_if(failing.rows, [](const Row& row) { return row.pass; });
    EXPECT_TRUE(failing.rows.empty()) << to_text(failing);
  }
}

}  // namespace
}  // namespace selkie::studies
