// Exact answers for bodies in a liquid: sums over cut surfaces and free stream (LE-33 … LE-35), Archimedes
// (LE-36), the stiff limit and its rigid body (LE-39).
#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "selkie/geometry/generators.h"
#include "selkie/studies/coupling_cases.h"

namespace selkie::studies::coupling_cases {
namespace {

using coupling::SparseRows;
using coupling::Vector;

constexpr double kDensity = 1000, kGravity = -9.81, kStep = 0.01;

// A box of tetrahedra under water, turned so that nothing lies on grid planes.
geometry::TetMesh turned_box(const Vec3& size, const Vec3& centre, double angle) {
  geometry::TetMesh mesh = geometry::tet_box({.min = -0.5 * size, .max = 0.5 * size, .divisions = {3, 3, 3}});
  const Mat3 turn = Eigen::AngleAxisd(angle, Vec3(1, 2, 0.5).normalized()).toRotationMatrix();
  for (Vec3& x : mesh.positions) x = centre + turn * x;
  return mesh;
}

struct Immersed {
  Case<double> domain;
  geometry::TetMesh mesh;
  std::vector<geometry::Triangle> surface;
  grid::CutSurface cut;

  Immersed(int cells, const geometry::TetMesh& body, bool clamp)
      : domain(3, cells, {}), mesh(body), surface(geometry::boundary_triangles(body.tets)) {
    grid::cut_surface(domain.shape, elements(), cut);
    Buffer<double> scratch;
    grid::cover_faces<double>(domain.shape, cut.patches, view(domain.shape, domain.open), scratch);
    if (clamp) grid::clamp_shares<double>(domain.shape, view(domain.shape, domain.open));
    grid::close_cells<double>(domain.shape, view(domain.shape, std::as_const(domain.open)),
                              view(domain.shape, domain.kinds));
    domain.set_surface([](const Vec3& x) { return x.y() - 0.9; });
  }
  grid::SurfaceElements elements() const { return {.positions = mesh.positions, .triangles = surface}; }
};

// The hydrostatic pressure of the unit cube's water at the centres of a liquid's cells.
Vector hydrostatic(const grid::Shape& shape, const std::vector<grid::Index>& cells) {
  Vector p(static_cast<int>(cells.size()));
  for (int n = 0; n < p.size(); ++n) {
    const auto& [i, j, k] = cells[static_cast<std::size_t>(n)];
    p[n] = kDensity * kGravity * (shape.position(grid::Place::cell, i, j, k).y() - 0.9);
  }
  return p;
}

// Columns: the six rigid motions about the centre of mass, velocity and turning.
Eigen::MatrixXd rigid_motions(const geometry::TetMesh& mesh, const Vector& mass, Vec3& centre) {
  centre.setZero();
  const int vertices = static_cast<int>(mesh.positions.size());
  double total = 0;
  for (int v = 0; v < vertices; ++v)
    centre += mass[3 * v] * mesh.positions[static_cast<std::size_t>(v)], total += mass[3 * v];
  centre /= total;
  Eigen::MatrixXd motions(3 * vertices, 6);
  for (int v = 0; v < vertices; ++v) {
    const Vec3 r = mesh.positions[static_cast<std::size_t>(v)] - centre;
    motions.block<3, 3>(3 * v, 0).setIdentity();
    for (int axis = 0; axis < 3; ++axis) motions.block<3, 1>(3 * v, 3 + axis) = Vec3::Unit(axis).cross(r);
  }
  return motions;
}

}  // namespace

Table cut_table() {
  Table table{"Surfaces cut by cells (LE-33, LE-35)",
              {"body", "cells", "patches", "area", "closure", "volume", "free stream"},
              {},
              "Relative errors of Σ|a|, Σ a and Σ a·c/3 over all patches; largest defect of a cell under u = "
              "v = const, "
              "in faces, with exact shares and no clamps. Pass: 1e-12, and 1e-11 for the stream."};
  struct Body {
    const char* name;
    geometry::TetMesh mesh;
  };
  const Body bodies[] = {{"turned box", turned_box({0.4, 0.3, 0.35}, {0.51, 0.47, 0.5}, 0.7)},
                         {"box on grid planes", turned_box({0.5, 0.25, 0.5}, {0.5, 0.5, 0.5}, 0)},
                         {"box through the wall", turned_box({0.5, 0.3, 0.4}, {0.95, 0.4, 0.5}, 0.4)}};
  for (const Body& body : bodies)
    for (const int cells : {16, 37}) {
      const Immersed immersed(cells, body.mesh, false);
      const grid::SurfaceElements surface = immersed.elements();
      const geometry::TriangleMesh skin{body.mesh.positions, immersed.surface};
      double area = 0, volume = 0;
      Vec3 closure = Vec3::Zero();
      for (const grid::Patch& patch : immersed.cut.patches) {
        area += patch.area.norm(), closure += patch.area;
        volume -= patch.area.dot(grid::centroid(surface, patch)) / 3;
      }
      const double area_error = std::abs(area / geometry::area(skin) - 1);
      const double volume_error = std::abs(volume / geometry::volume(body.mesh) - 1);
      // All faces open less what is covered, and the patches: Σ over the faces of a cell along each axis.
      const grid::Shape& shape = immersed.domain.shape;
      const double face = shape.cell_size() * shape.cell_size();
      double defect = 0;
      Buffer<double> sums;
      for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        sums.assign(shape.size(), 0);
        for (const grid::Patch& patch : immersed.cut.patches)
          if (grid::inside(shape, patch.cell))
            view(shape, sums)(patch.cell[0], patch.cell[1], patch.cell[2]) += patch.area[axis] / face;
        const auto open = view(shape, immersed.domain.open)[a];
        projection_cases::for_cells(shape, [&](int i, int j, int k) {
          const double* here = &open(i, j, k);
          defect =
              std::max(defect, std::abs(here[shape.stride(axis)] - here[0] + view(shape, sums)(i, j, k)));
        });
      }
      table.rows.push_back(
          {{body.name, fmt::format("{}³", cells), fmt::format("{}", immersed.cut.patches.size()),
            number(area_error), number(closure.norm() / area), number(volume_error), number(defect)},
           area_error < 1e-12 && closure.norm() < 1e-12 * area && volume_error < 1e-12 && defect < 1e-11});
    }
  return table;
}

Table archimedes_table() {
  Table table{"Archimedes: force of hydrostatic pressure on a turned box (LE-36)",
              {"load", "cells", "upward / ρ g V", "sideways / ρ g V"},
              {},
              "Constant in a cell: right within a cell's height of pressure on every patch. Pass: error "
              "below 0.15 Δx / "
              "size for the constant load, 1e-3 for the linear one from 16³ on."};
  const geometry::TetMesh box = turned_box({0.4, 0.3, 0.35}, {0.51, 0.47, 0.5}, 0.7);
  for (const LoadOrder order : {LoadOrder::cell, LoadOrder::linear})
    for (const int cells : {8, 16, 32}) {
      const Immersed immersed(cells, box, true);
      const LiquidSide side = liquid_side(immersed.domain, {.density = kDensity, .dt = kStep, .order = order},
                                          immersed.elements(), immersed.cut.patches);
      const Vector force = side.jacobian * hydrostatic(immersed.domain.shape, side.cells);
      Vec3 total = Vec3::Zero();
      for (int v = 0; v < force.size() / 3; ++v) total += force.segment<3>(3 * v);
      total /= -kDensity * kGravity * geometry::volume(box);
      const double error = (total - Vec3::UnitY()).norm();
      table.rows.push_back(
          {{order == LoadOrder::cell ? "constant" : "linear", fmt::format("{}³", cells),
            fmt::format("{:.5f}", total.y()), number(std::hypot(total.x(), total.z()))},
           order == LoadOrder::cell ? error < 0.15 / (0.3 * cells) : cells < 16 || error < 1e-3});
    }
  return table;
}

Table rigid_limit_table() {
  Table table{
      "A stiff body against a rigid one (LE-39), 16³, light box let go under water",
      {"Young's modulus", "difference of p", "difference of v"},
      {},
      "Relative to the rigid solve (B + Δt Jᵀ M̃⁻¹ J) p with M̃ from the lumped masses. Pass: both fall in "
      "proportion to 1/E until round-off, 1e-4 at the end."};
  const geometry::TetMesh box = turned_box({0.4, 0.3, 0.35}, {0.51, 0.47, 0.5}, 0.7);
  Immersed immersed(16, box, true);
  for (double& v : immersed.domain.velocity.component[1]) v = kStep * kGravity;
  const LiquidSide side =
      liquid_side(immersed.domain, {.density = kDensity, .dt = kStep, .order = LoadOrder::cell},
                  immersed.elements(), immersed.cut.patches);
  const fem::Model model = fem::from_tets(box, 300);
  CoupledSystem s;
  s.b = side.b, s.flux = side.flux, s.jacobian = side.jacobian;
  s.mass = masses_of(model);
  s.dt = kStep;
  s.w = Vector::Zero(s.mass.size());
  for (int v = 0; v < s.w.size() / 3; ++v) s.w[3 * v + 1] = -s.mass[3 * v + 1] * kGravity;  // −M v*/Δt

  Vec3 centre;
  const Eigen::MatrixXd motions = rigid_motions(box, s.mass, centre);
  const Eigen::MatrixXd inertia = motions.transpose() * s.mass.asDiagonal() * motions;
  const Eigen::MatrixXd rows = motions.transpose() * s.jacobian;
  const Eigen::MatrixXd dense = Eigen::MatrixXd(s.b) + kStep * rows.transpose() * inertia.ldlt().solve(rows);
  const Vector free_motion = inertia.ldlt().solve(motions.transpose() * (-kStep * s.w));
  const Vector pressure = dense.ldlt().solve(s.flux - rows.transpose() * free_motion);
  const Vector velocity = motions * (free_motion + kStep * inertia.ldlt().solve(rows * pressure));

  // Of a body so soft that it swings within the step a hundredth is a little less.
  constexpr double kFalls = 75;  // of a hundred
  double p_before = INFINITY, v_before = INFINITY;
  for (const double young : {1e6, 1e8, 1e10}) {
    const double mu = young / 2.6, lambda = young * 0.3 / (1.3 * 0.4);
    s.stiffness = stiffness_of(model, mu, lambda);
    const coupling::CoupledMatrix matrix = coupling::assemble(s, CoupledForm::indefinite);
    Vector unknowns;
    const linalg::SolveReport report = coupling::solve(matrix, CoupledSolver::direct, {}, unknowns);
    const coupling::CoupledSolution soft = coupling::read_solution(s, matrix, unknowns);
    const double p = (soft.pressure - pressure).norm() / pressure.norm();
    const double v = (soft.velocity - velocity).norm() / velocity.norm();
    const bool pass = report.converged() && kFalls * p < p_before && kFalls * v < v_before &&
                      (young < 1e10 || (p < 1e-4 && v < 1e-4));
    p_before = p, v_before = v;
    table.rows.push_back({{fmt::format("{:.0e} Pa", young), number(p), number(v)}, pass});
  }
  return table;
}

}  // namespace selkie::studies::coupling_cases
