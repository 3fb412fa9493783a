// Pressure and rest: p is exact where it is linear, liquid at rest stays so in any container (LE-15, LE-16).
#include <fmt/format.h>

#include <cmath>

#include "selkie/studies/liquid_cases.h"

namespace selkie::studies::liquid_cases {
namespace {

constexpr double kGravity = 9.81, kStep = 0.01;

// One projection of u* = Δt g with a given φ; returns the largest |u| and |p − ρ g (a − y)| left on the cells
// of liquid, the latter over ρ g L.
struct Rest {
  double speed = 0, pressure = 0;
};
Rest project_once(Tank<double>& tank, double level) {
  using namespace liquid;
  const grid::Shape& shape = tank.model.shape;
  place_solids(tank.model, tank.inputs.colliders, 0, tank.work.solids);
  add_gravity(tank.model, tank.inputs.gravity, kStep, tank.state);
  classify(tank.model, tank.work.solids, tank.state, tank.work.flow);
  assemble(tank.model, tank.work.solids, tank.state, tank.work.flow);
  tank.ok = solve(tank.model, tank.params, tank.state, tank.work.flow).ok;
  correct(tank.model, tank.work.solids, tank.state, tank.work.flow);
  extrapolate(tank.model, tank.inputs.colliders, {}, 0, tank.work.solids, 3, tank.state, tank.work.flow);
  Rest rest;
  rest.speed = top_speed(tank.model, tank.state);
  const auto kinds = grid::view(shape, std::as_const(tank.work.flow.kinds));
  const auto p = grid::view(shape, std::as_const(tank.state.pressure));
  rest.pressure = grid::max_rows(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    double worst = 0;
    for (int i = 0; i < shape.cells()[0]; ++i) {
      if (kinds(i, j, k) != grid::code_of(grid::CellKind::fluid)) continue;
      const double exact = kGravity * (level - shape.position(grid::Place::cell, i, j, k).y());
      worst = std::max(worst, std::abs(p(i, j, k) * shape.cell_size() / kStep - exact));
    }
    return worst;
  });
  rest.pressure /= kGravity * shape.extent().y();
  return rest;
}

Tank<double> tank_of(int dims, int cells) {
  liquid::Model model;
  model.shape = grid::Shape(dims, {cells, cells, cells}, 1.0 / cells);
  liquid::Params params;
  params.tolerance = 1e-12;
  params.keep_volume = false;
  return {model, params};
}

Vec3 turned(const Vec3& x, double degrees) {
  return Eigen::AngleAxisd(degrees * M_PI / 180, Vec3::UnitZ()) * x;
}

struct NamedSolid {
  std::string name;
  int dims;
  Solid solid;
};

std::vector<NamedSolid> containers() {
  auto vessel = [](auto&& inside) {
    return Solid([inside](const Vec3& x) {
      const geometry::SurfaceDistance d = inside(x);
      return ports::FieldSample{-d.distance, -d.normal, Vec3::Zero()};
    });
  };
  const Vec3 middle(0.5, 0.5, 0.5);
  return {
      {"disc, 2-D", 2, vessel([](const Vec3& x) {
         return geometry::signed_distance(geometry::Ball{Vec3(0.5, 0.5, 0), 0.43}, x);
       })},
      {"square turned by 23°, 2-D", 2, vessel([](const Vec3& x) {
         const Vec3 y = turned(x - Vec3(0.5, 0.5, 0), 23);
         auto d = geometry::signed_distance(geometry::Box{Vec3(-0.3, -0.3, -9), Vec3(0.3, 0.3, 9)}, y);
         d.normal = turned(d.normal, -23);
         return d;
       })},
      {"sphere", 3, vessel([middle](const Vec3& x) {
         return geometry::signed_distance(geometry::Ball{middle, 0.43}, x);
       })},
      {"lying ring", 3, vessel([middle](const Vec3& x) {
         return geometry::signed_distance(geometry::Torus{middle, Vec3(0.2, 1, 0.1).normalized(), 0.28, 0.14},
                                          x);
       })},
      {"box around a ball", 3, Solid([middle](const Vec3& x) {
         const auto d = geometry::signed_distance(geometry::Ball{middle, 0.27}, x);
         return ports::FieldSample{d.distance, d.normal, Vec3::Zero()};
       })},
  };
}

}  // namespace

Table linear_pressure_table() {
  Table table{"Pressure below a surface at height a, one projection of u* = Δt g (LE-16)",
              {"dims", "θ", "largest |p − ρg(a − y)| / ρgL", "largest |u| / Δt g", "bound"},
              {}};
  constexpr double kBound = 1e-9;
  for (const int dims : {2, 3})
    for (const double theta : {0.011, 0.1, 0.25, 0.5, 0.75, 0.999}) {
      const int cells = dims == 2 ? 24 : 16;
      Tank<double> tank = tank_of(dims, cells);
      const double level = (cells / 2 + 0.5 + theta) / cells;
      tank.set_surface([&](const Vec3& x) { return x.y() - level; });
      const Rest rest = project_once(tank, level);
      const double speed = rest.speed / (kGravity * kStep);
      table.rows.push_back(
          {{std::to_string(dims), number(theta), number(rest.pressure), number(speed), number(kBound)},
           tank.ok && rest.pressure < kBound && speed < kBound});
    }
  table.note =
      "θ is the distance of the surface from the topmost liquid centre in cells. Bound: solver 1e-12.";
  return table;
}

Table hydrostatic_table() {
  Table table{"Rest in cut containers, φ = y − a: one projection of u* = Δt g (LE-15)",
              {"container", "cells", "a", "largest |p − ρg(a − y)| / ρgL", "largest |u| / Δt g", "bound"},
              {}};
  constexpr double kBound = 1e-8;
  for (const NamedSolid& container : containers())
    for (const double level : {0.5, 0.523}) {
      Tank<double> tank = tank_of(container.dims, container.dims == 2 ? 48 : 32);
      const ports::FieldSampler* const solid = &container.solid;
      tank.inputs.colliders = {&solid, 1};
      tank.set_surface([&](const Vec3& x) { return x.y() - level; });
      const Rest rest = project_once(tank, level);
      const double speed = rest.speed / (kGravity * kStep);
      table.rows.push_back({{container.name, std::to_string(tank.model.shape.cells()[0]), number(level),
                             number(rest.pressure), number(speed), number(kBound)},
                            tank.ok && rest.pressure < kBound && speed < kBound});
    }
  table.note =
      "With an analytic φ every open face balances exactly; the bound is the solver's 1e-12 times the "
      "condition of cut cells.";
  return table;
}

Table rest_table(bool full) {
  Table table{"Pools from particles, 10 s of rest: φ is made from the particles",
              {"container", "cells", "transfer", "largest |u| / √(gΔx)", "its bound", "at the end",
               "largest rms of particles", "its bound"},
              {}};
  constexpr double kBound = 0.5;     // of √(gΔx), spec 3.2 (i)
  constexpr double kRmsBound = 0.1;  // likewise
  auto run = [&](const std::string& name, int dims, int cells, const ports::FieldSampler* solid,
                 liquid::Transfer transfer, bool drops) {
    liquid::Model model;
    model.shape = grid::Shape(dims, {cells, cells, cells}, 1.0 / cells);
    liquid::Params params;
    params.transfer = transfer;
    Tank<float> tank{model, params};
    if (solid != nullptr) tank.inputs.colliders = {&solid, 1};
    tank.fill([&](const Vec3& x) {
      return x.y() < 0.437 && (solid == nullptr || solid->sample(x, 0).distance > 0.02 / cells);
    });
    const double unit = std::sqrt(kGravity / cells);
    double largest = 0, rms = 0;
    for (int frame = 0; frame < 300 && tank.ok; ++frame) {
      tank.advance_to((frame + 1) / 30.0, 1.0 / 30);
      largest = std::max(largest, tank.largest_speed() / unit);
      const double mass =
          params.density * model.particle_volume() * static_cast<double>(tank.state.particles.size());
      const double kinetic = liquid::energy(model, params, Vec3::Zero(), tank.state).kinetic;
      rms = std::max(rms, std::sqrt(2 * kinetic / mass) / unit);
    }
    table.rows.push_back(
        {{name, std::to_string(cells), transfer == liquid::Transfer::flip ? "flip" : "apic", number(largest),
          drops ? "" : number(kBound), number(tank.largest_speed() / unit), number(rms), number(kRmsBound)},
         tank.ok && (drops || largest < kBound) && rms < kRmsBound});
  };
  const std::vector<NamedSolid> all = containers();
  run("box, 2-D", 2, 32, nullptr, liquid::Transfer::flip, false);
  run("box, 2-D", 2, 32, nullptr, liquid::Transfer::apic, false);
  run("disc, 2-D", 2, 32, &all[0].solid, liquid::Transfer::flip, false);
  run("sphere", 3, full ? 32 : 16, &all[2].solid, liquid::Transfer::flip, true);
  table.note =
      "Level 0.437 m: between cell centres. The surface of random particles is uneven, so rest is bounded "
      "and not exact. In the sphere single particles creep up the wall and drop back: the largest speed is "
      "theirs and only reported.";
  return table;
}

Table still_pool_table() {
  Table table{"Pools of a level set, surface at 0.437 m between cell centres, 1 s of rest",
              {"dims", "cells", "numbers", "largest |u| / √(gΔx)", "surface moved, cells", "bound"},
              {}};
  auto run = [&]<class Real>(int dims, int cells, Real, double bound) {
    liquid::Model model;
    model.shape = grid::Shape(dims, {cells, cells, cells}, 1.0 / cells);
    model.tracker = liquid::Tracker::level_set;
    liquid::Params params;
    if (sizeof(Real) == 8) params.tolerance = 1e-12;
    Tank<Real> tank{model, params};
    tank.set_surface([](const Vec3& x) { return x.y() - 0.437; });
    liquid::prepare(tank.model, tank.params, {}, 0, tank.state, tank.work);
    const auto start = tank.state.surface;
    double largest = 0;
    for (int frame = 0; frame < 30 && tank.ok; ++frame) {
      tank.advance_to((frame + 1) / 30.0, 1.0 / 30);
      largest = std::max(largest, tank.largest_speed());
    }
    largest /= std::sqrt(kGravity / cells);
    const auto now = grid::view(model.shape, std::as_const(tank.state.surface)),
               then = grid::view(model.shape, start);
    const double moved =
        cells * grid::max_rows(grid::sample_box(model.shape, grid::Place::cell), [&](int j, int k) {
          double worst = 0;
          for (int i = 0; i < cells; ++i)
            if (std::abs(then(i, j, k)) * cells < 1)
              worst = std::max(worst, std::abs(double(now(i, j, k)) - double(then(i, j, k))));
          return worst;
        });
    table.rows.push_back(
        {{std::to_string(dims), std::to_string(cells), sizeof(Real) == 8 ? "double" : "float",
          number(largest), number(moved), number(bound)},
         tank.ok && largest < bound && moved < bound});
  };
  run(2, 32, double(), 1e-8);
  run(2, 32, float(), 2e-3);
  run(3, 16, float(), 2e-3);
  table.note =
      "In double the bound is the solver's 1e-12 over as many steps; in float that of the default tolerance.";
  return table;
}

}  // namespace selkie::studies::liquid_cases
