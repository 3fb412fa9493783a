// Viscosity: walls of the box brake as they should, at second order; rigid motion is not damped. [Batty08]
#include <fmt/format.h>

#include <cmath>

#include "selkie/studies/liquid_cases.h"

namespace selkie::studies::liquid_cases {
namespace {

constexpr double kNu = 0.01;  // m²/s

// Holds both ends of a channel along x at the exact velocity.
struct Ends : ports::FieldSampler {
  double length, cell;
  std::function<double(double y, double time)> speed;
  Ends(double channel, double cell_size, std::function<double(double, double)> flow)
      : length(channel), cell(cell_size), speed(std::move(flow)) {}
  ports::FieldSample sample(const Vec3& x, double time) const override {
    const bool upper = x.x() > length / 2;
    return {upper ? length - 2.5 * cell - x.x() : x.x() - 2.5 * cell, (upper ? -1 : 1) * Vec3::UnitX(),
            speed(x.y(), time) * Vec3::UnitX()};
  }
};

// Between walls at y = 0 and 1, two metres long, full of liquid.
struct Channel {
  int cells;
  Tank<double> tank;
  Ends ends;
  explicit Channel(int n, std::function<double(double, double)> flow)
      : cells(n),
        tank{[&] {
               liquid::Model model;
               model.shape = grid::Shape(2, {2 * n, n, 1}, 1.0 / n);
               return model;
             }(),
             [] {
               liquid::Params params;
               params.viscosity = kNu * params.density;
               params.tolerance = 1e-11;
               return params;
             }()},
        ends(2, 1.0 / n, std::move(flow)) {
    std::fill(tank.state.surface.begin(), tank.state.surface.end(), -10.0);
  }
  void diffuse(double dt) {
    using namespace liquid;
    const ports::FieldSampler* const solid = &ends;
    tank.time += dt;
    place_solids(tank.model, {&solid, 1}, tank.time, tank.work.solids);
    classify(tank.model, tank.work.solids, tank.state, tank.work.flow);
    tank.ok = tank.ok && liquid::diffuse(tank.model, tank.params, tank.work.solids, dt, tank.state,
                                         tank.work.flow, tank.work.viscosity)
                             .ok;
  }
  double middle(int j) const { return grid::view(tank.model.shape, tank.state.velocity_x)(cells, j, 0); }
};

// Decay of sin(π y) in the middle, 1/s, by steps so short that their own error of first order is a
// thousandth.
double decay_rate(int cells, bool& ok) {
  const double rate = kNu * M_PI * M_PI, dt = 0.002 / rate;
  Channel channel(cells, [=](double y, double t) { return std::exp(-rate * t) * std::sin(M_PI * y); });
  grid::fill(channel.tank.model.shape, grid::Place::face_x, channel.tank.state.velocity_x,
             [](const Vec3& x) { return std::sin(M_PI * x.y()); });
  constexpr int kSteps = 50;
  const double start = channel.middle(cells / 2);
  for (int n = 0; n < kSteps; ++n) channel.diffuse(dt);
  ok = ok && channel.tank.ok;
  return std::log(start / channel.middle(cells / 2)) / (kSteps * dt);
}

// Largest error of the steady profile under a pull, over its peak.
double profile_error(int cells, bool& ok) {
  constexpr double kPull = 0.3, kStep = 100;
  auto exact = [](double y, double) { return kPull / (2 * kNu) * y * (1 - y); };
  Channel channel(cells, exact);
  for (int n = 0; n < 10; ++n) {
    for (double& u : channel.tank.state.velocity_x) u += kPull * kStep;
    channel.diffuse(kStep);
  }
  ok = ok && channel.tank.ok;
  double worst = 0;
  for (int j = 0; j < cells; ++j)
    worst = std::max(worst, std::abs(channel.middle(j) - exact((j + 0.5) / cells, 0)));
  return worst / exact(0.5, 0);
}

// Share of the spin that a disc of honey keeps over one second of viscosity alone.
double spin_kept(bool& ok) {
  liquid::Model model;
  model.shape = grid::Shape(2, {32, 32, 1}, 1.0 / 32);
  liquid::Params params;
  params.viscosity = 1e4;
  params.tolerance = 1e-10;
  Tank<double> tank{model, params};
  const Vec3 middle(0.5, 0.5, 0);
  tank.set_surface([&](const Vec3& x) { return (x - middle).norm() - 0.3; });
  grid::fill(model.shape, grid::Place::face_x, tank.state.velocity_x,
             [](const Vec3& x) { return 0.5 - x.y(); });
  grid::fill(model.shape, grid::Place::face_y, tank.state.velocity_y,
             [](const Vec3& x) { return x.x() - 0.5; });
  auto spin = [&] {
    const auto u = grid::view(model.shape, std::as_const(tank.state.velocity_x)),
               v = grid::view(model.shape, std::as_const(tank.state.velocity_y));
    double sum = 0;
    for (int j = 8; j < 24; ++j)
      for (int i = 8; i < 24; ++i) sum += (i + 0.5 - 16) * v(i, j, 0) - (j + 0.5 - 16) * u(i, j, 0);
    return sum;
  };
  const double start = spin();
  liquid::place_solids(tank.model, {}, 0, tank.work.solids);
  liquid::classify(tank.model, tank.work.solids, tank.state, tank.work.flow);
  for (int n = 0; n < 10; ++n)
    ok = ok && liquid::diffuse(tank.model, tank.params, tank.work.solids, 0.1, tank.state, tank.work.flow,
                               tank.work.viscosity)
                   .ok;
  return spin() / start;
}

}  // namespace

Table viscosity_table() {
  Table table{"Viscosity alone: channel between two walls of the box, spinning disc in free flight",
              {"what", "cells", "measured", "exact", "error", "order", "bound"},
              {}};
  bool ok = true;
  const double rate = kNu * M_PI * M_PI;
  double last = 0;
  for (const int cells : {8, 16, 32}) {
    const double measured = decay_rate(cells, ok), error = std::abs(measured / rate - 1);
    // Differences of second order: π²Δx²/12; and the steps.
    const double bound = M_PI * M_PI / (12.0 * cells * cells) + 0.0015;
    table.rows.push_back({{"decay of sin(πy), 1/s", std::to_string(cells), number(measured), number(rate),
                           number(error), "", number(bound)},
                          ok && error < bound});
  }
  for (const int cells : {8, 16, 32}) {
    const double error = profile_error(cells, ok), order = last > 0 ? std::log2(last / error) : 0;
    // The mirror at walls costs Δx²/4 of y(1 − y), whose peak is 1/4.
    const double bound = 1.01 / (double(cells) * cells);
    table.rows.push_back({{"Poiseuille's profile, of its peak", std::to_string(cells), "", "", number(error),
                           last > 0 ? fmt::format("{:.2f}", order) : "", number(bound)},
                          ok && error < bound && (last == 0 || order > 1.9)});
    last = error;
  }
  const double kept = spin_kept(ok);
  table.rows.push_back({{"spin of a disc, ν = 10 m²/s, 1 s", "32", number(kept), "1",
                         number(std::abs(kept - 1)), "", number(1e-8)},
                        ok && std::abs(kept - 1) < 1e-8});
  table.note =
      "Walls are no slip; the ends of the channel are held at the exact velocity; a free surface feels no "
      "traction.";
  return table;
}

}  // namespace selkie::studies::liquid_cases
