// Every row of `selkie verify coupling`, `coupling-solvers` and `coupling-scenes` must pass.
#include <gtest/gtest.h>

#include "selkie/studies/coupling.h"
#include "selkie/studies/coupling_runs.h"

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
// The tables of coupling-scenes one by one: they take the longest of all, so that they should run beside each other.
TEST(CouplingStudy, WholeRunsBehaveAsTheModesOfTheSourceDo) { expect_all_pass({{coupling_cases::modes_table(false)}}); }
TEST(CouplingStudy, BoxesFloatAtTheirDraft) { expect_all_pass({{coupling_cases::draft_table(false)}}); }
TEST(CouplingStudy, WholeRunsKeepTheirEnergy) { expect_all_pass({{coupling_cases::scene_energy_table(false)}}); }

}  // namespace
}  // namespace selkie::studies
