// The smoke step as a whole: rest stays rest, signs, what flows out is what expands, and everything a person
// may ask of it that makes no sense. [HY-07, HY-13, HY-14, RT-49; the robustness list of
// docs/methods/smoke.md]
#include "selkie/fluids/smoke/step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gas.h"

namespace {

using namespace selkie;
using namespace selkie::test;

template <class Real>
class SmokeStep : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(SmokeStep, Reals);

TYPED_TEST(SmokeStep, LeavesNeutralGasAtRest) {
  for (const int dims : {2, 3}) {
    Gas<TypeParam> gas(dims);
    gas.params.weight = gas.params.buoyancy = 0;
    gas.params.confinement = 0.5;
    gas.fill_density(0.7);
    ASSERT_TRUE(gas.step(0.1).ok);
    EXPECT_EQ(top_speed(gas.model, gas.state), 0);
    const auto density = grid::view(gas.model.shape, gas.state.density);
    EXPECT_EQ(density(3, 4, 0), TypeParam(0.7));
  }
}

// Uniform heavy smoke in a closed box: the pressure carries it, up to the solve's tolerance.
TYPED_TEST(SmokeStep, LetsPressureCarryAUniformWeight) {
  Gas<TypeParam> gas(3);
  gas.params.weight = 2;
  gas.fill_density(1);
  ASSERT_TRUE(gas.step(0.1).ok);
  // Without the projection the gas would fall at 0.2 m/s; the tolerance is 1e-4 of the residual, whose
  // inverse the largest wave of 16 cells raises by about (16/π)².
  EXPECT_LT(top_speed(gas.model, gas.state), 0.2 * 1e-4 * 26);
}

TYPED_TEST(SmokeStep, LiftsHotGasAndDropsHeavySmoke) {
  for (const bool hot : {true, false}) {
    Gas<TypeParam> gas(2, 24);
    gas.model.sides[3] = Side::open;
    gas.params.buoyancy = hot ? 0.1 : 0, gas.params.weight = hot ? 0 : 3;
    gas.emitters = {ball_emitter(Vec3(0.5, 0.5, 0), 0.15)};
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(gas.step(0.05).ok);
    const double v = gas.state.velocity_y[static_cast<std::size_t>(gas.model.shape.at(12, 12, 0))];
    EXPECT_GT(hot ? v : -v, 0.01);
  }
}

// HY-14: what leaves through the open sides is the volume that grows.
TYPED_TEST(SmokeStep, SendsOutAsMuchGasAsExpands) {
  Gas<TypeParam> gas(3);
  gas.model.sides[1] = gas.model.sides[3] = Side::open;
  gas.params.tolerance = 1e-5;
  gas.emitters = {ball_emitter(Vec3(0.45, 0.5, 0.55), 0.2)};
  gas.emitters[0].expansion = 3;
  gas.emitters[0].temperature = 0, gas.emitters[0].density = 0;
  ASSERT_TRUE(gas.step(0.02).ok);
  const grid::Shape& shape = gas.model.shape;
  const double dx = shape.cell_size();
  const auto rate = grid::view(shape, gas.work.expansion);
  double grown = 0, out = 0;
  for (int k = 0; k < 16; ++k)
    for (int j = 0; j < 16; ++j) {
      for (int i = 0; i < 16; ++i) grown += rate(i, j, k) * dx * dx * dx;
      out += dx * dx *
             (gas.state.velocity_x[static_cast<std::size_t>(shape.at(16, j, k))] +
              gas.state.velocity_y[static_cast<std::size_t>(shape.at(j, 16, k))]);
    }
  // The ball, whose edge fades over one cell: that adds (Δx/2r)² of its volume; sampling errs by less.
  const double ball = 3 * 4.0 / 3 * M_PI * std::pow(0.2, 3) * (1 + std::pow(dx / 0.4, 2));
  EXPECT_NEAR(grown, ball, 0.01 * ball);
  EXPECT_NEAR(out, grown, 2e-4 * grown);  // the residual's share of the flux, with a margin
}

TYPED_TEST(SmokeStep, RefusesGasThatGrowsInAClosedBoxAndSaysWhy) {
  Gas<TypeParam> gas(3, 8);
  gas.emitters = {ball_emitter(Vec3(0.5, 0.5, 0.5), 0.2)};
  gas.emitters[0].expansion = 1;
  const StepReport report = gas.step(0.01);
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.trouble.find("open a side"), std::string::npos) << report.trouble;
}

TYPED_TEST(SmokeStep, StaysFiniteAndBoundedWhenGasCrossesTwentyCellsAStep) {
  Gas<TypeParam> gas(3);
  gas.model.sides[3] = Side::open;
  BallSolid ball(Vec3(0.5, 0.6, 0.5), 0.15);
  gas.solids = {&ball};
  gas.emitters = {ball_emitter(Vec3(0.5, 0.2, 0.5), 0.15)};
  gas.emitters[0].velocity = {{0, 3, 0}};
  for (int i = 0; i < 10; ++i) {
    const StepReport report = gas.step(20.0 / 16 / 3);
    ASSERT_TRUE(report.ok) << report.trouble;
  }
  ASSERT_TRUE(gas.finite());
  for (const TypeParam value : gas.state.density) {
    EXPECT_GE(value, 0);
    EXPECT_LE(value, 1);
  }
}

TYPED_TEST(SmokeStep, SurvivesABodyThatJumpsAcrossTheBox) {
  Gas<TypeParam> gas(3);
  gas.model.sides[3] = Side::open;
  BallSolid ball(Vec3(0.25, 0.5, 0.5), 0.2);
  ball.moves = true;
  gas.solids = {&ball};
  gas.fill_density(1);
  for (int i = 0; i < 8; ++i) {
    ball.center.x() = i % 2 == 0 ? 0.25 : 0.75;
    const StepReport report = gas.step(0.03);
    ASSERT_TRUE(report.ok) << report.trouble;
  }
  EXPECT_TRUE(gas.finite());
  EXPECT_LT(top_speed(gas.model, gas.state), 2);
}

TYPED_TEST(SmokeStep, IgnoresAnEmitterOutsideTheBox) {
  Gas<TypeParam> gas(3, 8);
  gas.emitters = {ball_emitter(Vec3(5, 5, 5), 0.3)};
  gas.emitters[0].velocity = {{1, 0, 0}};
  gas.emitters[0].expansion = 1;
  ASSERT_TRUE(gas.step(0.01).ok);
  EXPECT_EQ(top_speed(gas.model, gas.state), 0);
  for (const TypeParam value : gas.state.density) EXPECT_EQ(value, 0);
}

TYPED_TEST(SmokeStep, HasNothingToDoWhenASolidCoversEverything) {
  Gas<TypeParam> gas(3, 8);
  BallSolid ball(Vec3(0.5, 0.5, 0.5), 3);
  gas.solids = {&ball};
  gas.emitters = {ball_emitter(Vec3(0.5, 0.5, 0.5), 0.3)};
  for (int i = 0; i < 3; ++i) {
    const StepReport report = gas.step(0.05);
    ASSERT_TRUE(report.ok) << report.trouble;
  }
  EXPECT_TRUE(gas.finite());
  EXPECT_EQ(top_speed(gas.model, gas.state), 0);
}

// Wind brings clear air: the edge of the smoke moves in with it, by transport's first order at the side.
TYPED_TEST(SmokeStep, LetsWindBlowTheSmokeOut) {
  for (const bool reverse : {false, true}) {
    Gas<TypeParam> gas(3);
    gas.model.sides = {Side::wind, Side::wind, Side::slip, Side::slip, Side::slip, Side::slip};
    gas.params.wind = Vec3(reverse ? -1 : 1, 0, 0);
    gas.params.weight = 0;
    gas.state.velocity_x.assign(gas.model.shape.size(), TypeParam(gas.params.wind.x()));
    gas.fill_density(1);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(gas.step(1.0 / 16).ok);  // a cell a step
    const auto density = grid::view(gas.model.shape, gas.state.density);
    for (int i = 0; i < 16; ++i) EXPECT_NEAR(density(reverse ? 15 - i : i, 7, 9), i < 5 ? 0 : 1, 1e-5) << i;
  }
}

// A cell at a time, and a box one cell thick.
TYPED_TEST(SmokeStep, WorksOnTheSmallestGrids) {
  for (const grid::Index cells : {grid::Index{1, 1, 1}, grid::Index{2, 1, 3}, grid::Index{7, 2, 1}}) {
    Gas<TypeParam> gas(3);
    gas.model.shape = grid::Shape(3, cells, 0.1);
    gas.model.sides[3] = Side::open;
    gas.params.confinement = 0.3;
    gas.params.viscosity = 0.01;
    gas.state = make_state<TypeParam>(gas.model);
    gas.emitters = {ball_emitter(Vec3(0.05, 0.05, 0.05), 0.1)};
    const StepReport report = gas.step(0.05);
    ASSERT_TRUE(report.ok) << report.trouble;
    EXPECT_TRUE(gas.finite());
  }
}

// Gas blown against a ball goes around it: nothing passes through its surface.
TYPED_TEST(SmokeStep, FlowsAroundASolidAndNotThroughIt) {
  Gas<TypeParam> gas(3, 24);
  gas.model.sides = {Side::wind, Side::wind, Side::slip, Side::slip, Side::slip, Side::slip};
  gas.params.wind = Vec3(1, 0, 0);
  BallSolid ball(Vec3(0.5, 0.5, 0.5), 0.2);
  gas.solids = {&ball};
  gas.state.velocity_x.assign(gas.model.shape.size(), 1);
  for (int i = 0; i < 4; ++i) {
    const StepReport report = gas.step(0.02);
    ASSERT_TRUE(report.ok) << report.trouble;
  }
  const auto in = projection_inputs(gas.model, gas.work.solids, Buffer<TypeParam>());
  const State<TypeParam>& state = gas.state;
  EXPECT_LT(grid::largest_imbalance<TypeParam>(in, velocity_views(gas.model, state)), 2e-3);
  // Beside the ball gas runs faster than the wind.
  EXPECT_GT(state.velocity_x[static_cast<std::size_t>(gas.model.shape.at(12, 18, 12))], 1.1);
}

// Solids that stay are kept from step to step; the result is that of placing them anew.
TYPED_TEST(SmokeStep, DoesNotDependOnKeptSolids) {
  auto run = [](bool kept) {
    Gas<TypeParam> gas(3, 12);
    gas.model.sides[3] = Side::open;
    BallSolid ball(Vec3(0.5, 0.6, 0.5), 0.15);
    gas.solids = {&ball};
    gas.emitters = {ball_emitter(Vec3(0.5, 0.2, 0.5), 0.15)};
    for (int i = 0; i < 6; ++i) {
      if (!kept) poison(gas.work);
      if (i == 3) ball.center.x() = 0.3;  // another solid at the same address
      EXPECT_TRUE(gas.step(0.05).ok);
    }
    return gas.state;
  };
  const State<TypeParam> a = run(true), b = run(false);
  EXPECT_EQ(a.velocity_y, b.velocity_y);
  EXPECT_EQ(a.density, b.density);
  EXPECT_EQ(a.pressure, b.pressure);
}

// u = sin x cos y, v = −cos x sin y decays at 2ν in a box of slippery walls; transport adds nothing to it but
// its own error.
TYPED_TEST(SmokeStep, LetsAViscousVortexDecayAtTheKnownRate) {
  Gas<TypeParam> gas(2, 32);
  gas.model.shape = grid::Shape(2, {32, 32, 1}, M_PI / 32);
  gas.model.sides.fill(Side::slip);
  gas.state = make_state<TypeParam>(gas.model);
  gas.params.reflect = true;
  gas.params.viscosity = 0.1;
  gas.params.advect = {grid::Scheme::maccormack, grid::Limiter::none, grid::Trace::midpoint};
  grid::fill(gas.model.shape, grid::Place::face_x, gas.state.velocity_x,
             [](const Vec3& x) { return std::sin(x.x()) * std::cos(x.y()); });
  grid::fill(gas.model.shape, grid::Place::face_y, gas.state.velocity_y,
             [](const Vec3& x) { return -std::cos(x.x()) * std::sin(x.y()); });
  const double before = top_speed(gas.model, gas.state);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(gas.step(0.05).ok);
  // Second order at 32 cells: a few parts in a thousand.
  EXPECT_NEAR(top_speed(gas.model, gas.state) / before, std::exp(-0.2), 0.005);
}

}  // namespace
