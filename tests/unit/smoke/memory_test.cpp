// What the smoke step keeps and takes: at most 120 bytes a cell of state and scratch together in 3-D float,
// and no memory at all once it is warm. Counts every allocation of this program.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "selkie/core/parallel.h"
#include "selkie/fluids/smoke/step.h"

namespace {
std::atomic<std::size_t> g_allocations{0};
std::atomic<std::ptrdiff_t> g_bytes{0};  // in use

void* counted(std::size_t size, std::size_t alignment) {
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  ++g_allocations, g_bytes += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  return memory;
}
void uncounted(void* memory) {
  g_bytes -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  std::free(memory);
}
}  // namespace

void* operator new(std::size_t size) { return counted(size, 16); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { uncounted(memory); }

namespace {

using namespace selkie;
using namespace selkie::smoke;

struct Ball : ports::FieldSampler {
  ports::FieldSample sample(const Vec3& x, double) const override {
    const Vec3 out = x - Vec3(0.5, 0.6, 0.5);
    return {out.norm() - 0.15, out.normalized(), Vec3::Zero()};
  }
  bool still() const override { return true; }
};

TEST(SmokeMemory, StaysWithin120BytesACellAndAllocatesNothingOnceWarm) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep memory of their own";
#endif
  constexpr int kCells = 96;
  set_thread_count(1);
  Model model;
  model.shape = grid::Shape(3, {kCells, kCells, kCells}, 1.0 / kCells);
  model.sides[3] = Side::open;
  Params params;
  params.confinement = 0.1;
  const Ball ball;
  const std::array<const ports::FieldSampler*, 1> solids{&ball};
  std::vector<Emitter> emitters(1);
  emitters[0].shape.ball = geometry::Ball{Vec3(0.5, 0.2, 0.5), 0.15};
  Inputs inputs;
  inputs.colliders = solids;
  inputs.emitters = emitters;
  const std::ptrdiff_t before = g_bytes;
  State<float> from = make_state<float>(model), to = from;
  Work<float> work;
  auto advance = [&](int n) {
    from = to;
    const Interval interval{n * 1000, n * 1000 + 1000, 1e-5};
    ASSERT_TRUE(step(model, params, inputs, interval, from, to, work).ok);
  };
  advance(0);
  const double per_cell = static_cast<double>(g_bytes - before) / (kCells * kCells * kCells);
  RecordProperty("bytes_per_cell", std::to_string(per_cell));
  EXPECT_LE(per_cell, 120);
  advance(1);
  const std::size_t warm = g_allocations;
  advance(2);
  EXPECT_EQ(g_allocations - warm, 0u);
  set_thread_count(0);
}

}  // namespace
