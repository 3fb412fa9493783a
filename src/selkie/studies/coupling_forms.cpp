// Every form of a coupled solve against every other (LE-37 … LE-42), and a small bath in space whose body has
// bent and turned: its stiffness is that of turned elements, and the stress-like form carries their
// rotations.
#include <fmt/format.h>

#include <cmath>

#include "selkie/geometry/generators.h"
#include "selkie/solids/fem/elements.h"
#include "selkie/solids/fem/material.h"
#include "selkie/studies/coupling_cases.h"

namespace selkie::studies::coupling_cases {
namespace {

using coupling::SparseRows;
using coupling::Vector;

// A block of 0.4 × 0.25 × 0.3 m, twisted about its length by 1 rad from end to end and turned by 0.9 rad,
// free under water of 10³ cells with a wave on it.
CoupledSystem turned_bath() {
  constexpr double kDensity = 1000, kGravity = -9.81, kStep = 0.01, kLength = 0.4, kTwist = 1, kTurn = 0.9;
  const geometry::TetMesh rest = geometry::tet_box(
      {.min = {-0.5 * kLength, -0.125, -0.15}, .max = {0.5 * kLength, 0.125, 0.15}, .divisions = {4, 2, 3}});
  const Mat3 turn = Eigen::AngleAxisd(kTurn, Vec3(1, 2, 0.5).normalized()).toRotationMatrix();
  Buffer<Vec3> x;
  for (const Vec3& r : rest.positions)
    x.push_back(Vec3(0.51, 0.43, 0.49) +
                turn * (Eigen::AngleAxisd(kTwist * r.x() / kLength, Vec3::UnitX()) * r));

  Case<double> domain(3, 10, {});
  const std::vector<geometry::Triangle> triangles = geometry::boundary_triangles(rest.tets);
  const grid::SurfaceElements surface{.positions = {x.data(), x.size()}, .triangles = triangles};
  grid::CutSurface cut;
  grid::cut_surface(domain.shape, surface, cut);
  Buffer<double> scratch;
  grid::cover_faces<double>(domain.shape, cut.patches, view(domain.shape, domain.open), scratch);
  grid::clamp_shares<double>(domain.shape, view(domain.shape, domain.open));
  grid::close_cells<double>(domain.shape, view(domain.shape, std::as_const(domain.open)),
                            view(domain.shape, domain.kinds));
  domain.set_surface([](const Vec3& at) { return at.y() - 0.8 - 0.08 * std::sin(7 * at.x() + 3 * at.z()); });
  for (double& v : domain.velocity.component[1]) v = kStep * kGravity;

  const LiquidSide liquid = liquid_side(
      domain, {.density = kDensity, .dt = kStep, .order = LoadOrder::linear}, surface, cut.patches);
  const fem::Model model = fem::from_tets(rest, 600);
  fem::Params params;
  params.law = fem::Law::corotational;
  params.young = 1e5;
  params.poisson = 0.3;
  const fem::Lame lame = fem::lame(params.young, params.poisson);
  fem::Work work;
  fem::elastic_forces(model, params, x, work);
  CoupledSystem s;
  s.b = liquid.b, s.flux = liquid.flux, s.jacobian = liquid.jacobian;
  s.stiffness = turned_stiffness_of(model, lame.mu, lame.lambda, x);
  s.root = stress_root_of(model, lame.mu, lame.lambda, &x);
  s.mass = masses_of(model);
  s.dt = kStep;
  s.w.resize(s.mass.size());  // −M v*/Δt − (elastic force)
  for (int v = 0; v < static_cast<int>(model.vertex_count); ++v)
    for (int axis = 0; axis < 3; ++axis)
      s.w[3 * v + axis] =
          -work.sums[static_cast<std::size_t>(v)][axis] - (axis == 1 ? s.mass[3 * v + axis] * kGravity : 0);
  return s;
}

}  // namespace

void add_forms(const CoupledSystem& system, Table& table) {
  coupling::CoupledSolution reference;
  auto add = [&](const char* form_name, CoupledForm form, const char* solver_name, CoupledSolver solver,
                 const coupling::FormOptions& options, double bound) {
    const coupling::CoupledMatrix matrix = coupling::assemble(system, form, options);
    Vector unknowns;
    const linalg::SolveReport report = coupling::solve(matrix, solver, {.tolerance = 1e-12}, unknowns);
    double difference = NAN, left = NAN;
    if (report.converged()) {
      const coupling::CoupledSolution s = coupling::read_solution(system, matrix, unknowns);
      if (reference.pressure.size() == 0) reference = s;
      difference = std::max((s.pressure - reference.pressure).norm() / reference.pressure.norm(),
                            (s.velocity - reference.velocity).norm() / reference.velocity.norm());
      left = coupling::imbalance(system, s);
    }
    table.rows.push_back(
        {{form_name, solver_name, fmt::format("{}", options.mass_share), number(matrix.scale),
          fmt::format("{}", matrix.matrix.rows()), fmt::format("{}", matrix.matrix.nonZeros()),
          fmt::format("{}", report.iterations), number(difference), number(left)},
         difference <= bound});
  };
  add("indefinite", CoupledForm::indefinite, "direct", CoupledSolver::direct, {}, 1e-10);
  for (const double share : {0.1, 0.5, 0.9, 0.99})
    add("positive", CoupledForm::positive, "direct", CoupledSolver::direct, {.mass_share = share}, 1e-10);
  add("positive", CoupledForm::positive, "direct", CoupledSolver::direct, {.scale = 0.001}, 1e-10);
  add("Schur", CoupledForm::schur, "direct", CoupledSolver::direct, {}, 1e-10);
  add("stress-like", CoupledForm::stress, "direct", CoupledSolver::direct, {}, 1e-10);
  add("positive", CoupledForm::positive, "IC-CG", CoupledSolver::incomplete_cholesky, {}, 1e-8);
  add("stress-like", CoupledForm::stress, "IC-CG", CoupledSolver::incomplete_cholesky, {}, 1e-8);
  add("indefinite", CoupledForm::indefinite, "BiCGSTAB", CoupledSolver::bicgstab, {}, 1e-8);
  add("indefinite", CoupledForm::indefinite, "MINRES", CoupledSolver::minres, {}, 1e-8);
}

Table turned_forms_table() {
  const CoupledSystem system = turned_bath();
  const coupling::SparseRows product = SparseRows(system.root.transpose()) * system.root;
  const double apart = (product - system.stiffness).norm() / system.stiffness.norm();
  Table table{"All forms of one coupled solve in 10³ cells, a block twisted and turned, linear load",
              {"form", "solver", "σ", "α", "unknowns", "entries", "iterations", "difference", "imbalance"},
              {},
              "As above; K of turned elements (LE-28), Q with their rotations. First row: ‖QᵀQ − K‖ / ‖K‖, K "
              "from the "
              "elastic solver; pass: 1e-12."};
  table.rows.push_back({{"Qᵀ Q", "-", "-", "-", fmt::format("{}", system.root.rows()),
                         fmt::format("{}", system.root.nonZeros()), "-", number(apart), "-"},
                        apart < 1e-12});
  add_forms(system, table);
  return table;
}

}  // namespace selkie::studies::coupling_cases
