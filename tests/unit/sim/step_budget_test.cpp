// Caps of iterations that follow the clock.
#include "selkie/sim/step_budget.h"

#include <gtest/gtest.h>

namespace selkie::sim {
namespace {

TEST(StepBudget, ALateStepLowersTheCapInProportionToWhatItMade) {
  EXPECT_EQ(next_cap(500, 500, 60, 0.030, 0.010), 20);
  EXPECT_EQ(next_cap(40, 500, 40, 0.020, 0.010), 20);
}

TEST(StepBudget, OneVeryLateStepTakesAtMostThreeQuartersAway) {
  EXPECT_EQ(next_cap(100, 500, 100, 5.0, 0.010), 25);
}

TEST(StepBudget, SomeIterationsAreAlwaysMade) { EXPECT_EQ(next_cap(2, 500, 2, 1, 1e-9), 2); }

TEST(StepBudget, ACapThatBindsGrowsBackWhileThereIsRoomAndNeverBeyondTheWish) {
  EXPECT_EQ(next_cap(40, 500, 40, 0.005, 0.010), 45);
  EXPECT_EQ(next_cap(40, 42, 40, 0.005, 0.010), 42);
  EXPECT_EQ(next_cap(40, 500, 40, 0.008, 0.010), 40);  // too little room
  EXPECT_EQ(next_cap(40, 500, 30, 0.005, 0.010), 40);  // does not bind
}

// Repeated on a machine where an iteration takes 1 ms the cap settles where the budget is kept.
TEST(StepBudget, SettlesBelowTheBudget) {
  int cap = 500;
  for (int step = 0; step < 50; ++step) cap = next_cap(cap, 500, cap, 0.001 * cap, 0.016);
  EXPECT_LE(cap, 16);
  EXPECT_GE(cap, 10);
}

}  // namespace
}  // namespace selkie::sim
