// A box of gas that is stepped on its own, without a World, and what tests put into it.
#pragma once

#include <cmath>
#include <vector>

#include "selkie/fluids/smoke/step.h"
#include "selkie/grid/loops.h"

namespace selkie::test {

using namespace selkie::smoke;

constexpr double kTick = 1e-9;
inline Interval interval_of(double t0, double t1) {
  return {static_cast<Tick>(std::llround(t0 / kTick)), static_cast<Tick>(std::llround(t1 / kTick)), kTick};
}

struct BallSolid : ports::FieldSampler {
  Vec3 center, velocity = Vec3::Zero();
  double radius;
  bool moves = false;
  BallSolid(const Vec3& c, double r) : center(c), radius(r) {}
  ports::FieldSample sample(const Vec3& x, double) const override {
    const Vec3 out = x - center;
    const double d = out.norm();
    return {d - radius, d > 0 ? Vec3(out / d) : Vec3(Vec3::UnitY()), velocity};
  }
  bool still() const override { return !moves; }
};

template <class Real>
struct Gas {
  Model model;
  Params params;
  State<Real> state;
  Work<Real> work;
  std::vector<Emitter> emitters;
  std::vector<const ports::FieldSampler*> solids;
  double time = 0;

  explicit Gas(int dims, int cells = 16) {
    model.shape = grid::Shape(dims, {cells, cells, cells}, 1.0 / cells);
    model.sides.fill(Side::closed);
    state = make_state<Real>(model);
  }
  StepReport step(double dt) {
    const State<Real> from = state;
    Inputs inputs;
    inputs.emitters.list = emitters;
    inputs.colliders = solids;
    const StepReport report =
        smoke::step(model, params, inputs, interval_of(time, time + dt), from, state, work);
    time += dt;
    return report;
  }
  void fill_density(double value) {
    grid::fill(model.shape, grid::Place::cell, state.density, [&](const Vec3&) { return value; });
  }
  bool finite() const {
    for (const auto* field : {&state.velocity_x, &state.velocity_y, &state.velocity_z, &state.density,
                              &state.temperature, &state.pressure})
      for (const Real value : *field)
        if (!std::isfinite(value)) return false;
    return true;
  }
};

inline Emitter ball_emitter(const Vec3& center, double radius) {
  Emitter emitter;
  emitter.shape = geometry::AnalyticShape{.ball = geometry::Ball{center, radius}};
  return emitter;
}

}  // namespace selkie::test
