// Accelerations from outside, along the ground and upright. [RT-60]
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "selkie/fluids/shallow_water/step.h"

namespace selkie::shallow_water {
namespace {

struct Trough {
  Model<double> model;
  Params params = {};
  Inputs inputs = {};
  State<double> state = make_state(model), from = state;
  Work<double> work = {};
  Tick tick = 0;
  double time = 0;
  std::array<std::vector<double>, 3> field = {};

  std::size_t at(int i, int j) const { return static_cast<std::size_t>(model.grid.at(i, j)); }
  template <class Acceleration>
  void set_field(Acceleration&& acceleration) {
    for (auto& part : field) part.assign(model.grid.size(), 0);
    for (int j = 0; j < model.grid.cells[1]; ++j)
      for (int i = 0; i < model.grid.cells[0]; ++i) {
        const Vec3 a = acceleration(model.grid.x(i), model.grid.z(j));
        for (int d = 0; d < 3; ++d) field[static_cast<std::size_t>(d)][at(i, j)] = a[d];
      }
    inputs.field = {field[0], field[1], field[2]};
  }
  void advance(double dt) {
    from = state;
    const StepReport report = step(model, params, inputs, {tick, tick + 1, dt}, from, state, work);
    ASSERT_TRUE(report.ok) << report.trouble;
    ++tick, time += dt;
  }
};

Trough trough(Method method, int nx, int nz, double dx) {
  Grid grid;
  grid.cells = {nx, nz};
  grid.cell_size = dx;
  Trough t{make_model<double>(grid, [](double, double) { return 0.0; })};
  t.model.method = method;
  for (int j = 0; j < nz; ++j)
    for (int i = 0; i < nx; ++i) t.state.depth[t.at(i, j)] = 1;
  return t;
}

TEST(ShallowField, WhatLiesAlongTheGroundMovesTheWater) {
  for (const Method method : {Method::conservative, Method::semi_lagrangian}) {
    Trough t = trough(method, 30, 30, 0.5);
    t.set_field([](double, double) { return Vec3(0.2, 0, -0.3); });
    t.advance(1e-3);
    EXPECT_NEAR(t.state.flow_x[t.at(15, 15)], 2e-4, 1e-12);
    EXPECT_NEAR(t.state.flow_z[t.at(15, 15)], -3e-4, 1e-12);
  }
}

// A uniform upright field is more or less gravity: the period of a seiche is that of g - a.
TEST(ShallowField, AnUprightFieldChangesTheSpeedOfWaves) {
  for (const Method method : {Method::conservative, Method::semi_lagrangian})
    for (const double lift : {4.0, -6.0}) {
      Trough t = trough(method, 100, 1, 0.1);
      t.set_field([&](double, double) { return Vec3(0, lift, 0); });
      for (int i = 0; i < 100; ++i)
        t.state.depth[t.at(i, 0)] = 1 + 1e-5 * std::cos(std::numbers::pi * t.model.grid.x(i) / 10);
      std::vector<double> zeros;
      double before = t.state.depth[t.at(0, 0)] - 1;
      const double dt = 0.005;
      while (zeros.size() < 3 && t.time < 60) {
        t.advance(dt);
        const double now = t.state.depth[t.at(0, 0)] - 1;
        if (before * now < 0) zeros.push_back(t.time - dt * now / (now - before));
        before = now;
      }
      ASSERT_EQ(zeros.size(), 3u);
      // 3e-3: the field acts once per step, after the fluxes; second order in k dx = 0.03, first in ω dt.
      EXPECT_NEAR((zeros[2] - zeros[0]) / (20 / std::sqrt(9.81 - lift)), 1, 3e-3) << lift;
    }
}

// At rest a∇h + ½h∇a = 0 with a = g - lift: a h² is the same everywhere, half the dip of a pressure.
TEST(ShallowField, WaterRestsWhereTheDepthAverageOfTheFieldSays) {
  for (const Method method : {Method::conservative, Method::semi_lagrangian}) {
    double drift[2];
    for (int level = 0; level < 2; ++level) {
      const int cells = 50 << level;
      Trough t = trough(method, cells, 1, 10.0 / cells);
      auto lift = [](double x) { return 2 * std::sin(0.2 * std::numbers::pi * x); };
      t.set_field([&](double x, double) { return Vec3(0, lift(x), 0); });
      auto rest = [&](double x) { return std::sqrt(9.81 / (9.81 - lift(x))); };
      for (int i = 0; i < cells; ++i) t.state.depth[t.at(i, 0)] = rest(t.model.grid.x(i));
      while (t.time < 3) t.advance(0.25 * step_limit(t.model, t.params, 9.81, t.state));
      drift[level] = 0;
      for (int i = 0; i < cells; ++i)
        drift[level] = std::max(drift[level], std::abs(t.state.depth[t.at(i, 0)] - rest(t.model.grid.x(i))));
    }
    EXPECT_LT(drift[1], 2e-3);
    EXPECT_GT(drift[0] / drift[1], 1.8) << "at least first order at the walls";
  }
}

TEST(ShallowField, PressingWaterShortensTheStep) {
  Trough t = trough(Method::conservative, 20, 20, 0.1);
  const double free = step_limit(t.model, t.params, 9.81, t.state);
  t.set_field([](double x, double) { return Vec3(0, x < 1 ? -3 * 9.81 : 0, 0); });
  t.advance(1e-4);
  EXPECT_NEAR(step_limit(t.model, t.params, 9.81, t.state) / free, 0.5, 0.01);
}

}  // namespace
}  // namespace selkie::shallow_water
