// Every row of `selkie verify coupling` must pass.
#include <gtest/gtest.h>

#include "selkie/studies/coupling.h"

namespace selkie::studies {
namespace {

// The tolerances stand in the tables' notes, each with its reason.
TEST(CouplingStudy, EveryFormAgreesAndEveryErrorIsWithinItsBand) {
  const StudyResult result = coupled_liquid({});
  ASSERT_FALSE(result.tables.empty());
  for (const Table& table : result.tables) {
    EXPECT_FALSE(table.rows.empty()) << table.title;
    Table failing = table;
    std::erase_if(failing.rows, [](const Row& row) { return row.pass; });
    EXPECT_TRUE(failing.rows.empty()) << to_text(failing);
  }
}

}  // namespace
}  // namespace selkie::studies
