// Modal bodies of one step as their encounters see them. Included by .cpp files only.
#pragma once

#include "selkie/solids/modal/step.h"

namespace selkie::modal::detail {

struct Meet {
  const Model& model;
  const Params& params;
  double h;      // s
  double touch;  // m, nearer than this counts as touching
  const State& from;
  State& to;
  Meeting& work;
};

// What the axes of each encounter see of the modes of both bodies, and how they move by impulses along them.
void fill_rows(const Meet& m);

// Impulses that stop the approach, on frames and modes of `to`.
void stop_approach(const Meet& m);

// Moves the frames apart by what Encounter::push asks for; velocities stay.
void push_apart(const Meet& m);

}  // namespace selkie::modal::detail
