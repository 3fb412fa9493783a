// What the smoke step keeps and takes: at most 120 bytes a cell of state and scratch together in 3-D float,
// and no memory at all once it is warm. Counts every allocation of this program.
#include <gtest/gtest.h>

#include "selkie/core/parallel.h"
#include "selkie/fluids/smoke/step.h"
#include "support/allocation_counter.h"

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
  emitters[0].shape = geometry::AnalyticShape{.ball = geometry::Ball{Vec3(0.5, 0.2, 0.5), 0.15}};
  Inputs inputs;
  inputs.colliders = solids;
  inputs.emitters.list = emitters;
  const std::ptrdiff_t before = selkie::testing::bytes_in_use;
  State<float> from = make_state<float>(model), to = from;
  Work<float> work;
  auto advance = [&](int n) {
    from = to;
    const Interval interval{n * 1000, n * 1000 + 1000, 1e-5};
    ASSERT_TRUE(step(model, params, inputs, interval, from, to, work).ok);
  };
  advance(0);
  const double per_cell =
      static_cast<double>(selkie::testing::bytes_in_use - before) / (kCells * kCells * kCells);
  RecordProperty("bytes_per_cell", std::to_string(per_cell));
  EXPECT_LE(per_cell, 120);
  advance(1);
  const std::size_t warm = selkie::testing::allocations;
  advance(2);
  EXPECT_EQ(selkie::testing::allocations - warm, 0u);
  set_thread_count(0);
}

}  // namespace
