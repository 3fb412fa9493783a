// Momentum and energy of one coupled solve: exact shares of faces, no clamps, geometry frozen. With the
// constant load what pressures give to the liquid, the body and the walls cancels, because patches and open
// faces close every cell; the linear load does so for any constant pressure. A solve without gravity never
// adds to kinetic and elastic energy. The Jacobian of both loads against sums over patches that share no code
// with it (LE-35, LE-36).
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
  geometry::TetMesh mesh;
  std::vector<geometry::Triangle> triangles;
  grid::CutSurface cut;
};
struct BathSettings {
  int cells = 10;
  double dt = 0.01;           // s
  double young = 1e5;         // Pa
  double body_density = 400;  // kg/m³
  LoadOrder order = LoadOrder::cell;
};
const char* name_of(LoadOrder order) { return order == LoadOrder::cell ? "constant" : "linear"; }

// A free block under a wave, everything in random motion.
Bath make_bath(const BathSettings& settings) {
  Bath bath{.domain = Case<double>(3, settings.cells, {}),
            .system = {},
            .cells = {},
            .mesh = geometry::tet_box(
                {.min = {0.3137, 0.2411, 0.35}, .max = {0.6871, 0.5533, 0.6721}, .divisions = {4, 3, 3}}),
            .triangles = {},
            .cut = {}};
  Case<double>& domain = bath.domain;
  bath.triangles = geometry::boundary_triangles(bath.mesh.tets);
  const grid::SurfaceElements surface{.positions = bath.mesh.positions, .triangles = bath.triangles};
  grid::cut_surface(domain.shape, surface, bath.cut);
  Buffer<double> scratch;
  grid::cover_faces<double>(domain.shape, bath.cut.patches, view(domain.shape, domain.open), scratch);
  grid::close_cells<double>(domain.shape, view(domain.shape, std::as_const(domain.open)),
                            view(domain.shape, domain.kinds));
  domain.set_surface([](const Vec3& x) { return x.y() - 0.75 - 0.1 * std::sin(7 * x.x() + 3 * x.z()); });
  projection_cases::fill_random(domain);
  const LiquidSide liquid = liquid_side(
      domain, {.density = kDensity, .dt = settings.dt, .order = settings.order}, surface, bath.cut.patches);
  const fem::Model model = fem::from_tets(bath.mesh, settings.body_density);
  const fem::Lame lame = fem::lame(settings.young, 0.3);
  CoupledSystem& s = bath.system;
  s.b = liquid.b, s.flux = liquid.flux, s.jacobian = liquid.jacobian;
  s.stiffness = stiffness_of(model, lame.mu, lame.lambda);
  s.mass = masses_of(model);
  s.dt = settings.dt;
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
      if (low[a] == 0)
        out.walls[axis] -= p * below;
      else
        out.liquid[axis] -= p * below;
      if (high[a] == shape.cells()[a])
        out.walls[axis] += p * above;
      else
        out.liquid[axis] += p * above;
    }
  const Vector body = bath.system.jacobian * pressure;
  for (Eigen::Index i = 0; i < body.size(); ++i) out.body[i % 3] += body[i];
  return out;
}

// Pressures on the grid, NaN where there are none.
Buffer<double> on_grid(const Bath& bath, const Vector& pressure) {
  const grid::Shape& shape = bath.domain.shape;
  Buffer<double> field;
  field.assign(shape.size(), NAN);
  for (std::size_t n = 0; n < bath.cells.size(); ++n)
    view(shape, field)(bath.cells[n][0], bath.cells[n][1], bath.cells[n][2]) =
        pressure[static_cast<Eigen::Index>(n)];
  return field;
}

// The slope of a field along an axis at a cell (per cell), straight from its definition: differences with the
// neighbours behind open faces, each counted by the open share over a half, 1 at most.
struct Slope {
  double value = 0, trust = 0;  // the former times the latter
};
Slope slope_at(const Bath& bath, const Buffer<double>& field, const grid::Index& cell, int axis) {
  const grid::Shape& shape = bath.domain.shape;
  const auto a = static_cast<std::size_t>(axis);
  Slope out;
  for (const int side : {-1, 1}) {
    grid::Index other = cell, face = cell;
    other[a] += side;
    if (side > 0) ++face[a];
    if (!grid::inside(shape, other)) continue;
    const double there = view(shape, field)(other[0], other[1], other[2]);
    const double counts = std::min(1.0, 2 * view(shape, bath.domain.open)[a](face[0], face[1], face[2]));
    if (std::isnan(there) || !(counts > 0)) continue;
    out.value += counts * side * (there - view(shape, field)(cell[0], cell[1], cell[2]));
    out.trust += counts;
  }
  if (out.trust > 1) out.value /= out.trust, out.trust = 1;
  return out;
}

// The pressure at a patch: the cell's, or that plus the slope along each axis, of which the cells beside give
// what the cell's own faces are too narrow for.
double pressure_at(const Bath& bath, const Buffer<double>& field, const grid::Patch& patch, const Vec3& place,
                   LoadOrder order) {
  const grid::Shape& shape = bath.domain.shape;
  const grid::Index& cell = patch.cell;
  double p = view(shape, field)(cell[0], cell[1], cell[2]);
  if (order == LoadOrder::cell || std::isnan(p)) return p;
  const Vec3 away =
      (place - shape.position(grid::Place::cell, cell[0], cell[1], cell[2])) / shape.cell_size();
  for (int axis = 0; axis < 3; ++axis) {
    const Slope own = slope_at(bath, field, cell, axis);
    Slope others;
    for (int across = 0; across < 3; ++across)
      for (const int side : {-1, 1}) {
        const auto b = static_cast<std::size_t>(across);
        grid::Index other = cell, face = cell;
        other[b] += side;
        if (side > 0) ++face[b];
        if (across == axis || !grid::inside(shape, other) ||
            std::isnan(view(shape, field)(other[0], other[1], other[2])) ||
            !(view(shape, bath.domain.open)[b](face[0], face[1], face[2]) > 0))
          continue;
        const Slope there = slope_at(bath, field, other, axis);
        others.value += there.value, others.trust += there.trust;
      }
    p += away[axis] * (own.value + (1 - own.trust) * others.value / std::max(1.0, others.trust));
  }
  return p;
}

// Σ over patches of pressure · area · velocity at their middles.
double power_of_patches(const Bath& bath, const Vector& pressure, const Vector& velocity, LoadOrder order) {
  const grid::SurfaceElements surface{.positions = bath.mesh.positions, .triangles = bath.triangles};
  const Buffer<double> field = on_grid(bath, pressure);
  double power = 0;
  for (const grid::Patch& patch : bath.cut.patches) {
    const double p = pressure_at(bath, field, patch, grid::centroid(surface, patch), order);
    if (std::isnan(p)) continue;
    Vec3 v = Vec3::Zero();
    for (int c = 0; c < 3; ++c)
      v += patch.weights[c] *
           velocity.segment<3>(3 *
                               static_cast<int>(bath.triangles[patch.element][static_cast<std::size_t>(c)]));
    power += p * patch.area.dot(v);
  }
  return power;
}

// What a uniform motion of the body along each axis sends out of all cells together, and out of each cell,
// against the areas of the patches: differences, in faces.
struct FluxDefects {
  double total = 0, of_a_cell = 0;
};
FluxDefects flux_defects(const Bath& bath) {
  const grid::Shape& shape = bath.domain.shape;
  const double face = shape.cell_size() * shape.cell_size();
  FluxDefects out;
  for (int axis = 0; axis < 3; ++axis) {
    Buffer<double> areas;
    areas.assign(shape.size(), 0);
    for (const grid::Patch& patch : bath.cut.patches)
      if (grid::inside(shape, patch.cell))
        view(shape, areas)(patch.cell[0], patch.cell[1], patch.cell[2]) += patch.area[axis] / face;
    Vector uniform = Vector::Zero(bath.system.mass.size());
    for (Eigen::Index i = axis; i < uniform.size(); i += 3) uniform[i] = 1;
    const Vector flux = bath.system.jacobian.transpose() * uniform / face;
    double sum = 0;
    for (std::size_t n = 0; n < bath.cells.size(); ++n) {
      const double defect = flux[static_cast<Eigen::Index>(n)] -
                            view(shape, areas)(bath.cells[n][0], bath.cells[n][1], bath.cells[n][2]);
      sum += defect;
      out.of_a_cell = std::max(out.of_a_cell, std::abs(defect));
    }
    out.total = std::max(out.total, std::abs(sum));
  }
  return out;
}

}  // namespace

Table adjoint_table() {
  Table table{
      "Forces and fluxes of the Jacobian, patch by patch (LE-35, LE-36)",
      {"load", "cells", "vᵀ(J p) W", "pᵀ(Jᵀ v) / it - 1", "patches / it - 1", "flux of all cells",
       "of the worst cell"},
      {},
      "Random p and v. Patches: Σ of pressure, area and velocity at their middles, found without J. Fluxes: "
      "a "
      "body moved uniformly against the areas of its patches, in faces. Pass: 1e-12 of the power and of all "
      "cells; of single cells 1e-12 with the constant load, while the linear one moves flux between "
      "neighbours, "
      "which is reported."};
  for (const LoadOrder order : {LoadOrder::cell, LoadOrder::linear})
    for (const int cells : {10, 17, 30}) {
      const Bath bath = make_bath({.cells = cells, .order = order});
      const Vector p = random_vector(bath.system.b.rows(), 5, 1000),
                   v = random_vector(bath.system.mass.size(), 6, 1);
      const double power = v.dot(bath.system.jacobian * p);
      const double back = std::abs(p.dot(bath.system.jacobian.transpose() * v) / power - 1);
      const double patches = std::abs(power_of_patches(bath, p, v, order) / power - 1);
      const FluxDefects flux = flux_defects(bath);
      table.rows.push_back({{name_of(order), fmt::format("{}³", cells), fmt::format("{:.6g}", power),
                             number(back), number(patches), number(flux.total), number(flux.of_a_cell)},
                            back < 1e-12 && patches < 1e-12 && flux.total < 1e-12 &&
                                (order == LoadOrder::linear || flux.of_a_cell < 1e-12)});
    }
  return table;
}

Table momentum_table() {
  Table table{"Impulses of one solve on liquid, walls and body (exact shares, no clamps)",
              {"load", "cells", "on the liquid N", "on the walls N", "on the body N", "sum / largest",
               "of a constant pressure"},
              {},
              "Along x; the sum along all three axes. Pass: 1e-12 for the constant load. The linear load "
              "pushes the body "
              "with the pressure at its surface and the liquid with that of cells' middles, so its sum is "
              "the pressures "
              "times the defects of cells above: reported; pass: 1e-12 for a constant pressure."};
  for (const LoadOrder order : {LoadOrder::cell, LoadOrder::linear})
    for (const int cells : {10, 17}) {
      const Bath bath = make_bath({.cells = cells, .order = order});
      const Forces f = forces_of(bath, solve_direct(bath.system).pressure);
      const Forces even = forces_of(bath, Vector::Ones(bath.system.b.rows()));
      const double most = std::max({f.liquid.norm(), f.walls.norm(), f.body.norm()});
      const double sum = (f.liquid + f.walls + f.body).norm() / most;
      const double constant = (even.liquid + even.walls + even.body).norm() /
                              std::max({even.liquid.norm(), even.walls.norm(), even.body.norm()});
      table.rows.push_back({{name_of(order), fmt::format("{}³", cells), fmt::format("{:.4g}", f.liquid.x()),
                             fmt::format("{:.4g}", f.walls.x()), fmt::format("{:.4g}", f.body.x()),
                             number(sum), number(constant)},
                            constant < 1e-12 && most > 0 && (order == LoadOrder::linear || sum < 1e-12)});
    }
  return table;
}

Table energy_table() {
  Table table{
      "Energy over 40 solves without gravity, geometry frozen, 10³ cells",
      {"load", "dt s", "Young's modulus", "body", "start J", "end J", "largest rise / start"},
      {},
      "Kinetic energy of liquid and body and elastic energy, undamped. The liquid's change follows from p: "
      "Δt (½ pᵀBp − pᵀEu). Pass: it never rises by more than rounding, 1e-12, and does fall."};
  struct Choice {
    LoadOrder order;
    double dt, young, density;
  };
  std::vector<Choice> choices;
  for (const LoadOrder order : {LoadOrder::cell, LoadOrder::linear})
    for (const double dt : {1e-3, 0.1})
      for (const double young : {1e4, 1e7})
        for (const double density : {50.0, 2000.0}) choices.push_back({order, dt, young, density});
  for (const auto& [order, dt, young, density] : choices) {
    Bath bath = make_bath({.dt = dt, .young = young, .body_density = density, .order = order});
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
    table.rows.push_back({{name_of(order), fmt::format("{:g}", dt), fmt::format("{:.0e} Pa", young),
                           fmt::format("{:g} kg/m³", density), fmt::format("{:.4g}", start),
                           fmt::format("{:.4g}", before), number(rise)},
                          rise < 1e-12 && before < first});
  }
  return table;
}

}  // namespace selkie::studies::coupling_cases
