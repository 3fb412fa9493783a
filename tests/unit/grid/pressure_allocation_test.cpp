// A pressure solve with a kept solver takes no memory: counted by replacing the global operator new of this
// program.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "selkie/core/parallel.h"
#include "unit/grid/pressure_domains.h"

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
  const int before = g_allocations;
  (void)solver.solve(view(d.shape, b), view(d.shape, p), {.tolerance = 1e-4});
  EXPECT_EQ(g_allocations, before);
  set_thread_count(0);
}

}  // namespace
}  // namespace selkie::grid
