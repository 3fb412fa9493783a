// Solves with kept work allocate nothing: counted by replacing the global operator new of this test program.
#include <gtest/gtest.h>

#include "selkie/core/parallel.h"
#include "selkie/linalg/cholesky.h"
#include "selkie/linalg/pcg.h"
#include "selkie/linalg/preconditioners.h"
#include "support/allocation_counter.h"
#include "unit/linalg/systems.h"

namespace selkie::linalg {
namespace {

TEST(Allocation, RefillRefreshAndSolveTakeNoMemoryTheSecondTime) {
  set_thread_count(1);  // TBB's own task memory is not ours to count
  auto a = spring_sheet(60, 1, 100);
  const auto b = random_values(a.size(), 1);
  std::vector<double> x(a.size(), 0.0);
  IncompleteCholesky<3> ic;
  BlockJacobiPreconditioner<3> block_jacobi;
  SparseCholesky cholesky;
  PcgWork work;
  const PcgOptions options{.max_iterations = 20, .keep_history = false};
  auto step = [&] {
    const auto pattern = a.shared_pattern();
    a.add_diagonal(0, Mat3::Identity());
    EXPECT_TRUE(ic.refresh(a).ok);
    EXPECT_EQ(block_jacobi.refresh(a), 0);
    (void)pcg(a, ic, b, x, options, work);
    (void)pcg(a, block_jacobi, b, x, options, work);
    (void)cholesky.solve(b, x);
  };
  ASSERT_TRUE(cholesky.factorize(a));
  step();
  const std::size_t before = testing::allocations;
  step();
  EXPECT_EQ(testing::allocations - before, 0u);
  set_thread_count(0);
}

}  // namespace
}  // namespace selkie::linalg
