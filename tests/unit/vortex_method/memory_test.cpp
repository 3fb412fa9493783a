// What a step keeps and takes: no memory once it is warm, and no more a cell than the estimate of `selkie
// check` says. Counts every allocation of this program.
#include <gtest/gtest.h>

#include "box.h"
#include "selkie/core/parallel.h"
#include "support/allocation_counter.h"

namespace selkie::vortex_method {
namespace {

TEST(VortexMemory, StaysWithin250BytesACellAndAllocatesNothingOnceWarm) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep memory of their own";
#endif
  constexpr int kCells = 48;
  set_thread_count(1);
  const std::ptrdiff_t before = selkie::testing::bytes_in_use;
  test::VortexBox<float> box{test::cube(kCells)};
  Vortices vortices;
  vortices.ring = {{.center = Vec3(0.5, 0.5, 0.5), .radius = 0.2, .core = 0.05}};
  seed(box.model, vortices, 1e-3, box.state);
  box.params.viscosity = 1e-4;
  box.params.remesh_every = 0;
  ASSERT_GT(box.advance(2), 0);
  const double particles = 192.0 * static_cast<double>(box.state.positions.size());
  const double per_cell =
      (static_cast<double>(selkie::testing::bytes_in_use - before) - particles) / (kCells * kCells * kCells);
  RecordProperty("bytes_per_cell", std::to_string(per_cell));
  EXPECT_LE(per_cell, 250);  // of which viscosity takes 56, and rows of 56 elements instead of 48 some 35
  const std::size_t warm = selkie::testing::allocations;
  ASSERT_GT(box.advance(2), 0);
  EXPECT_EQ(selkie::testing::allocations - warm, 0u);
  set_thread_count(0);
}

}  // namespace
}  // namespace selkie::vortex_method
