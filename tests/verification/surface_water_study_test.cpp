// Rows of `selkie verify surface-water` must pass; here at sizes that take seconds.
#include <gtest/gtest.h>

#include "selkie/studies/surface_water_cases.h"

namespace selkie::studies {
namespace {

using namespace surface_cases;

void expect_passed(const Table& table) {
  EXPECT_FALSE(table.rows.empty()) << table.title;
  Table failing = table;
  std::erase_if(failing.rows, [](const Row& row) { return row.pass; });
  EXPECT_TRUE(failing.rows.empty()) << to_text(failing);
}

TEST(SurfaceWaterStudy, OperatorsTransportAndPathsAreExact) {
  for (const Table& table : {operator_table(), holonomy_table(), trace_table(), fold_table(60)})
    expect_passed(table);
}

TEST(SurfaceWaterStudy, TheSphereSwingsInItsModes) { expect_passed(mode_table({3, 4})); }

TEST(SurfaceWaterStudy, WaterRestsWhereTheClosedFormsSay) {
  expect_passed(acceleration_table({3}));
  expect_passed(rotation_table(4));  // the level of the specified error
}

TEST(SurfaceWaterStudy, MassIsKept) { expect_passed(mass_table(1000)); }

TEST(SurfaceWaterStudy, IntegratorsDampAsTheirFormulasSay) { expect_passed(integrator_table(nullptr)); }

TEST(SurfaceWaterStudy, TheFillingProfileAgrees) { expect_passed(filling_table()); }

TEST(SurfaceWaterStudy, AFigureFillsLegByLegAndNowhereTooDeep) { expect_passed(figure_table()); }

TEST(SurfaceWaterStudy, FloatingAndFallingAgree) { expect_passed(floating_table()); }

TEST(SurfaceWaterStudy, SliversDoNoHarm) { expect_passed(sliver_table(200)); }

TEST(SurfaceWaterStudy, ReferenceSolversAgree) {
  expect_passed(dam_table({200}));
  expect_passed(solver_table());
}

}  // namespace
}  // namespace selkie::studies
