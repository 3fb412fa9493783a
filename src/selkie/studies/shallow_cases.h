// What the tables of the shallow water study share.
#pragma once

#include <string>
#include <vector>

#include "selkie/fluids/shallow_water/step.h"
#include "selkie/studies/study.h"

namespace selkie::studies::shallow_cases {

std::string number(double value);

// Water that is stepped on its own, without a World.
template <class Real>
struct Water {
  shallow_water::Model<Real> model;
  shallow_water::Params params = {};
  shallow_water::Inputs inputs = {};
  shallow_water::State<Real> state = shallow_water::make_state(model);
  shallow_water::State<Real> from = state;
  shallow_water::Work<Real> work = {};
  Tick tick = 0;
  double time = 0;
  int steps = 0;
  bool ok = true;

  std::size_t at(int i, int j) const { return static_cast<std::size_t>(model.grid.at(i, j)); }
  double depth(int i, int j) const { return static_cast<double>(state.depth[at(i, j)]); }
  // depth(x, z) and velocity (x, z) to every cell; for the conservative method.
  template <class Depth, class Velocity>
  void set(Depth&& depth_at, Velocity&& velocity_at) {
    for (int j = 0; j < model.grid.cells[1]; ++j)
      for (int i = 0; i < model.grid.cells[0]; ++i) {
        const double x = model.grid.x(i), z = model.grid.z(j), h = depth_at(x, z);
        const Vec2 v = velocity_at(x, z);
        state.depth[at(i, j)] = static_cast<Real>(h);
        state.flow_x[at(i, j)] = static_cast<Real>(h * v.x());
        state.flow_z[at(i, j)] = static_cast<Real>(h * v.y());
      }
  }
  void advance(double dt) {
    from = state;
    const StepReport report =
        shallow_water::step<Real>(model, params, inputs, {tick, tick + 1, dt}, from, state, work);
    ok = ok && report.ok;
    time += dt, ++tick, ++steps;
  }
  double limit() const { return shallow_water::step_limit(model, params, -inputs.gravity.y(), state); }
  void run_until(double end) {
    while (ok && time < end * (1 - 1e-12)) advance(std::min(limit(), end - time));
  }
};

// A rectangle of cells with its low corner at (low, low).
shallow_water::Grid grid_of(int columns, int rows, double cell_size, double low_x = 0, double low_z = 0);

// Exact dam break over a flat ground at ξ = (x - dam) / t; right = 0 is Ritter's.
struct DamBreak {
  double left, right, gravity = 9.81;
  double middle = 0, speed = 0, shock = 0;  // depth and velocity of the plateau, speed of the front

  DamBreak(double left_depth, double right_depth);
  double depth(double xi) const;
};
// L1 error of the depth in m² on 20 m at t = 2 s.
double dam_break_error(const DamBreak& exact, int cells, shallow_water::Order order);

Table dam_table(const std::vector<int>& sizes);
Table plateau_table(int cells);
Table rest_table(int cells, int steps);
Table seiche_table(int cells);
Table absorbing_table();
Table bowl_table(const std::vector<int>& sizes, bool planar);
Table ledger_table(int steps);
Table heave_table();

}  // namespace selkie::studies::shallow_cases
