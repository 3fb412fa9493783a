// The conservative scheme: balance, volume, positivity, the sides, and what a user may do wrong.
#include "selkie/fluids/shallow_water/step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "selkie/core/error.h"
#include "selkie/core/hash.h"
#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/core/state_arrays.h"

namespace selkie::shallow_water {
namespace {

template <class Real = double>
struct Tank {
  Model<Real> model;
  Params params = {};
  Inputs inputs = {};
  State<Real> state = make_state(model), from = state;
  Work<Real> work = {};
  Tick tick = 0;
  StepReport last = {};

  std::size_t at(int i, int j) const { return static_cast<std::size_t>(model.grid.at(i, j)); }
  double limit() const { return step_limit(model, params, -inputs.gravity.y(), state); }
  bool advance(double dt) {
    from = state;
    last = step(model, params, inputs, {tick, tick + 1, dt}, from, state, work);
    ++tick;
    return last.ok;
  }
  // Steps of the tank's own choice; false when one failed.
  bool run(int steps) {
    for (int s = 0; s < steps; ++s)
      if (!advance(std::min(limit(), 1.0))) return false;
    return true;
  }
  double least_depth() const {
    double least = 1e300;
    for (int j = 0; j < model.grid.cells[1]; ++j)
      for (int i = 0; i < model.grid.cells[0]; ++i) least = std::min(least, double(state.depth[at(i, j)]));
    return least;
  }
  Hash128 hash() {
    Hasher hasher;
    add_to_hash(hasher, arrays_of(state));
    return hasher.value();
  }
};

Grid grid_of(int nx, int nz, double dx = 0.1) {
  Grid grid;
  grid.cells = {nx, nz};
  grid.cell_size = dx;
  return grid;
}

template <class Real = double>
Tank<Real> rough_tank(int nx, int nz) {
  Tank<Real> tank{make_model<Real>(grid_of(nx, nz), [](double x, double z) {
    return 0.3 * std::sin(5 * x) * std::cos(4 * z) + 0.05 * x;
  })};
  for (int j = 0; j < nz; ++j)
    for (int i = 0; i < nx; ++i) {
      const double depth = random_uniform(7, 1, static_cast<std::uint64_t>(j * nx + i), -0.3, 0.5);
      tank.state.depth[tank.at(i, j)] = static_cast<Real>(std::max(0.0, depth));
    }
  return tank;
}

TEST(ShallowWater, ALakeWithAnIslandStaysAtRestToRoundOff) {
  for (const Order order : {Order::first, Order::second})
    for (const Limiter limiter : {Limiter::minmod, Limiter::monotonised}) {
      Tank<double> tank{make_model<double>(grid_of(40, 30), [](double x, double z) {
        return 1.5 * std::exp(-2 * ((x - 2) * (x - 2) + (z - 1.5) * (z - 1.5))) + 0.1 * std::sin(7 * x);
      })};
      tank.params.order = order, tank.params.limiter = limiter;
      fill_to_level(
          tank.model, 0.8, [](double, double) { return true; }, tank.state);
      ASSERT_TRUE(tank.run(300)) << tank.last.trouble;
      // Rounding of the surface, 1e-16 m, once a step: far below the 1e-12 that is asked.
      EXPECT_LT(diagnose(tank.model, tank.state, 9.81, 1e-6).top_speed, 1e-12);
      EXPECT_EQ(tank.least_depth(), 0);
    }
}

TEST(ShallowWater, RandomPuddlesOverRoughGroundKeepTheirVolumeAndNeverTurnNegative) {
  for (const bool first : {true, false}) {
    Tank<double> tank = rough_tank(70, 50);
    if (first) tank.params.order = Order::first;
    const double start = volume(tank.model, tank.state);
    for (int s = 0; s < 300; ++s) {
      ASSERT_TRUE(tank.run(1)) << tank.last.trouble;
      ASSERT_GE(tank.least_depth(), 0) << s;
    }
    // 3500 cells of 300 steps, each rounded once: 1e-16 times the root of their number.
    EXPECT_NEAR(volume(tank.model, tank.state) / start, 1, 1e-13);
    EXPECT_LT(std::abs(tank.state.rounded), 1e-14 * start);
  }
}

TEST(ShallowWater, AheadOfAFrontTheWaterIsAtRestAndNotSubnormal) {
  Tank<float> tank{make_model<float>(
      grid_of(128, 128), [](double x, double z) { return 0.03 * std::sin(3 * x) * std::cos(2 * z); })};
  tank.params.limiter = Limiter::minmod;
  fill_to_level(
      tank.model, 0.2, [](double x, double) { return x < 6.4; }, tank.state);
  fill_to_level(
      tank.model, 0.1, [](double, double) { return true; }, tank.state);
  int subnormal = 0;
  for (int s = 0; s < 10; ++s) {
    ASSERT_TRUE(tank.run(1)) << tank.last.trouble;
    for (const Buffer<float>* flow : {&tank.state.flow_x, &tank.state.flow_z})
      subnormal += static_cast<int>(std::count_if(
          flow->begin(), flow->end(), [](float value) { return std::fpclassify(value) == FP_SUBNORMAL; }));
  }
  EXPECT_EQ(subnormal, 0);
}

TEST(ShallowWater, TheSameBitsComeOutForOneAndTwoThreadsAndForAnyScratch) {
  auto run = [](int threads, bool spoil) {
    set_thread_count(threads);
    Tank<float> tank = rough_tank<float>(300, 150);  // several tiles in both directions
    tank.params.friction = 0.03, tank.params.rain = 1e-3;
    for (int s = 0; s < 12; ++s) {
      if (spoil) poison(tank.work);
      EXPECT_TRUE(tank.run(1)) << tank.last.trouble;
    }
    set_thread_count(0);
    return tank.hash();
  };
  const Hash128 one = run(1, false);
  EXPECT_EQ(one, run(2, false));
  EXPECT_EQ(one, run(2, true));
}

TEST(ShallowWater, FloatKeepsToDouble) {
  Tank<float> narrow = rough_tank<float>(60, 40);
  Tank<double> wide = rough_tank<double>(60, 40);
  for (int s = 0; s < 100; ++s) ASSERT_TRUE(narrow.advance(1e-3) && wide.advance(1e-3));
  double worst = 0;
  for (int j = 0; j < 40; ++j)
    for (int i = 0; i < 60; ++i)
      worst = std::max(
          worst, std::abs(double(narrow.state.depth[narrow.at(i, j)]) - wide.state.depth[wide.at(i, j)]));
  // A limiter may choose differently where two slopes are equal; 1e-3 m of depths up to 0.5 m is ample.
  EXPECT_LT(worst, 1e-3);
}

TEST(ShallowWater, AMirroredSceneGivesTheMirroredResult) {
  auto run = [](bool turned) {
    const int nx = turned ? 30 : 50, nz = turned ? 50 : 30;
    Tank<double> tank{make_model<double>(grid_of(nx, nz), [&](double x, double z) {
      return 0.2 * std::sin(3 * (turned ? z : x)) + 0.1 * std::cos(5 * (turned ? x : z));
    })};
    fill_to_level(
        tank.model, 0.5, [&](double x, double z) { return (turned ? z : x) < 2; }, tank.state);
    for (int s = 0; s < 60; ++s) EXPECT_TRUE(tank.advance(2e-3));
    return tank;
  };
  const Tank<double> a = run(false), b = run(true);
  // x and z are swept by different loops but the same kernels; sums of two fluxes differ in order at most.
  for (int j = 0; j < 30; ++j)
    for (int i = 0; i < 50; ++i) ASSERT_NEAR(a.state.depth[a.at(i, j)], b.state.depth[b.at(j, i)], 1e-12);
}

TEST(ShallowWater, AWallInsideSendsEverythingBack) {
  Tank<double> tank{make_model<double>(grid_of(40, 4), [](double, double) { return 0.0; })};
  add_wall(tank.model, [](const Vec3& p) { return p.x() > 2 && p.x() < 2.2; });
  fill_to_level(
      tank.model, 1.0, [](double x, double) { return x < 1; }, tank.state);
  fill_to_level(
      tank.model, 0.5, [](double x, double) { return x < 2; }, tank.state);
  const double start = volume(tank.model, tank.state);
  ASSERT_TRUE(tank.run(400)) << tank.last.trouble;
  EXPECT_NEAR(volume(tank.model, tank.state), start, 1e-13 * start);
  for (int i = 20; i < 40; ++i) EXPECT_EQ(tank.state.depth[tank.at(i, 1)], 0) << i;
  // A wall inside is as good as the side of the domain: the same tank cut off there.
  Tank<double> cut{make_model<double>(grid_of(20, 4), [](double, double) { return 0.0; })};
  fill_to_level(
      cut.model, 1.0, [](double x, double) { return x < 1; }, cut.state);
  fill_to_level(
      cut.model, 0.5, [](double, double) { return true; }, cut.state);
  const double energy = diagnose(cut.model, cut.state, 9.81, 1e-6).potential;
  ASSERT_TRUE(cut.run(400));
  const Diagnostics a = diagnose(tank.model, tank.state, 9.81, 1e-6),
                    b = diagnose(cut.model, cut.state, 9.81, 1e-6);
  EXPECT_NEAR(a.kinetic + a.potential, b.kinetic + b.potential, 0.01 * energy);
}

TEST(ShallowWater, ARiverOfAGivenDischargeCarriesItThrough) {
  Tank<double> tank{make_model<double>(grid_of(60, 4), [](double, double) { return 0.0; })};
  tank.model.sides[kLowX].kind = SideKind::inflow;
  tank.model.sides[kHighX].kind = SideKind::sea;  // waves of the start leave there
  tank.inputs.sides[kLowX] = {0.5, 0.5, 0};
  tank.inputs.sides[kHighX] = {1, 1, 1};
  fill_to_level(
      tank.model, 1.0, [](double, double) { return true; }, tank.state);
  ASSERT_TRUE(tank.run(3000)) << tank.last.trouble;
  for (int i = 0; i < 60; i += 5) {
    EXPECT_NEAR(tank.state.flow_x[tank.at(i, 2)], 0.5, 1e-3) << i;
    // Still water outside, u - 2c = -2 c₀ coming in: u h = 0.5 with h = (u/2 + c₀)² / g is at h = 1.1444.
    EXPECT_NEAR(tank.state.depth[tank.at(i, 2)], 1.1444, 0.01) << i;
  }
}

// Surface and velocity fall at the same rate r(1 - d/W)², so a pulse that crosses the layer twice keeps
// exp(-2 r W / 3c) of what would come back without it, and the volume it takes is in the ledger.
TEST(ShallowWater, ADampingLayerTakesFromAPulseWhatItsRateSays) {
  const double width = 5, rate = 2, c = std::sqrt(9.81);
  auto returned = [&](bool layer) {
    Tank<double> tank{make_model<double>(grid_of(400, 1), [](double, double) { return 0.0; })};
    tank.model.sides[kHighX].kind = SideKind::level;
    tank.inputs.sides[kHighX] = {1, 1, 1};
    tank.params.damping_width = layer ? width : 0, tank.params.damping_rate = rate;
    tank.params.damping_level = 1;
    for (int i = 0; i < 400; ++i) {
      const double pulse = 1e-3 * std::exp(-std::pow(tank.model.grid.x(i) - 30, 2));
      tank.state.depth[tank.at(i, 0)] = 1 + pulse, tank.state.flow_x[tank.at(i, 0)] = c * pulse;
    }
    const double start = volume(tank.model, tank.state);
    for (double time = 0; time < 20 / c;) {
      const double dt = std::min(tank.limit(), 20 / c - time);
      EXPECT_TRUE(tank.advance(dt));
      time += dt;
    }
    const State<double>& s = tank.state;
    EXPECT_NEAR(volume(tank.model, s), start + s.through_sides + s.damped, 1e-13 * start);
    double largest = 0;
    for (int i = 0; i < 340; ++i) largest = std::max(largest, std::abs(s.depth[tank.at(i, 0)] - 1));
    return largest;
  };
  // 5 %: the pulse is a third as long as the layer, so that a little is sent back from within.
  EXPECT_NEAR(returned(true) / returned(false) / std::exp(-2 * rate * width / (3 * c)), 1, 0.05);
}

TEST(ShallowWater, WaterOnASlopeGathersSpeedAsAFreeBodyDoes) {
  Tank<double> tank{make_model<double>(grid_of(200, 2, 1), [](double x, double) { return -0.1 * x; })};
  tank.model.sides[kLowX].kind = tank.model.sides[kHighX].kind = SideKind::absorbing;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 200; ++i) tank.state.depth[tank.at(i, j)] = 1;
  for (int s = 0; s < 100; ++s) ASSERT_TRUE(tank.advance(0.02));
  const std::size_t middle = tank.at(100, 0);
  // a = g times the slope, for 2 s; far from the ends nothing else acts.
  EXPECT_NEAR(tank.state.flow_x[middle] / tank.state.depth[middle], 9.81 * 0.1 * 2, 1e-9);
}

TEST(ShallowWater, FrictionBringsARiverToManningsSpeed) {
  Tank<double> tank{make_model<double>(grid_of(300, 2, 1), [](double x, double) { return -0.01 * x; })};
  tank.model.sides[kLowX].kind = tank.model.sides[kHighX].kind = SideKind::absorbing;
  tank.params.friction = 0.05;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 300; ++i) tank.state.depth[tank.at(i, j)] = 0.5;
  for (int s = 0; s < 600; ++s) ASSERT_TRUE(tank.advance(0.03));
  const std::size_t middle = tank.at(200, 0);
  // Manning's speed R^(2/3) √slope / n, approached from rest as du/dt = g slope (1 - (u / U)²).
  const double full = std::pow(0.5, 2.0 / 3) * std::sqrt(0.01) / 0.05;
  const double expected = full * std::tanh(9.81 * 0.01 * 18 / full);
  // The implicit step is of first order: 0.03 s of some 6.
  EXPECT_NEAR(tank.state.flow_x[middle] / tank.state.depth[middle], expected, 0.005 * expected);
}

TEST(ShallowWater, SourcesSinksAndRainAreAccountedToRoundOff) {
  Tank<double> tank = rough_tank(40, 30);
  Source spring{{std::uint32_t(tank.at(5, 5)), std::uint32_t(tank.at(6, 5))}, 0.25};
  Source drain{{std::uint32_t(tank.at(20, 15))}, -50};  // more than there is
  const std::array<Source, 2> sources{spring, drain};
  tank.inputs.sources = sources;
  tank.params.rain = 0.01;
  const double start = volume(tank.model, tank.state);
  double time = 0;
  for (int s = 0; s < 100; ++s) {
    ASSERT_TRUE(tank.advance(1e-3));
    time += 1e-3;
  }
  EXPECT_GE(tank.least_depth(), 0);
  EXPECT_NEAR(tank.state.rained, 0.01 * time * 40 * 30 * 0.01, 1e-12);
  EXPECT_LT(tank.state.poured, 0.25 * time);
  const double gains = tank.state.rained + tank.state.poured + tank.state.rounded;
  EXPECT_NEAR(volume(tank.model, tank.state), start + gains, 1e-13 * start);
}

TEST(ShallowWater, RainTooLightForAFloatStillFalls) {
  Tank<float> tank{make_model<float>(grid_of(20, 20), [](double, double) { return 0.0; })};
  fill_to_level(
      tank.model, 5.0, [](double, double) { return true; }, tank.state);
  tank.params.rain = 3e-5;  // 1.5e-7 m a step, less than a third of the spacing of floats at 5 m
  const double start = volume(tank.model, tank.state);
  for (int s = 0; s < 4000; ++s) ASSERT_TRUE(tank.advance(5e-3));
  const double expected = 3e-5 * 20 * 4;  // rate, seconds, area
  EXPECT_NEAR(volume(tank.model, tank.state) - start, expected, 0.05 * expected);
}

TEST(ShallowWater, NoWaterAtAllIsHarmless) {
  Tank<float> tank{make_model<float>(grid_of(30, 20), [](double x, double) { return std::sin(x); })};
  EXPECT_EQ(tank.limit(), std::numeric_limits<double>::infinity());
  ASSERT_TRUE(tank.advance(1));
  EXPECT_EQ(volume(tank.model, tank.state), 0);
}

TEST(ShallowWater, AHugeDropOntoDryGroundStaysFiniteAndPositive) {
  Tank<float> tank{
      make_model<float>(grid_of(64, 64, 1), [](double x, double z) { return 0.5 * std::sin(x * z); })};
  tank.state.depth[tank.at(30, 30)] = 1e4f;
  const double start = volume(tank.model, tank.state);
  ASSERT_TRUE(tank.run(500)) << tank.last.trouble;
  EXPECT_GE(tank.least_depth(), 0);
  EXPECT_NEAR(volume(tank.model, tank.state) / start, 1, 1e-5);  // float, 4096 cells
}

TEST(ShallowWater, TenThousandGravitiesForAMomentPass) {
  Tank<float> tank = rough_tank<float>(50, 40);
  ASSERT_TRUE(tank.run(20));
  tank.inputs.gravity.y() = -98100;
  ASSERT_TRUE(tank.run(20)) << tank.last.trouble;
  tank.inputs.gravity.y() = -9.81;
  ASSERT_TRUE(tank.run(200)) << tank.last.trouble;
  EXPECT_GE(tank.least_depth(), 0);
}

TEST(ShallowWater, ATooLongStepIsReportedNotHidden) {
  Tank<double> tank = rough_tank(50, 40);
  EXPECT_FALSE(tank.advance(50 * tank.limit()));
  EXPECT_FALSE(tank.last.trouble.empty());
  Tank<double> lifted = rough_tank(10, 10);
  lifted.inputs.gravity.y() = 1;
  EXPECT_FALSE(lifted.advance(1e-3));
}

TEST(ShallowWater, NotANumberInTheStateIsReported) {
  Tank<float> tank = rough_tank<float>(50, 40);
  tank.state.flow_x[tank.at(20, 20)] = std::numeric_limits<float>::quiet_NaN();
  tank.state.depth[tank.at(20, 20)] = 0.3f;
  EXPECT_TRUE(std::isnan(tank.limit()));
  EXPECT_FALSE(tank.advance(1e-3));
}

TEST(ShallowWater, GroundThatIsNoNumberIsRefusedWithItsCell) {
  try {
    make_model<float>(grid_of(4, 4, 1), [](double x, double z) { return std::sqrt(2 - x) + z; });
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cell 2, 0"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace selkie::shallow_water
