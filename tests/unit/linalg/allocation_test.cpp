// Solves with kept work allocate nothing: counted by replacing the global operator new of this test program.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "selkie/core/parallel.h"
#include "selkie/linalg/cholesky.h"
#include "selkie/linalg/pcg.h"
#include "selkie/linalg/preconditioners.h"
#include "unit/linalg/systems.h"

namespace {
std::atomic<int> g_allocations{0};
}

// None of these is inlined: GCC would see malloc() or free() beside the other operator and take them for a
// mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++g_allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  ++g_allocations;
  const auto a = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(a, (size + a - 1) / a * a)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

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
  const int before = g_allocations;
  step();
  EXPECT_EQ(g_allocations - before, 0);
  set_thread_count(0);
}

}  // namespace
}  // namespace selkie::linalg
