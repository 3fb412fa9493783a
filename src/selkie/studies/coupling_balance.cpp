// Momentum and energy of one coupled solve: exact shares of faces, no clamps, geometry frozen. What pressures give
// to the liquid, the body and the walls cancels, because patches and open faces close every cell; and a solve
// without gravity never adds to kinetic and elastic energy.
#include <fmt/format.h>

#include <cmath>

#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/solids/fem/material.h"
#include "selkie/studies/coupling_cases.h"

namespace selkie::studies::coupling_cases {
namespace {

using coupling::Vector;

constexpr double kDensity = 1000;

struct Bath {
  Case<double> domain;
  CoupledSystem system;
  std::vector<grid::Index> cells;
};

// A free block under a wave, everything in random motion.
Bath make_bath(int cells, double dt, double young, double body_density) {
  Bath bath{.domain = Case<double>(3, cells, {}), .system = {}, .cells = {}};
  Case<double>& domain = bath.domain;
  const geometry::TetMesh mesh = geometry::tet_box(
      {.min = {0.3137, 0.2411, 0.35}, .max = {0.6871, 0.5533, 0.6721}, .divisions = {4, 3, 3}});
  const std::vector<geometry::Triangle> triangles = geometry::boundary_triangles(mesh.tets);
  const grid::SurfaceElements surface{.positions = mesh.positions, .triangles = triangles};
  grid::CutSurface cut;
  grid::cut_surface(domain.shape, surface, cut);
  Buffer<double> scratch;
  grid::cover_faces<double>(domain.shape, cut.patches, view(domain.shape, domain.open), scratch);
  grid::close_cells<double>(domain.shape, view(domain.shape, std::as_const(domain.open)),
                            view(domain.shape, domain.kinds));
  domain.set_surface([](const Vec3& x) { return x.y() - 0.75 - 0.1 * std::sin(7 * x.x() + 3 * x.z()); });
  projection_cases::fill_random(domain);
  const LiquidSide liquid = liquid_side(domain, {.density = kDensity, .dt = dt}, surface, cut.patches);
  const fem::Model model = fem::from_tets(mesh, body_density);
  const fem::Lame lame = fem::lame(young, 0.3);
  CoupledSystem& s = bath.system;
  s.b = liquid.b, s.flux = liquid.flux, s.jacobian = liquid.jacobian;
  s.stiffness = stiffness_of(model, lame.mu, lame.lambda);
  s.mass = masses_of(model);
  s.dt = dt;
  s.w = Vector::Zero(s.mass.size());
  bath.cells = liquid.cells;
  return bath;
}

coupling::CoupledSolution solve_direct(const CoupledSystem& s) {
  const coupling::CoupledMatrix matrix = coupling::assemble(s, CoupledForm::indefinite);
  Vector unknowns;
  (void)coupling::solve(matrix, CoupledSolver::direct, {}, unknowns);
  return coupling::read_solution(s, matrix, unknowns);
}

Vector random_vector(Eigen::Index size, std::uint64_t seed, double most) {
  Vector v(size);
  for (Eigen::Index i = 0; i < size; ++i)
    v[i] = random_uniform(seed, 0, static_cast<std::uint64_t>(i), -most, most);
  return v;
}

// Forces of the pressures along each axis on the liquid's faces and on the walls of the box. The free surface
// carries none.
struct Forces {
  Vec3 liquid = Vec3::Zero(), walls = Vec3::Zero(), body = Vec3::Zero();
};
Forces forces_of(const Bath& bath, const Vector& pressure) {
  const Case<double>& domain = bath.domain;
  const grid::Shape& shape = domain.shape;
  const double face = shape.cell_size() * shape.cell_size();
  Forces out;
  for (std::size_t n = 0; n < bath.cells.size(); ++n)
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const grid::Index low = bath.cells[n];
      grid::Index high = low;
      ++high[a];
      const double p = pressure[static_cast<Eigen::Index>(n)] * face;
      const auto open = view(shape, domain.open)[a];
      const double below = open(low[0], low[1], low[2]), above = open(high[0], high[1], high[2]);
      if (low[a] == 0) out.walls[axis] -= p * below;
      else out.liquid[axis] -= p * below;
      if (high[a] == shape.cells()[a]) out.walls[axis] += p * above;
      else out.liquid[axis] += p * above;
    }
  const Vector body = bath.system.jacobian * pressure;
  for (Eigen::Index i = 0; i < body.size(); ++i) out.body[i % 3] += body[i];
  return out;
}

}  // namespace

Table momentum_table() {
  Table table{"Impulses of one solve on liquid, walls and body (exact shares, no clamps)",
              {"cells", "on the liquid N", "on the walls N", "on the body N", "sum / largest"},
              {},
              "Along x; the sum along all three axes. Pass: 1e-12."};
  for (const int cells : {10, 17}) {
    const Bath bath = make_bath(cells, 0.01, 1e5, 400);
    const Forces f = forces_of(bath, solve_direct(bath.system).pressure);
    const double most = std::max({f.liquid.norm(), f.walls.norm(), f.body.norm()});
    const double sum = (f.liquid + f.walls + f.body).norm() / most;
    table.rows.push_back({{fmt::format("{}³", cells), fmt::format("{:.4g}", f.liquid.x()),
                           fmt::format("{:.4g}", f.walls.x()), fmt::format("{:.4g}", f.body.x()), number(sum)},
                          sum < 1e-12 && most > 0});
  }
  return table;
}

Table energy_table() {
  Table table{"Energy over 40 solves without gravity, geometry frozen",
              {"cells", "dt s", "Young's modulus", "body", "start J", "end J", "largest rise / start"},
              {},
              "Kinetic energy of liquid and body and elastic energy, undamped. The liquid's change follows from p: "
              "Δt (½ pᵀBp − pᵀEu). Pass: it never rises by more than rounding, 1e-12, and does fall."};
  for (const double dt : {1e-3, 0.1})
    for (const double young : {1e4, 1e7})
      for (const double density : {50.0, 2000.0}) {
        Bath bath = make_bath(10, dt, young, density);
        CoupledSystem& s = bath.system;
        Vector x = random_vector(s.mass.size(), 3, 0.01), v = random_vector(s.mass.size(), 4, 1);
        double liquid = 0;  // against the start; the flux E u changes by −B p
        auto body = [&] { return 0.5 * v.dot(s.mass.cwiseProduct(v)) + 0.5 * x.dot(s.stiffness * x); };
        // What the projection alone would take away is the liquid's share that solves can reach.
        const double start = body() + 0.5 * dt * s.flux.dot(solve_direct(s).pressure);
        const double first = body();
        double before = first, rise = 0;
        for (int step = 0; step < 40; ++step) {
          s.w = -(s.mass.cwiseProduct(v) / dt) + s.stiffness * x;
          const coupling::CoupledSolution solved = solve_direct(s);
          liquid += dt * (0.5 * solved.pressure.dot(s.b * solved.pressure) - solved.pressure.dot(s.flux));
          s.flux -= s.b * solved.pressure;
          v = solved.velocity;
          x += dt * v;
          const double now = body() + liquid;
          rise = std::max(rise, (now - before) / start);
          before = now;
        }
        table.rows.push_back({{"10³", fmt::format("{:g}", dt), fmt::format("{:.0e} Pa", young),
                               fmt::format("{:g} kg/m³", density), fmt::format("{:.4g}", start),
                               fmt::format("{:.4g}", before), number(rise)},
                              rise < 1e-12 && before < first});
      }
  return table;
}

}  // namespace selkie::studies::coupling_cases
