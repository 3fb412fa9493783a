// Every row of `selkie verify coupling` and of `selkie verify coupling-solvers` must pass.
#include <gtest/gtest.h>

#include "selkie/studies/coupling.h"

namespace selkie::studies {
namespace {

void expect_all_pass(const StudyResult& result) {
  ASSERT_FALSE(result.tables.empty());
  for (const Table& table : result.tables) {
    EXPECT_FALSE(table.rows.empty()) << table.title;
    Table failing = table;
    std::erase_if(failing.rows, [](const Row& row) { return row.pass; });
    EXPECT_TRUE(failing.rows.empty()) << to_text(failing);
  }
}

// The tolerances stand in the tables' notes, each with its reason.
TEST(CouplingStudy, EveryFormAgreesAndEveryErrorIsWithinItsBand) { expect_all_pass(coupled_liquid({})); }
TEST(CouplingStudy, FormsHaveThePublishedSizesAndOurSolverFewIterations) { expect_all_pass(coupling_solvers({})); }
TEST(CouplingStudy, WholeRunsAreStableAndKeepTheirEnergy) { expect_all_pass(coupled_scenes({})); }

}  // namespace
}  // namespace selkie::studies
