// Every row of `selkie verify elasticity` must pass.
#include <gtest/gtest.h>

#include "selkie/studies/elasticity.h"

namespace selkie::studies {
namespace {

// The tolerances stand in the tables' notes, each with its reason.
TEST(ElasticityStudy, EveryDerivativeModeBeamAndCurvePasses) {
  const StudyResult result = elasticity({});
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
