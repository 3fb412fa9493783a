// Stability limits: the step at which the spectral radius of the solver's own one-step map passes 1, beside
// theory and beside what stability_limit() tells a scheduler (RT-04 … RT-08, HY-30, HY-31).
#include <fmt/format.h>

#include <cmath>

#include "selkie/studies/integrator_tables.h"
#include "selkie/studies/integrator_theory.h"
#include "selkie/studies/oscillator.h"

namespace selkie::studies {
namespace {

constexpr double kLimitTolerance = 0.01;
constexpr double kSmallest = 1e-2, kLargest = 1e3;  // range of z searched
constexpr double kGridRatio = 1.05;
// The measured map carries round-off of about 1e-14 and up to 1e-11 at z = 1e3; RK2, the slowest to grow,
// reaches 1.25e-9 at the smallest z.
constexpr double kRoundOff = 1e-10;

bool grows(const StepMap& map) { return !(map.radius() <= 1 + kRoundOff); }

// Largest stable z below the first unstable one; 0 if all are unstable, infinity if none is.
template <class MapAt>
double measured_limit(MapAt&& map_at) {
  double stable = 0, unstable = kSmallest;
  while (unstable <= kLargest && !grows(map_at(unstable))) {
    stable = unstable;
    unstable *= kGridRatio;
  }
  if (unstable > kLargest) return INFINITY;
  if (stable == 0) return 0;
  while (unstable - stable > 1e-9 * stable) {
    const double z = (stable + unstable) / 2;
    (grows(map_at(z)) ? unstable : stable) = z;
  }
  return stable;
}

double solver_limit(Integrator integrator, double zeta) {
  const Body body = make_oscillator(integrator, 1, zeta, 0, 0);
  return kOmega * mass_spring::stability_limit(body.model, body.params, body.state);
}

bool close(double measured, double theory, double tolerance) {
  return measured == theory || std::abs(measured - theory) <= tolerance * std::abs(theory);
}

std::string limit_text(double z) {
  if (z == 0) return "grows at every z";
  return std::isinf(z) ? "none" : fmt::format("{:.6f}", z);
}

Row limit_row(Integrator integrator, double zeta) {
  const double measured = measured_limit([&](double z) { return measure_map(integrator, z, zeta); });
  const double theory = theoretical_limit(integrator, zeta);
  const double told = solver_limit(integrator, zeta);
  // The solver's bound must never be too long, and without damping it is sharp. What it says of explicit
  // Euler and RK2 without damping is another thing: weak_growth_table().
  const bool told_well =
      theory == 0 || (zeta == 0 ? close(told, theory, kLimitTolerance) : told <= measured * (1 + 1e-6));
  const double radius = measure_map(integrator, kLargest, zeta).radius();
  return {{std::string(name_of(integrator)), limit_text(measured), limit_text(theory),
           theory > 0 && std::isfinite(theory) ? fmt::format("{:.1e}", std::abs(measured / theory - 1)) : "-",
           theory == 0 ? "see below" : limit_text(told),
           std::isinf(theory) ? fmt::format("{:.9f}", radius) : "-"},
          close(measured, theory, kLimitTolerance) && told_well};
}

// Whether a chain displaced in its highest mode is still bounded after many steps.
bool chain_holds(Integrator integrator, const ChainOptions& options, double h) {
  constexpr double kDisplacement = 1e-9, kBlownUp = 1e-6;  // m
  constexpr int kSteps = 1500;
  Body body = make_chain(integrator, options);
  mass_spring::pin(body.state, 0);
  mass_spring::pin(body.state, options.vertex_count - 1);
  const mass_spring::State rest = body.state;
  for (std::uint32_t i = 1; i + 1 < options.vertex_count; ++i)
    body.state.positions[i].x() += i % 2 == 0 ? kDisplacement : -kDisplacement;
  for (int n = 0; n < kSteps; ++n) {
    if (!advance(body, h)) return false;
    for (std::uint32_t i = 0; i < options.vertex_count; ++i)
      if (!((body.state.positions[i] - rest.positions[i]).norm() < kBlownUp)) return false;
  }
  return true;
}

}  // namespace

io::LinePlot radius_plot() {
  io::LinePlot plot{
      .name = "stability",
      .title = "Growth of an undamped oscillation per step",
      .caption =
          "Spectral radius of the solver's own one-step map over z = ωh. Above 1 amplitudes grow; the "
          "dotted limits are those of theory.",
      .x = {"z = ωh", io::Scale::logarithmic, 0.1, 100},
      .y = {"spectral radius", io::Scale::logarithmic, 0.01, 100},
      .series = {},
      .slopes = {},
      .limits = {{io::Limit::On::x, 2, "z = 2"}, {io::Limit::On::x, std::sqrt(8.0), "z = 2√2"}}};
  for (const Integrator integrator : kIntegrators) {
    io::Series series{std::string(name_of(integrator)), {}, {}};
    constexpr int kPoints = 90;
    for (int i = 0; i <= kPoints; ++i) {
      series.x.push_back(0.1 * std::pow(1000.0, static_cast<double>(i) / kPoints));
      series.y.push_back(measure_map(integrator, series.x.back()).radius());
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

io::BarPlot limit_plot(double zeta) {
  io::BarPlot plot{.name = "limits",
                   .title = fmt::format("Longest stable step at damping ratio {}", zeta),
                   .caption =
                       "Measured by bisection on the one-step map, beside theory and beside what the "
                       "solver tells a scheduler. Integrators without a limit are left out.",
                   .value_label = "z = ωh",
                   .layout = io::BarPlot::Layout::grouped,
                   .groups = {},
                   .parts = {{"measured", {}}, {"theory", {}}, {"stability_limit()", {}}}};
  for (const Integrator integrator : kIntegrators) {
    const double theory = theoretical_limit(integrator, zeta);
    if (theory == 0 || std::isinf(theory)) continue;
    plot.groups.emplace_back(name_of(integrator));
    plot.parts[0].values.push_back(
        measured_limit([&](double z) { return measure_map(integrator, z, zeta); }));
    plot.parts[1].values.push_back(theory);
    plot.parts[2].values.push_back(solver_limit(integrator, zeta));
  }
  return plot;
}

Table stability_table(double zeta) {
  Table table{.title = fmt::format("Stability limit z = ωh, linear oscillator, damping ratio {}", zeta),
              .columns = {"integrator", "measured", "theory", "difference", "stability_limit()",
                          "radius at z = 1000"},
              .rows = {}};
  for (const Integrator integrator : kIntegrators) table.rows.push_back(limit_row(integrator, zeta));
  table.note =
      zeta == 0
          ? "Pass: within 1 %, stability_limit() too. RT-04 … RT-09, HY-30, HY-31. Measured: spectral "
            "radius of the one-step map passes 1, for z from 0.01 to 1000."
          : "Pass: within 1 %, and stability_limit() not beyond it. Explicit Euler 2ζ (RT-04); derived: "
            "symplectic Euler and Verlet 2(√(1+ζ²) − ζ), Newmark 2(√(1+ζ²) + ζ), Runge-Kutta |R| = 1.";
  return table;
}

Table taut_spring_table() {
  Table table{.title = "Stability limit z = ωh across a taut spring, ω² = tension / (length · mass)",
              .columns = {"integrator", "measured", "theory", "stability_limit()"},
              .rows = {}};
  for (const auto& [integrator, theory] : {std::pair{Integrator::implicit_euler, double{INFINITY}},
                                           {Integrator::implicit_euler_newton, double{INFINITY}},
                                           {Integrator::newmark_implicit, 2.0},
                                           {Integrator::implicit_midpoint, 2.0},
                                           {Integrator::implicit_springs, 2.0}}) {
    const double measured =
        measured_limit([&, which = integrator](double z) { return measure_transverse_map(which, z); });
    const double told = transverse_stability_limit(integrator);
    table.rows.push_back(
        {{std::string(name_of(integrator)), limit_text(measured), limit_text(theory), limit_text(told)},
         close(measured, theory, kLimitTolerance) && close(told, theory, kLimitTolerance)});
  }
  table.note =
      "Pass: within 1 %. Derived: frozen directions (HY-31) are implicit along a spring only; across it they "
      "are "
      "symplectic Euler or Newmark, with their limit of 2.";
  return table;
}

Table weak_growth_table() {
  Table table{.title = "stability_limit() of the always growing integrators: amplitude gained per radian",
              .columns = {"integrator", "z", "measured, %", "theory, %", "promised, %"},
              .rows = {}};
  for (const Integrator integrator : {Integrator::explicit_euler, Integrator::rk2}) {
    const double z = solver_limit(integrator, 0);
    auto percent = [&](double radius) { return 100 * (std::pow(radius, 1 / z) - 1); };
    const double measured = percent(measure_map(integrator, z).radius());
    const double theory = percent(theoretical_radius(integrator, z));
    table.rows.push_back({{std::string(name_of(integrator)), fmt::format("{:.4f}", z),
                           fmt::format("{:.5f}", measured), fmt::format("{:.5f}", theory), "1"},
                          close(measured, theory, 1e-8) && close(measured, 1, kLimitTolerance)});
  }
  table.note = "Pass: measured = theory √(1+z²), √(1+z⁴/4) to 1e-8, promised growth within 1 %.";
  return table;
}

Table chain_limit_table() {
  const ChainOptions options{.vertex_count = 201};  // k = 1e4 N/m, m = 0.01 kg
  Table table{.title = "Chain of 200 springs, k = 1e4 N/m, m = 0.01 kg: longest stable step, ms",
              .columns = {"integrator", "measured", "theory", "difference", "stability_limit()"},
              .rows = {}};
  for (const Integrator integrator :
       {Integrator::symplectic_euler, Integrator::verlet, Integrator::newmark, Integrator::rk4}) {
    const double theory = theoretical_limit(integrator, 0) / 2 * std::sqrt(options.mass / options.stiffness);
    double stable = 0.8 * theory, unstable = 1.2 * theory;
    while (unstable - stable > 1e-4 * theory) {
      const double h = (stable + unstable) / 2;
      (chain_holds(integrator, options, h) ? stable : unstable) = h;
    }
    const Body body = make_chain(integrator, options);
    const double told = mass_spring::stability_limit(body.model, body.params, body.state);
    table.rows.push_back(
        {{std::string(name_of(integrator)), fmt::format("{:.4f}", 1e3 * stable),
          fmt::format("{:.4f}", 1e3 * theory), fmt::format("{:.1e}", std::abs(stable / theory - 1)),
          fmt::format("{:.4f}", 1e3 * told)},
         close(stable, theory, kLimitTolerance) && close(told, theory, kLimitTolerance)});
  }
  table.note = "Pass: within 1 %. RT-05, RT-08: ω_max = 2√(k/m), so h < √(m/k) = 1 ms; RK4 √2 times that.";
  return table;
}

}  // namespace selkie::studies
