// A pressure solve with a kept solver takes no memory: counted by replacing the global operator new of this
// program.
#include <gtest/gtest.h>

#include "selkie/core/parallel.h"
#include "support/allocation_counter.h"
#include "unit/grid/pressure_domains.h"

namespace selkie::grid {
namespace {

TEST(PressureAllocation, TheSecondSolveTakesNoMemory) {
  set_thread_count(1);  // TBB's own task memory is not ours to count
  const auto d = test::random_domain<float>(Shape(3, {40, 30, 50}, 1), 3, test::kOpenTop);
  const Buffer<float> b = test::random_cells<float>(d.shape, 4);
  Buffer<float> p(d.shape.size(), 0.0f);
  PressureSolver<float> solver;
  solver.build(d.domain());
  (void)solver.solve(view(d.shape, b), view(d.shape, p), {.tolerance = 1e-4});
  const std::size_t before = testing::allocations;
  (void)solver.solve(view(d.shape, b), view(d.shape, p), {.tolerance = 1e-4});
  EXPECT_EQ(testing::allocations, before);
  set_thread_count(0);
}

}  // namespace
}  // namespace selkie::grid
