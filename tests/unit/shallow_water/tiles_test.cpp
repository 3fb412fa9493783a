// Both stages of a step run in tiles of 256 (float) columns and 64 rows: no cut may leave a trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "selkie/core/random.h"
#include "selkie/fluids/shallow_water/step.h"

namespace selkie::shallow_water {
namespace {

struct Pond {
  Model<float> model;
  Params params = {};
  Inputs inputs = {};
  State<float> state = make_state(model);
  Work<float> work = {};

  std::size_t at(int i, int j) const { return static_cast<std::size_t>(model.grid.at(i, j)); }
};

// Puddles on rough ground with a rock; every side of another kind. `turned` swaps x and z.
Pond puddles(int nx, int nz, bool turned, bool open) {
  Grid grid;
  grid.cells = {turned ? nz : nx, turned ? nx : nz};
  grid.cell_size = 0.1;
  Pond pond{make_model<float>(grid, [&](double a, double b) {
    const double x = turned ? b : a, z = turned ? a : b;
    return 0.3 * std::sin(2 * x) * std::cos(3 * z);
  })};
  add_wall(pond.model, [&](const Vec3& p) {
    const double x = turned ? p.z() : p.x(), z = turned ? p.x() : p.z();
    return std::hypot(x - 0.05 * nx, z - 0.05 * nz) < 0.6;
  });
  const std::array<SideKind, kSideCount> kinds{SideKind::sea, SideKind::inflow, SideKind::absorbing,
                                               SideKind::level};
  for (std::size_t s = 0; open && s < kSideCount; ++s) {
    const std::size_t side = turned ? (s + 2) % 4 : s;
    pond.model.sides[side].kind = kinds[s];
    pond.inputs.sides[side] = {0.3, 0.35, 0.3};
  }
  for (int j = 0; j < nz; ++j)
    for (int i = 0; i < nx; ++i) {
      const double depth = random_uniform(3, 1, static_cast<std::uint64_t>(j * nx + i), -0.2, 0.5);
      if (turned ? pond.model.wall(j, i) : pond.model.wall(i, j)) continue;
      pond.state.depth[turned ? pond.at(j, i) : pond.at(i, j)] = static_cast<float>(std::max(0.0, depth));
    }
  return pond;
}

void run(Pond& pond, int steps, double longest = 1) {
  for (int s = 0; s < steps; ++s) {
    const State<float> from = pond.state;
    const double dt = std::min(longest, step_limit(pond.model, pond.params, 9.81, from));
    const StepReport report =
        step(pond.model, pond.params, pond.inputs, {s, s + 1, dt}, from, pond.state, pond.work);
    ASSERT_TRUE(report.ok) << report.trouble;
  }
}

// Rows and columns are cut at different places, and every sum has the same terms either way: equal bits.
TEST(ShallowWaterTiles, SwappingTheAxesSwapsTheResultToTheLastBit) {
  for (const bool open : {false, true})
    for (const auto& [nx, nz] : {std::pair{65, 257}, {300, 130}, {3, 70}, {1, 258}}) {
      Pond one = puddles(nx, nz, false, open), other = puddles(nx, nz, true, open);
      const double longest = 0.002;  // s: what comes in may be swifter than what is there
      run(one, 60, longest), run(other, 60, longest);
      int different = 0;
      for (int j = 0; j < nz; ++j)
        for (int i = 0; i < nx; ++i)
          different += one.state.depth[one.at(i, j)] != other.state.depth[other.at(j, i)] ||
                       one.state.flow_x[one.at(i, j)] != other.state.flow_z[other.at(j, i)] ||
                       one.state.flow_z[one.at(i, j)] != other.state.flow_x[other.at(j, i)];
      EXPECT_EQ(different, 0) << nx << " x " << nz << (open ? " open" : "");
    }
}

// A dam across z: every row is the same one-dimensional problem, whatever tile it lies in.
TEST(ShallowWaterTiles, EveryRowOfADamBreakIsTheRowOfANarrowChannel) {
  auto dam = [](int rows) {
    Grid grid;
    grid.cells = {300, rows};
    grid.cell_size = 0.1;
    Pond pond{make_model<float>(grid, [](double x, double) { return 0.1 * std::sin(x); })};
    fill_to_level(
        pond.model, 0.8, [](double x, double) { return x < 12; }, pond.state);
    return pond;
  };
  Pond wide = dam(131), narrow = dam(1);
  run(wide, 40), run(narrow, 40);
  int different = 0;
  for (int j = 0; j < 131; ++j)
    for (int i = 0; i < 300; ++i)
      different += wide.state.depth[wide.at(i, j)] != narrow.state.depth[narrow.at(i, 0)] ||
                   wide.state.flow_x[wide.at(i, j)] != narrow.state.flow_x[narrow.at(i, 0)] ||
                   wide.state.flow_z[wide.at(i, j)] != 0;
  EXPECT_EQ(different, 0);
  EXPECT_GT(wide.state.depth[wide.at(130, 70)], 0.01f);  // the front has passed here
}

}  // namespace
}  // namespace selkie::shallow_water
