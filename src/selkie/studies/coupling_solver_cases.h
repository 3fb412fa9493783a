// What the studies of solvers share: beams of the source's sizes, and a solve by the clock.
#pragma once

#include "selkie/studies/coupling_cases.h"

namespace selkie::studies::coupling_cases {

struct Beam {
  const char* name;
  std::array<int, 3> divisions;
};
// Spacings 1/25, 1/37.5 and 1/50 of the tank.
inline constexpr Beam kCoarse{"135/336", {2, 14, 2}}, kMiddle{"352/1134", {3, 21, 3}},
    kFine{"725/2688", {4, 28, 4}};

// What is free of the body: pinned vertices leave matrix, load and Jacobian.
template <class IsFree>
coupling::SparseRows choice_of_free(std::size_t vertices, IsFree&& is_free) {
  std::vector<int> free;
  for (std::size_t v = 0; v < vertices; ++v)
    if (is_free(v))
      for (int axis = 0; axis < 3; ++axis) free.push_back(3 * static_cast<int>(v) + axis);
  coupling::SparseRows choose(static_cast<int>(free.size()), 3 * static_cast<int>(vertices));
  for (int f = 0; f < choose.rows(); ++f) choose.insert(f, free[static_cast<std::size_t>(f)]) = 1;
  return choose;
}

struct Timing {
  double seconds = 0;
  int iterations = 0;
  std::ptrdiff_t entries = 0;
  bool ok = false;
  coupling::CoupledSolution solution;
};

// To 1e-10, without the assembly.
Timing time_form(const CoupledSystem& system, CoupledForm form, CoupledSolver solver);
double clock_seconds();

// Of pressures or velocities, the larger, relative to the second.
double difference(const coupling::CoupledSolution& a, const coupling::CoupledSolution& b);

Table dam_break_table(bool full);
Table dam_break_forms_table();

}  // namespace selkie::studies::coupling_cases
