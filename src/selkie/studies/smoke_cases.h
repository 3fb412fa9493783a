// What the tables of the smoke study share.
#pragma once

#include <string>

#include "selkie/fluids/smoke/step.h"
#include "selkie/grid/loops.h"
#include "selkie/grid/sample.h"
#include "selkie/studies/study.h"

namespace selkie::studies::smoke_cases {

std::string number(double value);

// A domain of gas that is stepped on its own, without a World.
struct Gas {
  smoke::Model model;
  smoke::Params params;
  smoke::Inputs inputs = {};
  smoke::State<double> state = smoke::make_state<double>(model);
  smoke::State<double> next = state;
  smoke::Work<double> work = {};
  Tick tick = 0;
  bool ok = true;

  // velocity(point): to every face.
  template <class Velocity>
  void set_velocity(Velocity&& velocity) {
    for (int axis = 0; axis < model.shape.dims(); ++axis)
      grid::fill(model.shape, grid::face_place(axis), *state.velocity()[static_cast<std::size_t>(axis)],
                 [&](const Vec3& x) { return velocity(x)[axis]; });
  }
  void advance(double dt);
  Vec3 velocity_at(const Vec3& point) const;
};

Table taylor_green_table(const std::vector<int>& sizes, bool also_plain);
Table cavity_table(int cells, int reynolds);
Table vortex_table();
Table confinement_table();
Table explosion_table();
Table shear_wave_table();
Table channel_table();
Table cavity_stability_table(int steps);
Table ring_table(const std::vector<int>& sizes);
Table ring_energy_table(int cells);

}  // namespace selkie::studies::smoke_cases
