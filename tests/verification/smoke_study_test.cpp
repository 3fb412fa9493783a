// Rows of `selkie verify smoke` must pass; here at sizes that take seconds.
#include <gtest/gtest.h>

#include "selkie/studies/smoke_cases.h"

namespace selkie::studies {
namespace {

using namespace smoke_cases;

void expect_passed(const Table& table) {
  EXPECT_FALSE(table.rows.empty()) << table.title;
  Table failing = table;
  std::erase_if(failing.rows, [](const Row& row) { return row.pass; });
  EXPECT_TRUE(failing.rows.empty()) << to_text(failing);
}

TEST(SmokeStudy, ReflectedTaylorGreenVorticesAreOfSecondOrder) {
  expect_passed(taylor_green_table({64, 128}, false));
}

TEST(SmokeStudy, TheLidDrivenCavityIsNearThePublishedCentreLines) {
  expect_passed(cavity_table(64, 100));
  // Fewer cells do not resolve the layers at the walls; the whole study takes 128² and 256².
  expect_passed(cavity_table(96, 1000));
}

TEST(SmokeStudy, VortexParticlesConfinementAndExplosionsKeepTheirExactFacts) {
  for (const Table& table : {vortex_table(), confinement_table(), explosion_table()}) expect_passed(table);
}

TEST(SmokeStudy, TheLatticeKeepsItsViscosityItsChannelsAndItsBounds) {
  for (const Table& table : {shear_wave_table(), channel_table(), cavity_stability_table(4000)})
    expect_passed(table);
}

TEST(SmokeStudy, AVortexRingTravelsAtTheSpeedOfItsCoreAndKeepsItsEnergy) {
  expect_passed(ring_table({32}));
  expect_passed(ring_energy_table(32));
}

}  // namespace
}  // namespace selkie::studies
