// A coupled solve without gravity never adds to kinetic and elastic energy, geometry frozen.
#include <fmt/format.h>

#include "selkie/studies/coupling_bath.h"

namespace selkie::studies::coupling_cases {

using coupling::Vector;

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
