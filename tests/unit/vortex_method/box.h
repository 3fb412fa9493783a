// A domain that is stepped on its own, without a World.
#pragma once

#include "selkie/fluids/vortex_method/step.h"
#include "selkie/fluids/vortex_method/vortices.h"

namespace selkie::test {

template <class Real>
struct VortexBox {
  vortex_method::Model model;
  vortex_method::Params params = {};
  vortex_method::State<Real> state = vortex_method::make_state<Real>(model);
  vortex_method::State<Real> next = state;
  vortex_method::Work<Real> work = {};
  Tick tick = 0;

  // Seconds that the longest steps made, or −1 after trouble.
  double advance(int steps) {
    double time = 0;
    if (tick == 0 && !vortex_method::begin(model, params, state, work).ok) return -1;
    for (int s = 0; s < steps; ++s, ++tick) {
      const double dt = vortex_method::step_limit(model, params, state, work);
      next = state;
      if (!vortex_method::step(model, params, {tick, tick + 1, dt}, state, next, work).ok) return -1;
      state = next;
      time += dt;
    }
    return time;
  }
  StepReport find_flow() {
    return vortex_method::find_flow(model, params, state.positions, state.strengths, state.stream(),
                                    work.flow);
  }
};

// The unit cube.
inline vortex_method::Model cube(int cells) {
  return vortex_method::make_model(grid::Shape(3, {cells, cells, cells}, 1.0 / cells));
}

}  // namespace selkie::test
