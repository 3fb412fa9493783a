// The liquid step as a whole, mid-splash with inflow, an open side and a moving solid: the same bits for one
// and two threads and for any scratch; particles accounted for; none inside the solid. Viscosity and both
// trackers.
#include "selkie/fluids/liquid/step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "selkie/core/parallel.h"
#include "selkie/core/state_arrays.h"
#include "selkie/grid/loops.h"

namespace {

using namespace selkie;
using namespace selkie::liquid;

struct MovingBall : ports::FieldSampler {
  ports::FieldSample sample(const Vec3& x, double t) const override {
    const Vec3 d = x - Vec3(0.6 + 0.1 * std::sin(6 * t), 0.2, 0.5);
    return {d.norm() - 0.15, d.normalized(), Vec3(0.6 * std::cos(6 * t), 0, 0)};
  }
};

enum class Scratch { kept, poisoned_or_new };

std::string splash(Tracker tracker, double viscosity, int band, int threads, Scratch scratch) {
  set_thread_count(threads);
  Model model;
  model.shape = grid::Shape(3, {20, 20, 20}, 1.0 / 20);
  model.tracker = tracker;
  model.sides[1] = Side::open;
  Params params;
  params.viscosity = viscosity;
  params.band = band;
  params.reseed = band > 0 ? 3 : 0;
  params.foam = 10;
  const MovingBall ball;
  const ports::FieldSampler* const solid = &ball;
  Inflow inflow;
  inflow.shape = geometry::AnalyticShape{.ball = geometry::Ball{Vec3(0.3, 0.8, 0.5), 0.08}};
  inflow.rate = 0.03;
  inflow.velocity = {0, -1, 0};
  Inputs inputs;
  inputs.colliders = {&solid, 1};
  inputs.sources.inflows = {&inflow, 1};
  State<float> state = make_state<float>(model);
  auto work = std::make_unique<Work<float>>();
  if (tracker == Tracker::level_set)
    grid::fill(model.shape, grid::Place::cell, state.surface,
               [](const Vec3& x) { return std::max(x.x() - 0.4, x.y() - 0.6); });
  else
    state.counts.seeded = seed<float>(
        model, 1, [&](const Vec3& x) { return x.x() < 0.4 && x.y() < 0.6 && ball.sample(x, 0).distance > 0; },
        {}, state.born, state.particles);
  prepare(model, params, inputs.colliders, 0, state, *work);
  State<float> from = state;
  constexpr int kSteps = 20;
  for (int n = 0; n < kSteps; ++n) {
    if (scratch == Scratch::poisoned_or_new) {
      if (n % 2 == 0)
        poison(*work);
      else
        work = std::make_unique<Work<float>>();
    }
    from = state;
    const StepReport report = step<float>(model, params, inputs, {n, n + 1, 1.0 / 60}, from, state, *work);
    EXPECT_TRUE(report.ok) << report.trouble;
  }
  const Counts& c = state.counts;
  EXPECT_EQ(state.particles.size(),
            c.seeded + c.inflow + c.reseeded - c.outflow - c.drained - c.crushed - c.thinned);
  if (band > 0) {
    EXPECT_GT(c.thinned, c.seeded / 8);
    EXPECT_GT(c.reseeded, 0u);
  }
  for (std::size_t p = 0; p < state.particles.size(); ++p)
    EXPECT_GE(ball.sample(world_of(model.shape, place_of(state.particles, p)), kSteps / 60.0).distance, 0);
  Hasher hasher;
  const std::vector<ArrayRef> arrays = arrays_of(state);
  add_to_hash(hasher, arrays);
  set_thread_count(0);
  return hasher.value().hex();
}

class LiquidStep : public testing::TestWithParam<std::tuple<Tracker, double, int>> {};

TEST_P(LiquidStep, DependsNeitherOnThreadsNorOnScratch) {
  const auto [tracker, viscosity, band] = GetParam();
  const std::string hash = splash(tracker, viscosity, band, 1, Scratch::kept);
  EXPECT_EQ(splash(tracker, viscosity, band, 2, Scratch::kept), hash);
  EXPECT_EQ(splash(tracker, viscosity, band, 2, Scratch::poisoned_or_new), hash);
}

INSTANTIATE_TEST_SUITE_P(All, LiquidStep,
                         testing::Combine(testing::Values(Tracker::particles, Tracker::level_set),
                                          testing::Values(0.0, 5.0), testing::Values(0)));
INSTANTIATE_TEST_SUITE_P(Banded, LiquidStep, testing::Values(std::tuple(Tracker::particles, 0.0, 1)));

// Long steps followed by short ones would bring energy from nowhere.
TEST(StepLimit, BeginsShortAndLengthensSlowly) {
  Model model;
  model.shape = grid::Shape(2, {16, 16, 1}, 1.0 / 16);
  const Params params;
  State<float> state = make_state<float>(model);
  state.counts.seeded = seed<float>(
      model, 1, [](const Vec3& x) { return x.y() < 0.5; }, {}, state.born, state.particles);
  Work<float> work;
  prepare(model, params, {}, 0, state, work);
  const Vec3 gravity(0, -9.81, 0);
  const double crossing = std::sqrt(params.cfl / 16 / 9.81);  // s: two cells from rest, pulled all the time
  const double first = step_limit(model, params, gravity, state);
  EXPECT_NEAR(first, crossing / 8, 1e-12);
  const State<float> from = state;
  EXPECT_TRUE(step<float>(model, params, {}, {0, 1, first}, from, state, work).ok);
  EXPECT_NEAR(step_limit(model, params, gravity, state), 1.3 * first, 1e-12);
  state.last_step = 1;
  EXPECT_LE(step_limit(model, params, gravity, state), crossing);
}

}  // namespace
