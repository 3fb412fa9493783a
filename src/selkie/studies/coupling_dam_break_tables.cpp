// Solvers on a joint solve that is taken out of the scene dam-break-beam as it runs (LE-44, LE-47).
#include <fmt/format.h>

#include "selkie/solids/fem/material.h"
#include "selkie/studies/coupling_dam_break.h"
#include "selkie/studies/coupling_solver_cases.h"

namespace selkie::studies::coupling_cases {
namespace {

using coupling::SparseRows;
using coupling::Vector;

constexpr double kDamBreakTime = 0.3;  // s, when the water stands at the beam

SparseRows free_vertices(const DamBreakSolve& taken) {
  return choice_of_free(taken.model.vertex_count, [&](std::size_t v) { return taken.pinned[v] == 0; });
}
coupling::CoupledSolution free_part(coupling::CoupledSolution solution, const SparseRows& choose) {
  if (solution.velocity.size() == choose.cols()) solution.velocity = choose * solution.velocity;
  return solution;
}

// The joint solve of a running scene as matrices: what the World solves without ever assembling it.
CoupledSystem system_of(const DamBreakSolve& taken, const SparseRows& choose) {
  const fem::Lame lame = fem::lame(taken.params.young, taken.params.poisson);
  const SparseRows back = choose.transpose();
  CoupledSystem s;
  s.b = taken.b, s.flux = taken.flux;
  s.jacobian = choose * taken.jacobian;
  s.stiffness = SparseRows(
      SparseRows(choose * turned_stiffness_of(taken.model, lame.mu, lame.lambda, taken.positions)) * back);
  s.mass = choose * masses_of(taken.model);
  s.dt = taken.dt;
  s.mass_damping = taken.params.mass_damping, s.stiffness_damping = taken.params.stiffness_damping;
  // w = −S v_free, v_free the velocity without any pressure.
  const Vector free = choose * taken.free_velocity;
  s.w = -(s.mass_factor() * s.mass.cwiseProduct(free) + s.stiffness_factor() * (s.stiffness * free));
  return s;
}

}  // namespace

Table dam_break_table(bool full) {
  Table table{
      "The dam break itself at 1e-10: one joint solve out of the running scene",
      {"cells", "nodes/tets", "t s", "dt s", "liquid cells", "wet dofs", "IC-CG iterations", "s", "ours", "s",
       "of which set-up", "IC-CG/ours", "wanted", "difference"},
      {},
      "scenes/dam-break-beam.toml once the water stands at the beam, linear load, both from zero. IC-CG: "
      "positive form as matrices read off the scene's sides, time without their assembly. Ours: as the scene "
      "solves, with the multigrid's and the beam's set-up, on all threads. Pass: both converge and agree "
      "within 1e-8, at full size 5 times as fast at 60³ and 10 times at 100³, and at most 1.5 times the "
      "first "
      "row's iterations."};
  struct Row {
    int cells;
    Beam beam;
    double least_gain;
  };
  const std::vector<Row> rows = full ? std::vector<Row>{{40, kCoarse, 0}, {60, kMiddle, 5}, {100, kFine, 10}}
                                     : std::vector<Row>{{24, kCoarse, 0}};
  int first_iterations = 0;
  for (const Row& row : rows) {
    const DamBreakSolve taken = dam_break_solve(row.cells, row.beam.divisions, kDamBreakTime);
    const SparseRows choose = free_vertices(taken);
    const CoupledSystem system = system_of(taken, choose);
    const Timing reference = time_form(system, CoupledForm::positive, CoupledSolver::incomplete_cholesky);
    const double apart = difference(free_part(taken.solution, choose), reference.solution),
                 gain = reference.seconds / taken.seconds;
    const int iterations = taken.report.solve.iterations;
    if (first_iterations == 0) first_iterations = iterations;
    int wet = 0;
    for (int r = 0; r < system.jacobian.rows(); ++r)
      wet += SparseRows::InnerIterator(system.jacobian, r) ? 1 : 0;
    table.rows.push_back(
        {{fmt::format("{}³", row.cells), row.beam.name, fmt::format("{:.3f}", taken.time),
          fmt::format("{:.4f}", taken.dt), fmt::format("{}", system.b.rows()), fmt::format("{}", wet),
          fmt::format("{}", reference.iterations), number(reference.seconds), fmt::format("{}", iterations),
          number(taken.seconds), number(taken.set_up_seconds), number(gain),
          row.least_gain > 0 ? fmt::format("{:g}", row.least_gain) : "-", number(apart)},
         reference.ok && taken.report.solve.converged() && wet > 0 && apart < 1e-8 &&
             gain >= row.least_gain && (!full || 2 * iterations <= 3 * first_iterations)});
  }
  return table;
}

Table dam_break_forms_table() {
  constexpr int kCells = 24;
  Table table{
      fmt::format("All forms and solvers on a joint solve of the dam break, {}³ cells (LE-44)", kCells),
      {"form", "solver", "σ", "α", "unknowns", "entries", "iterations", "difference", "imbalance"},
      {},
      "The solve of the table above; iterations to 1e-12, ours to 1e-10. Difference: of pressures or "
      "velocities "
      "from the first row's, relative. Pass: 1e-10 for direct solves, 1e-8 for iterations."};
  const DamBreakSolve taken = dam_break_solve(kCells, kCoarse.divisions, kDamBreakTime);
  const SparseRows choose = free_vertices(taken);
  CoupledSystem system = system_of(taken, choose);
  const fem::Lame lame = fem::lame(taken.params.young, taken.params.poisson);
  system.root =
      stress_root_of(taken.model, lame.mu, lame.lambda, &taken.positions) * SparseRows(choose.transpose());
  add_forms(system, table);
  const coupling::CoupledMatrix matrix = coupling::assemble(system, CoupledForm::indefinite);
  Vector unknowns;
  (void)coupling::solve(matrix, CoupledSolver::direct, {}, unknowns);
  const coupling::CoupledSolution ours = free_part(taken.solution, choose);
  const double apart = difference(ours, coupling::read_solution(system, matrix, unknowns));
  table.rows.push_back({{"pressures", "ours", "-", "-", fmt::format("{}", system.b.rows()), "-",
                         fmt::format("{}", taken.report.solve.iterations), number(apart),
                         number(coupling::imbalance(system, ours))},
                        apart < 1e-8});
  return table;
}

}  // namespace selkie::studies::coupling_cases
