// Rows of `selkie verify rigid` must pass; here at sizes that take seconds.
#include <gtest/gtest.h>

#include "selkie/studies/rigid_cases.h"

namespace selkie::studies::rigid_cases {
namespace {

void expect_passed(const Table& table) {
  for (const Row& row : table.rows) EXPECT_TRUE(row.pass) << table.title << ": " << testing::PrintToString(row.cells);
}

TEST(RigidStudy, MassesAndFreeRotationAreExact) {
  expect_passed(inertia_table());
  expect_passed(free_table());
  expect_passed(flip_table());
}

TEST(RigidStudy, ImpactsFrictionAndRollingFollowTheory) {
  expect_passed(bounce_table());
  expect_passed(slope_table());
  expect_passed(rolling_table());
}

TEST(RigidStudy, StacksStandUpToTheirLimit) {
  expect_passed(overhang_table());
  expect_passed(stack_table(false));
}

TEST(RigidStudy, SweepsConvergeToTheComplementarityProblem) { expect_passed(complementarity_table()); }

TEST(RigidStudy, PendulumsSwingAtTheirPeriod) { expect_passed(pendulum_table()); }

}  // namespace
}  // namespace selkie::studies::rigid_cases
