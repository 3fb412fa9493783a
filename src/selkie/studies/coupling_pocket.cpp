// Liquid that only an elastic body encloses: its matrix alone is singular, and the body's answer decides its
// pressure (LE-40, "a sealed pocket touching a deformable is fine").
#include <fmt/format.h>

#include <cmath>

#include "selkie/geometry/generators.h"
#include "selkie/solids/fem/material.h"
#include "selkie/studies/coupling_cases.h"

namespace selkie::studies::coupling_cases {
namespace {

using coupling::Vector;

constexpr double kDensity = 1000, kStep = 0.01, kGravity = -9.81;

// A block of cubes without those in the middle, filled with liquid.
geometry::TetMesh hollow_block(int divisions) {
  geometry::TetMesh mesh = geometry::tet_box(
      {.min = {0.205, 0.21, 0.2}, .max = {0.795, 0.8, 0.79}, .divisions = {divisions, divisions, divisions}});
  const double wall = 0.59 / divisions;
  std::erase_if(mesh.tets, [&](const geometry::Tet& tet) {
    Vec3 centre = Vec3::Zero();
    for (const std::uint32_t v : tet) centre += 0.25 * mesh.positions[v];
    const Vec3 d = (centre - Vec3(0.5, 0.505, 0.495)).cwiseAbs();
    return d.maxCoeff() < 0.295 - wall;
  });
  // Vertices of no tetrahedron go.
  std::vector<std::int64_t> number(mesh.positions.size(), -1);
  std::vector<Vec3> kept;
  for (geometry::Tet& tet : mesh.tets)
    for (std::uint32_t& v : tet) {
      if (number[v] < 0)
        number[v] = static_cast<std::int64_t>(kept.size()), kept.push_back(mesh.positions[v]);
      v = static_cast<std::uint32_t>(number[v]);
    }
  mesh.positions = std::move(kept);
  return mesh;
}

struct Pocket {
  Case<double> domain;
  CoupledSystem system;
};

Pocket make_pocket(int cells, double young) {
  Pocket pocket{.domain = Case<double>(3, cells, {}), .system = {}};
  const geometry::TetMesh mesh = hollow_block(5);
  const std::vector<geometry::Triangle> triangles = geometry::boundary_triangles(mesh.tets);
  const grid::SurfaceElements surface{.positions = mesh.positions, .triangles = triangles};
  const grid::Shape& shape = pocket.domain.shape;
  grid::CutSurface cut;
  grid::cut_surface(shape, surface, cut);
  Buffer<double> scratch;
  grid::cover_faces<double>(shape, cut.patches, view(shape, pocket.domain.open), scratch);
  grid::clamp_shares<double>(shape, view(shape, pocket.domain.open));
  grid::close_cells<double>(shape, view(shape, std::as_const(pocket.domain.open)),
                            view(shape, pocket.domain.kinds));
  // Air outside the block, liquid and no air inside.
  pocket.domain.set_surface(
      [](const Vec3& x) { return (x - Vec3(0.5, 0.505, 0.495)).cwiseAbs().maxCoeff() - 0.24; });
  for (double& v : pocket.domain.velocity.component[1]) v = kStep * kGravity;

  const LiquidSide liquid =
      liquid_side(pocket.domain, {.density = kDensity, .dt = kStep}, surface, cut.patches);
  const fem::Model model = fem::from_tets(mesh, 300);
  const fem::Lame lame = fem::lame(young, 0.3);
  CoupledSystem& s = pocket.system;
  s.b = liquid.b, s.flux = liquid.flux, s.jacobian = liquid.jacobian;
  s.stiffness = stiffness_of(model, lame.mu, lame.lambda);
  s.mass = masses_of(model);
  s.dt = kStep;
  s.w = Vector::Zero(s.mass.size());
  // It falls, and its walls are pressed together: the liquid must answer.
  for (int v = 0; v < static_cast<int>(model.vertex_count); ++v) {
    const Vec3 d = mesh.positions[static_cast<std::size_t>(v)] - Vec3(0.5, 0.505, 0.495);
    s.w[3 * v + 1] -= s.mass[3 * v] * kGravity;
    for (int axis = 0; axis < 3; ++axis) s.w[3 * v + axis] += s.mass[3 * v] / kStep * 0.5 * d[axis];
  }
  return pocket;
}

}  // namespace

Table pocket_table() {
  Table table{
      "Liquid enclosed by an elastic block, its walls moving inwards (LE-40)",
      {"cells", "Young's modulus", "unknowns", "iterations", "difference", "mean pressure"},
      {},
      "The matrix of the liquid alone is singular. Multigrid, body factorised, constant pressures of closed "
      "regions corrected, 1e-10, against a direct solve of the indefinite form. Pass: 1e-8, 40 iterations."};
  for (const int cells : {16, 24})
    for (const double young : {1e4, 1e6}) {
      const Pocket pocket = make_pocket(cells, young);
      const CoupledSystem& s = pocket.system;
      const coupling::CoupledMatrix matrix = coupling::assemble(s, CoupledForm::indefinite);
      Vector unknowns;
      const linalg::SolveReport direct = coupling::solve(matrix, CoupledSolver::direct, {}, unknowns);
      const coupling::CoupledSolution expected = coupling::read_solution(s, matrix, unknowns);

      const GroupRun run = TankSolver(pocket.domain, s, kDensity).solve(s.flux, s.w);
      double apart = NAN;
      if (run.report.solve.converged() && direct.converged())
        apart = std::max((run.solution.pressure - expected.pressure).norm() / expected.pressure.norm(),
                         (run.solution.velocity - expected.velocity).norm() / expected.velocity.norm());
      table.rows.push_back(
          {{fmt::format("{}³", cells), fmt::format("{:.0e} Pa", young),
            fmt::format("{}", run.report.unknowns), fmt::format("{}", run.report.solve.iterations),
            number(apart), fmt::format("{:.0f} Pa", expected.pressure.mean())},
           apart < 1e-8 && run.report.solve.iterations <= 40});
    }
  return table;
}

}  // namespace selkie::studies::coupling_cases
