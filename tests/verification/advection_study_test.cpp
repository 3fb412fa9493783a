// Every row of `selkie verify advection`, the slotted disc at its two smallest sizes.
#include <gtest/gtest.h>

#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/studies/advection_tables.h"

namespace selkie::studies {
namespace {

// The tolerances stand in the tables' notes, each with its reason.
void expect_passed(const Table& table) {
  EXPECT_FALSE(table.rows.empty()) << table.title;
  Table failing = table;
  std::erase_if(failing.rows, [](const Row& row) { return row.pass; });
  EXPECT_TRUE(failing.rows.empty()) << to_text(failing);
  for (const Row& row : table.rows) EXPECT_EQ(row.cells.size(), table.columns.size()) << table.title;
}

TEST(AdvectionStudy, TheOrdinaryDifferentialEquationGivesThePrintedErrors) { expect_passed(ode_table()); }

TEST(AdvectionStudy, WavesGiveThePrintedErrors) {
  expect_passed(wave_table(0.75));
  expect_passed(wave_table(1.75));
}

TEST(AdvectionStudy, TheErrorOfAStepFollowsTheoryAndVanishesAtWholeCflNumbers) {
  expect_passed(error_factor_table());
}

TEST(AdvectionStudy, ASquareWaveOvershootsAsPrintedAndNotAtAllWithLimiters) {
  expect_passed(square_wave_table());
}

TEST(AdvectionStudy, TheSlottedDiscGivesThePrintedErrors) {
  for (const Table& table : disc_tables(2).tables) expect_passed(table);
}

TEST(AdvectionStudy, WavesConvergeWithSecondOrder) {
  const WaveErrors coarse = wave_errors(201, 1.75, 0.5), fine = wave_errors(401, 1.75, 0.5);
  EXPECT_NEAR(std::log2(coarse.first / fine.first), 1, 0.05);
  EXPECT_NEAR(std::log2(coarse.bfecc / fine.bfecc), 2, 0.05);
  EXPECT_NEAR(std::log2(coarse.maccormack / fine.maccormack), 2, 0.05);
}

TEST(AdvectionStudy, TheDiscDoesNotDependOnTheNumberOfThreads) {
  auto run = [](int threads) {
    set_thread_count(threads);
    DiscRun result = revolve_disc(101, 1.75, grid::Scheme::maccormack);
    set_thread_count(0);
    return result.node_errors;
  };
  EXPECT_EQ(run(1), run(2));
}

TEST(AdvectionStudy, PrintedFiguresAgreeWithinTheirRoundingAndTheMargin) {
  EXPECT_TRUE(agrees(5.96e-2, {6.0e-2}, 0));
  EXPECT_FALSE(agrees(5.94e-2, {6.0e-2}, 0));
  EXPECT_TRUE(agrees(5.84e-2, {6.0e-2}, 0.02));
  EXPECT_FALSE(agrees(6.61e-2, {-6.61e-2, 3}, 0.02));
}

}  // namespace
}  // namespace selkie::studies
