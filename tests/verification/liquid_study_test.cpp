// Rows of `selkie verify liquid` must pass; here at sizes that take seconds.
#include <gtest/gtest.h>

#include "selkie/studies/liquid_cases.h"

namespace selkie::studies {
namespace {

using namespace liquid_cases;

void expect_passed(const Table& table) {
  EXPECT_FALSE(table.rows.empty()) << table.title;
  Table failing = table;
  std::erase_if(failing.rows, [](const Row& row) { return row.pass; });
  EXPECT_TRUE(failing.rows.empty()) << to_text(failing);
}

TEST(LiquidStudy, PressureIsExactWhereItIsLinear) { expect_passed(linear_pressure_table()); }
TEST(LiquidStudy, LiquidRestsInAnyContainer) { expect_passed(hydrostatic_table()); }
TEST(LiquidStudy, StandingWavesHaveTheirPeriod) { expect_passed(sloshing_table({32})); }
TEST(LiquidStudy, LiquidSlidesDownASlopeAtGravitysPace) { expect_passed(slope_table()); }
TEST(LiquidStudy, TransfersKeepTheirExactFacts) { expect_passed(transfer_table()); }
TEST(LiquidStudy, WallsBrakeViscousLiquidAndTheAirDoesNot) { expect_passed(viscosity_table()); }
TEST(LiquidStudy, PoolsFromParticlesRest) { expect_passed(rest_table(false)); }
TEST(LiquidStudy, ABreakingDamKeepsItsVolume) {
  // 0.5 % is asked for at 64³; here a cell's layer is four times as thick. Measured +0.63 % with particles,
  // whose surface is rough by tenths of a cell, and less than 0.5 % with the level set.
  expect_passed(volume_table(16, false, 0.01).table);
}
TEST(LiquidStudy, APoolOfALevelSetDoesNotMove) { expect_passed(still_pool_table()); }
TEST(LiquidStudy, ACollapsingColumnGainsNoEnergy) { expect_passed(energy_table(32, 1).table); }
TEST(LiquidStudy, ADropSwingsAtItsPeriod) { expect_passed(capillary_table({32})); }
TEST(LiquidStudy, MacCormackKeepsMoreKineticEnergyOfASplash) { expect_passed(splash_table(16)); }

}  // namespace
}  // namespace selkie::studies
