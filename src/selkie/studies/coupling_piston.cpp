// A piston: liquid in a tube on an elastic slab, against the oscillator that it is (LE-37), for both loads of
// pressure_load.h.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <complex>
#include <numbers>

#include "selkie/studies/coupling_cases.h"

namespace selkie::studies::coupling_cases {
namespace {

using coupling::SparseRows;
using coupling::Vector;

constexpr double kDensity = 1000, kGravity = -9.81, kStep = 0.01;

// A tube of liquid over an elastic slab that can only be squeezed: its base is fixed, its sides are guided.
struct Piston {
  int cells = 40;              // of the tube's height 1
  double interface = 0.3;      // height of the slab, m
  double surface = 0.8;        // of the liquid
  double modulus = 4e4;        // 2μ + λ, Pa
  double slab_density = 1e-3;  // kg/m³: nearly none
  LoadOrder order = LoadOrder::cell;
};
struct PistonSystem {
  CoupledSystem system;
  std::vector<int> free;  // vertical unknowns of the vertices above the base
  LiquidSide liquid;
  Case<double> domain;
};

PistonSystem make_piston(const Piston& piston) {
  const int n = piston.cells;
  PistonSystem out{.system = {}, .free = {}, .liquid = {}, .domain = Case<double>(2, n, {})};
  // The tube is the whole unit square: it is one-dimensional whatever its width.
  geometry::TriangleMesh mesh;
  const std::uint32_t layers = 8;
  for (std::uint32_t j = 0; j <= layers; ++j)
    for (std::uint32_t i = 0; i < 2; ++i) mesh.positions.emplace_back(i, piston.interface * j / layers, 0);
  for (std::uint32_t j = 0; j < layers; ++j) {
    const std::uint32_t a = 2 * j;
    mesh.triangles.push_back({a, a + 1, a + 3});
    mesh.triangles.push_back({a, a + 3, a + 2});
  }
  const double mu = piston.modulus / 4, lambda = piston.modulus / 2;
  const fem::Model model = fem::from_triangles(mesh, piston.slab_density, 1);
  const std::vector<geometry::Segment> top{{2 * layers + 1, 2 * layers}};  // the slab on its left
  const grid::SurfaceElements surface{.positions = mesh.positions, .segments = top};
  grid::CutSurface cut;
  grid::cut_surface(out.domain.shape, surface, cut);
  out.domain.set_solid([&](const Vec3& x) { return x.y() - piston.interface; }, false);
  out.domain.set_surface([&](const Vec3& x) { return x.y() - piston.surface; });
  out.liquid = liquid_side(out.domain, {.density = kDensity, .dt = kStep, .order = piston.order}, surface,
                           cut.patches);

  for (int v = 2; v < static_cast<int>(model.vertex_count); ++v) out.free.push_back(2 * v + 1);
  const int count = static_cast<int>(out.free.size());
  SparseRows choose(count, 2 * static_cast<int>(model.vertex_count));
  for (int f = 0; f < count; ++f) choose.insert(f, out.free[static_cast<std::size_t>(f)]) = 1;
  CoupledSystem& s = out.system;
  s.b = out.liquid.b, s.flux = out.liquid.flux;
  s.jacobian = choose * out.liquid.jacobian;
  s.stiffness =
      SparseRows(SparseRows(choose * stiffness_of(model, mu, lambda)) * SparseRows(choose.transpose()));
  s.mass = choose * masses_of(model);
  s.w = Vector::Zero(count);
  s.dt = kStep;
  return out;
}

coupling::CoupledSolution solve_positive(const CoupledSystem& system) {
  const coupling::CoupledMatrix matrix = coupling::assemble(system, CoupledForm::positive);
  Vector unknowns;
  const linalg::SolveReport report = coupling::solve(matrix, CoupledSolver::direct, {}, unknowns);
  coupling::CoupledSolution solution = coupling::read_solution(system, matrix, unknowns);
  if (!report.converged()) solution.velocity.setConstant(NAN);
  return solution;
}

// What the liquid's cells give and take when the slab moves: one coupled step with the geometry frozen.
void advance(PistonSystem& p, Vector& x, Vector& v) {
  const grid::Shape& shape = p.domain.shape;
  const double h = shape.cell_size();
  p.system.w = -p.system.mass.cwiseProduct(v) / kStep + p.system.stiffness * x;
  Buffer<double> balance, scaled;
  balance.assign(shape.size(), 0);
  scaled.assign(shape.size(), 0);
  grid::flux_balance<double, double>(p.domain.inputs(), view(shape, std::as_const(p.domain.velocity)),
                                     view(shape, balance));
  auto at = [&](int n) {
    const auto& [i, j, k] = p.liquid.cells[static_cast<std::size_t>(n)];
    return static_cast<std::size_t>(shape.at(i, j, k));
  };
  for (int n = 0; n < p.system.flux.size(); ++n) p.system.flux[n] = h * balance[at(n)];
  const coupling::CoupledSolution solution = solve_positive(p.system);
  for (int n = 0; n < solution.pressure.size(); ++n)
    scaled[at(n)] = solution.pressure[n] * kStep / (kDensity * h);
  grid::subtract_gradient<double, double>(p.domain.inputs(), view(shape, std::as_const(scaled)),
                                          view(shape, p.domain.velocity));
  v = solution.velocity;
  x += kStep * v;
}

// Deflection of the slab's top under the hydrostatic pressure of the liquid.
Vector at_rest(const PistonSystem& p, const Piston& piston) {
  Vector weight(p.system.b.rows());
  for (int n = 0; n < weight.size(); ++n) {
    const auto& [i, j, k] = p.liquid.cells[static_cast<std::size_t>(n)];
    weight[n] =
        kDensity * kGravity * (p.domain.shape.position(grid::Place::cell, i, j, k).y() - piston.surface);
  }
  return Eigen::MatrixXd(p.system.stiffness).ldlt().solve(p.system.jacobian * weight);
}

// Backward Euler multiplies x + i v/ω by 1/(1 + iωΔt): the factor of `steps` steps.
std::complex<double> swing(PistonSystem& p, Vector x, double omega, int steps) {
  Vector v = Vector::Zero(x.size());
  auto phase = [&] { return std::complex<double>(x[x.size() - 1], v[v.size() - 1] / omega); };
  const std::complex<double> start = phase();
  for (int step = 0; step < steps; ++step) advance(p, x, v);
  return phase() / start;
}

}  // namespace

Table piston_table() {
  Table table{
      "Liquid of 0.5 m on an elastic slab of 0.3 m in a tube (LE-37)",
      {"load", "slab's top in its cell", "deflection / exact", "swing's ω / exact", "and of the scheme"},
      {},
      "2μ + λ = 4·10⁴ Pa, slab without mass, Δt = 0.01 s. Static: −ρ g H τ₀ / (2μ + λ). Swinging without "
      "gravity: "
      "ω² = (2μ + λ) / (τ₀ ρ H'), a step multiplies by 1/(1 + iωΔt). With s the height of the cut cell's "
      "centre "
      "above the slab, in cells: the constant load has H − sΔx both at rest and swinging, the linear one H "
      "at "
      "rest, and swinging H' = H + (s + s²)Δx, because the flux spread over two cells moves the water "
      "between "
      "them (1 + s) times as fast. Pass: 1e-6 of these."};
  constexpr int kSteps = 10;
  for (const LoadOrder order : {LoadOrder::cell, LoadOrder::linear})
    for (const double place : {0.5, 0.2, 0.9}) {
      Piston piston{.order = order};
      const double h = 1.0 / piston.cells, depth = 0.5, s = 0.5 - place;
      piston.interface = (12 + place) * h;
      piston.surface = piston.interface + depth;
      PistonSystem p = make_piston(piston);
      const Vector rest = at_rest(p, piston);
      const bool constant = order == LoadOrder::cell;
      const double deflection =
          rest[rest.size() - 1] / (kDensity * kGravity * depth * piston.interface / piston.modulus);
      const double moved = constant ? depth - s * h : depth + (s + s * s) * h;  // H'
      const double exact = std::sqrt(piston.modulus / (piston.interface * kDensity * depth));
      const double scheme = std::sqrt(piston.modulus / (piston.interface * kDensity * moved));
      const std::complex<double> factor =
          swing(p, 1e-3 / std::abs(rest[rest.size() - 1]) * rest, scheme, kSteps);
      // One step's factor 1/(1 + iωΔt), from ten of them on the branch of a small angle.
      const std::complex<double> one = std::pow(factor, 1.0 / kSteps);
      const double measured = (1.0 / one).imag() / kStep, damped = (1.0 / one).real();
      table.rows.push_back(
          {{constant ? "constant" : "linear", fmt::format("{:.1f}", place), fmt::format("{:.7f}", deflection),
            fmt::format("{:.7f}", measured / exact), fmt::format("{:.7f}", measured / scheme)},
           std::abs(deflection - (constant ? 1 - s * h / depth : 1)) < 1e-6 &&
               std::abs(measured / scheme - 1) < 1e-6 && std::abs(damped - 1) < 1e-6});
    }
  return table;
}

}  // namespace selkie::studies::coupling_cases
