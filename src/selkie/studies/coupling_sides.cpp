// See coupling_cases.h.
#include <algorithm>

#include "selkie/grid/pressure_reference.h"
#include "selkie/solids/fem/elements.h"
#include "selkie/solids/fem/material.h"
#include "selkie/studies/coupling_cases.h"

namespace selkie::studies::coupling_cases {

using coupling::SparseRows;
using coupling::Vector;
using Triplets = std::vector<Eigen::Triplet<double>>;

namespace {

SparseRows from_triplets(int rows, int columns, const Triplets& entries) {
  SparseRows matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

template <int B>
SparseRows whole(const linalg::BlockSparseSymmetric<B>& matrix) {
  Eigen::SparseMatrix<double> lower;
  matrix.to_lower(lower);
  const Eigen::SparseMatrix<double> both = lower.selfadjointView<Eigen::Lower>();
  return both;
}

double young_of(double mu, double lambda) { return mu * (3 * lambda + 2 * mu) / (lambda + mu); }
double poisson_of(double mu, double lambda) { return lambda / (2 * (lambda + mu)); }

}  // namespace

LiquidSide liquid_side(const Case<double>& domain, const LiquidSettings& settings,
                       const grid::SurfaceElements& surface, std::span<const grid::Patch> patches) {
  const grid::Shape& shape = domain.shape;
  const double h = shape.cell_size(), face = shape.dims() == 3 ? h * h : h;
  LiquidSide side;
  coupling::GridPressureSide numbered;
  numbered.build(domain.inputs().domain, settings.dt, settings.density);
  side.cells.assign(numbered.cells().begin(), numbered.cells().end());
  const grid::AssembledPressure assembled = grid::assemble(domain.inputs().domain);
  side.b = (settings.dt / (settings.density * h) * face) * whole(assembled.matrix);
  Buffer<double> balance;
  balance.assign(shape.size(), 0);
  grid::flux_balance<double, double>(domain.inputs(), view(shape, domain.velocity), view(shape, balance));
  const int unknowns = static_cast<int>(side.cells.size());
  side.flux.resize(unknowns);
  for (int n = 0; n < unknowns; ++n) {
    const auto& [i, j, k] = side.cells[static_cast<std::size_t>(n)];
    side.flux[n] = face * balance[static_cast<std::size_t>(shape.at(i, j, k))];
  }
  side.jacobian =
      coupling::pressure_jacobian(numbered.pressure_cells(), unknowns, surface, patches, settings.order);
  return side;
}

TankSolver::TankSolver(const Case<double>& domain, const CoupledSystem& system, double density)
    : system_(system), factor_(system) {
  grid_side_.build(domain.inputs().domain, system.dt, density);
}

GroupRun TankSolver::solve(const Vector& flux, const Vector& w) {
  GroupRun run;
  ports::PressureSide liquid = grid_side_.side([&](std::span<const double> p) {
    run.solution.pressure = Eigen::Map<const Vector>(p.data(), static_cast<int>(p.size()));
  });
  liquid.rhs = {flux.data(), static_cast<std::size_t>(flux.size())};
  liquid.guess = {};
  ports::BodySide body;
  body.dofs = static_cast<int>(w.size());
  body.w = {w.data(), static_cast<std::size_t>(w.size())};
  body.apply_z1_inverse = [&](std::span<const double> x, std::span<double> y) { factor_.solve(x, y); };
  body.accept = [&](std::span<const double> v) {
    run.solution.velocity = Eigen::Map<const Vector>(v.data(), static_cast<int>(v.size()));
  };
  const ports::PressureSide* liquids[] = {&liquid};
  const ports::BodySide* bodies[] = {&body};
  const ports::CouplingTerm terms[] = {{0, 0, &system_.jacobian}};
  std::vector<double> warm;
  run.report =
      coupling::solve_group(liquids, bodies, terms, {.tolerance = 1e-10, .max_iterations = 500}, warm);
  return run;
}

SparseRows stiffness_of(const fem::Model& model, double mu, double lambda) {
  const SparseRows full = whole(fem::rest_stiffness(model, young_of(mu, lambda), poisson_of(mu, lambda)));
  const int dims = model.dimension;
  if (dims == 3) return full;
  Triplets entries;  // without the rows and columns of z
  for (int r = 0; r < full.outerSize(); ++r)
    for (SparseRows::InnerIterator it(full, r); it; ++it)
      if (it.row() % 3 < dims && it.col() % 3 < dims)
        entries.emplace_back(static_cast<int>(it.row() / 3 * dims + it.row() % 3),
                             static_cast<int>(it.col() / 3 * dims + it.col() % 3), it.value());
  const int size = dims * static_cast<int>(model.vertex_count);
  return from_triplets(size, size, entries);
}

Vector masses_of(const fem::Model& model) {
  Vector masses(model.dimension * static_cast<int>(model.vertex_count));
  for (int n = 0; n < masses.size(); ++n)
    masses[n] = model.masses[static_cast<std::size_t>(n / model.dimension)];
  return masses;
}

SparseRows turned_stiffness_of(const fem::Model& model, double mu, double lambda, const Buffer<Vec3>& x) {
  fem::Params params;
  params.law = fem::Law::corotational;
  params.young = young_of(mu, lambda);
  params.poisson = poisson_of(mu, lambda);
  fem::Work work;
  fem::find_tangents(model, params, x, fem::TangentKind::frozen, work.tangent);
  linalg::BlockSparseSymmetric<3> matrix(model.pattern);
  fem::assemble(model, work.tangent, 0, 1, matrix, work);
  return whole(matrix);
}

SparseRows stress_root_of(const fem::Model& model, double mu, double lambda, const Buffer<Vec3>* x) {
  // Strain energy V (μ|ε|² + ½λ tr²ε) = ½ V |L e|² with e = (ε_xx, ε_yy, …, ε_xy, …); L is Cholesky's factor
  // of ∂²Ψ/∂e², in which a shear counts twice.
  const int dims = model.dimension, shears = dims * (dims - 1) / 2, strains = dims + shears;
  Eigen::MatrixXd law = Eigen::MatrixXd::Zero(strains, strains);
  law.topLeftCorner(dims, dims).setConstant(lambda);
  law.topLeftCorner(dims, dims).diagonal().array() += 2 * mu;
  law.bottomRightCorner(shears, shears).diagonal().setConstant(4 * mu);
  const Eigen::MatrixXd factor = law.llt().matrixU();

  Triplets entries;
  for (std::size_t e = 0; e < model.element_count; ++e) {
    Eigen::MatrixXd gradients(dims, dims + 1);  // of the corners' shape functions, by columns
    if (dims == 3)
      gradients.rightCols(3) = fem::inverse_rest_of<3>(model, e).transpose();
    else
      gradients.rightCols(2) = fem::inverse_rest_of<2>(model, e).transpose();
    gradients.col(0) = -gradients.rightCols(dims).rowwise().sum();
    Eigen::MatrixXd back = Eigen::MatrixXd::Identity(dims, dims);  // Rᵀ of the element
    if (x && dims == 3)
      back = fem::rotation_of<3>(fem::deformation_gradient<3>(model, *x, e)).transpose();
    else if (x)
      back = fem::rotation_of<2>(fem::deformation_gradient<2>(model, *x, e)).transpose();
    for (int corner = 0; corner <= dims; ++corner)
      for (int axis = 0; axis < dims; ++axis) {
        const Eigen::MatrixXd moved = back.col(axis) * gradients.col(corner).transpose();  // Rᵀ dF
        Vector strain = Vector::Zero(strains);
        strain.head(dims) = moved.diagonal();
        int shear = dims;
        for (int a = 0; a < dims; ++a)
          for (int b = a + 1; b < dims; ++b, ++shear) strain[shear] = 0.5 * (moved(a, b) + moved(b, a));
        const Vector column = std::sqrt(model.element_volume(e)) * (factor * strain);
        // Zeros stay, so that a body at rest has as many entries as one that has turned.
        for (int s = 0; s < strains; ++s)
          entries.emplace_back(
              strains * static_cast<int>(e) + s,
              dims * static_cast<int>(model.corner(e, static_cast<std::size_t>(corner))) + axis, column[s]);
      }
  }
  return from_triplets(strains * static_cast<int>(model.element_count),
                       dims * static_cast<int>(model.vertex_count), entries);
}

}  // namespace selkie::studies::coupling_cases
