// The staggered method, and the rule of the shore. [RT-55, RT-56, RT-59]
#include <gtest/gtest.h>

#include <cmath>

#include "selkie/fluids/shallow_water/step.h"
#include "selkie/fluids/shallow_water/wet.h"

namespace selkie::shallow_water {
namespace {

struct Basin {
  Model<double> model;
  Params params = {};
  Inputs inputs = {};
  State<double> state = make_state(model), from = state;
  Work<double> work = {};
  Tick tick = 0;

  std::size_t at(int i, int j) const { return static_cast<std::size_t>(model.grid.at(i, j)); }
  void advance(double dt) {
    from = state;
    const StepReport report = step(model, params, inputs, {tick, tick + 1, dt}, from, state, work);
    ASSERT_TRUE(report.ok) << report.trouble;
    ++tick;
  }
};

Basin basin(int nx, int nz, double dx, FunctionRef<double(double, double)> ground) {
  Grid grid;
  grid.cells = {nx, nz};
  grid.cell_size = dx;
  Basin b{make_model<double>(grid, ground)};
  b.model.method = Method::semi_lagrangian;
  return b;
}

TEST(SemiLagrangian, ALakeOverSubmergedGroundStaysAtRest) {
  Basin b = basin(30, 20, 0.5, [](double x, double z) { return 0.3 * std::sin(x) * std::cos(z); });
  fill_to_level(
      b.model, 1.0, [](double, double) { return true; }, b.state);
  for (int s = 0; s < 200; ++s) b.advance(0.02);
  // Rounding of depth plus ground, over 200 steps.
  EXPECT_LT(diagnose(b.model, b.state, 9.81, 1e-6).top_speed, 1e-12);
}

TEST(SemiLagrangian, EvenWaterOnASlopeAcceleratesAsGravityTimesSlope) {
  Basin b = basin(50, 2, 1, [](double x, double) { return -0.05 * x; });
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 50; ++i) b.state.depth[b.at(i, j)] = 1;
  b.advance(0.1);
  EXPECT_NEAR(b.state.flow_x[b.at(25, 0)], 9.81 * 0.05 * 0.1, 1e-12);
}

TEST(SemiLagrangian, APulseRunsAtTheSpeedOfShallowWater) {
  Basin b = basin(400, 2, 0.05, [](double, double) { return 0.0; });
  auto shape = [](double x) { return 1e-3 * std::exp(-0.5 * std::pow((x - 5) / 0.5, 2)); };
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 400; ++i) {
      b.state.depth[b.at(i, j)] = 1 + shape(b.model.grid.x(i));
      b.state.flow_x[b.at(i, j)] = std::sqrt(10.0) * shape(i * 0.05);
    }
  b.inputs.gravity = Vec3(0, -10, 0);
  for (int s = 0; s < 300; ++s) b.advance(0.01);
  int crest = 0;
  for (int i = 0; i < 400; ++i)
    if (b.state.depth[b.at(i, 0)] > b.state.depth[b.at(crest, 0)]) crest = i;
  EXPECT_NEAR(b.model.grid.x(crest) - 5, 3.162 * 3, 0.1);  // two cells
}

TEST(SemiLagrangian, AFilmThinnerThanTheThresholdStopsAtTheDryGround) {
  Basin b = basin(60, 2, 0.1, [](double, double) { return 0.0; });
  fill_to_level(
      b.model, 5e-4, [](double x, double) { return x < 1; }, b.state);
  for (int s = 0; s < 50; ++s) b.advance(0.02);
  for (int i = 10; i < 60; ++i) EXPECT_EQ(b.state.depth[b.at(i, 0)], 0) << i;
}

// A pulse runs against a wall inside, comes back from it and from the side: as in a basin that ends there.
TEST(SemiLagrangian, AWallInsideIsAsGoodAsTheSideOfTheBasin) {
  auto run = [](bool inside) {
    Basin b = basin(inside ? 120 : 100, 3, 0.05, [](double, double) { return 0.0; });
    if (inside) add_wall(b.model, [](const Vec3& p) { return p.x() > 5; });
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 100; ++i)
        b.state.depth[b.at(i, j)] = 1 + 0.01 * std::exp(-0.5 * std::pow((b.model.grid.x(i) - 3) / 0.4, 2));
    for (int s = 0; s < 300; ++s) b.advance(0.01);
    return b;
  };
  const Basin wall = run(true), side = run(false);
  double highest = 0;
  for (int i = 0; i < 100; ++i) {
    EXPECT_NEAR(wall.state.depth[wall.at(i, 1)], side.state.depth[side.at(i, 1)], 1e-13) << i;
    highest = std::max(highest, std::abs(wall.state.depth[wall.at(i, 1)] - 1));
  }
  EXPECT_GT(highest, 0.003) << "the pulse is still there";
  EXPECT_NEAR(volume(wall.model, wall.state), volume(side.model, side.state), 1e-12);
}

// What a push, a body or tilted gravity leaves on the faces of closed sides and of walls must not flow.
TEST(SemiLagrangian, NothingPassesClosedSidesHoweverTheyArePushed) {
  Basin b = basin(20, 12, 0.1, [](double, double) { return 0.0; });
  add_wall(b.model, [](const Vec3& p) { return p.x() > 1 && p.x() < 1.2 && p.z() > 0.4; });
  fill_to_level(
      b.model, 0.5, [](double, double) { return true; }, b.state);
  const double start = volume(b.model, b.state);
  for (int j = 0; j < 12; ++j) b.state.flow_x[b.at(0, j)] = 1, b.state.flow_x[b.at(20, j)] = -1;
  for (int i = 0; i < 20; ++i) b.state.flow_z[b.at(i, 0)] = 1, b.state.flow_z[b.at(i, 12)] = -1;
  for (int j = 6; j < 12; ++j) b.state.flow_x[b.at(10, j)] = 0.5, b.state.flow_x[b.at(12, j)] = -0.5;
  b.advance(0.01);
  EXPECT_NEAR(volume(b.model, b.state), start, 1e-15);
  for (int j = 0; j < 12; ++j)
    for (int i = 0; i < 20; ++i) {
      if (b.model.wall(i, j)) continue;
      EXPECT_EQ(b.state.depth[b.at(i, j)], 0.5) << i << ' ' << j;
    }
}

TEST(SemiLagrangian, TheThresholdOfTheShoreIsAParameter) {
  for (const double least : {1e-3, 1e-4}) {
    Basin b = basin(60, 2, 0.1, [](double, double) { return 0.0; });
    b.params.shore_depth = least;
    fill_to_level(
        b.model, 5e-4, [](double x, double) { return x < 1; }, b.state);
    for (int s = 0; s < 50; ++s) b.advance(0.02);
    EXPECT_EQ(b.state.depth[b.at(10, 0)] > 0, least < 5e-4) << "the first cell beyond";
  }
}

TEST(Shore, TheFillRatioRunsFromDryToUnderWater) {
  Basin b = basin(5, 5, 1, [](double x, double) { return 0.1 * x; });
  const ShoreRule<double> rule;
  EXPECT_TRUE(rule.judge(b.model, b.state.depth, 2, 2).dry);
  fill_to_level(
      b.model, 0.27, [](double, double) { return true; }, b.state);
  EXPECT_EQ(rule.judge(b.model, b.state.depth, 0, 2).fill, 1);
  const double at_shore =
      rule.judge(b.model, b.state.depth, 2, 2).fill;  // ground 0.25, neighbours 0.15 and 0.35
  EXPECT_NEAR(at_shore, (0.27 - 0.2) / (0.3 + 1e-3 - 0.2), 1e-9);
  EXPECT_TRUE(rule.judge(b.model, b.state.depth, 4, 2).dry);
}

}  // namespace
}  // namespace selkie::shallow_water
