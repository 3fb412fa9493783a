// One joint solve out of the scene dam-break-beam, for solvers to be compared on. Apart from
// coupling_cases.h, whose names of the grid's places would clash with those of the scene.
#pragma once

#include <array>

#include "selkie/coupling/coupled_system.h"
#include "selkie/coupling/group_solve.h"
#include "selkie/solids/fem/model.h"
#include "selkie/solids/fem/params.h"

namespace selkie::studies::coupling_cases {

struct DamBreakSolve {
  double time = 0;  // s, when it was taken
  // The liquid's part and J, whose rows are all three directions of every vertex.
  coupling::SparseRows b, jacobian;
  coupling::Vector flux;
  // The beam where it is in this sub-step.
  fem::Model model;
  fem::Params params;
  Buffer<Vec3> positions;
  Buffer<std::uint8_t> pinned;
  coupling::Vector free_velocity;
  double dt = 0;  // s
  // The World's own solver on it, to 1e-10 from zero; seconds with what it takes to make the multigrid and to
  // linearise and factorise the beam.
  coupling::GroupReport report;
  coupling::CoupledSolution solution;
  double seconds = 0, set_up_seconds = 0;
};

// The first joint solve after `time` seconds of the dam break.
DamBreakSolve dam_break_solve(int cells, const std::array<int, 3>& divisions, double time);

}  // namespace selkie::studies::coupling_cases
