// What one step does to the energy of the linear oscillator (RT-04 … RT-09, HY-30, HY-31).
#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "selkie/studies/integrator_tables.h"
#include "selkie/studies/integrator_theory.h"
#include "selkie/studies/oscillator.h"

namespace selkie::studies {
namespace {

constexpr double kEnergyTolerance = 1e-10;  // relative
constexpr double kX = 0.018;                // m, state the energies are compared from
constexpr double kV = 0.5;                  // m/s

double relative_difference(double measured, double theory) { return std::abs(measured - theory) / theory; }

// The quadratic quantity that each integrator multiplies by the same factor in every step, whatever the
// state.
enum class Measure { energy, shadow_of_symplectic, shadow_of_newmark, determinant };

Measure measure_for(Integrator integrator) {
  switch (integrator) {
    case Integrator::symplectic_euler:
    case Integrator::verlet:
      return Measure::shadow_of_symplectic;
    case Integrator::newmark:
      return Measure::shadow_of_newmark;
    case Integrator::newmark_implicit:
      return Measure::determinant;
    default:
      return Measure::energy;
  }
}
std::string_view text_of(Measure measure) {
  switch (measure) {
    case Measure::energy:
      return "energy";
    case Measure::shadow_of_symplectic:
      return "shadow v²+ω²x²−hω²xv";
    case Measure::shadow_of_newmark:
      return "shadow v²+(1−z²/4)ω²x²";
    case Measure::determinant:
      return "determinant ρ²";
  }
  return {};
}

double energy_of(Measure measure, const Body& body, double z) {
  const double x = kOmega * displacement(body), v = velocity(body);
  if (measure == Measure::shadow_of_symplectic) return v * v + x * x - z * x * v;
  if (measure == Measure::shadow_of_newmark) return v * v + (1 - z * z / 4) * x * x;
  return mass_spring::diagnose(body.model, body.params, body.inputs.gravity, body.state).total_energy();
}

double measured_factor(Integrator integrator, Measure measure, double z) {
  if (measure == Measure::determinant) return measure_map(integrator, z).determinant();
  Body body = make_oscillator(integrator, z, 0, kX, kV);
  const double before = energy_of(measure, body, z);
  if (!advance(body, z / kOmega)) return NAN;
  return energy_of(measure, body, z) / before;
}

Row energy_row(Integrator integrator, double z) {
  const Measure measure = measure_for(integrator);
  const double measured = measured_factor(integrator, measure, z);
  const double radius = theoretical_radius(integrator, z);
  const double difference = relative_difference(measured, radius * radius);
  return {{std::string(name_of(integrator)), fmt::format("{:g}", z), std::string(text_of(measure)),
           fmt::format("{:.13g}", measured), fmt::format("{:.13g}", radius * radius),
           fmt::format("{:.1e}", difference)},
          difference <= kEnergyTolerance};
}

struct NewmarkCase {
  std::string_view name;
  mass_spring::NewmarkIntervals taus;  // in units of the step
  std::string_view printed;            // spectral radius at z = 1 in HY-31
};

Row newmark_row(const NewmarkCase& which, double z) {
  const StepMap measured = measure_newmark_map(z, which.taus);
  const NewmarkMap theory = theoretical_newmark(z, which.taus.first, which.taus.second);
  const double difference = std::max(std::abs(measured.trace() - theory.trace),
                                     std::abs(measured.determinant() - theory.determinant));
  const std::string radius = fmt::format("{:.3f}", measured.radius());
  const bool compared = z == 1 && !which.printed.empty();
  return {{std::string(which.name), fmt::format("{:g}", z), fmt::format("{:.12f}", measured.trace()),
           fmt::format("{:.12f}", theory.trace), fmt::format("{:.12f}", measured.determinant()),
           fmt::format("{:.12f}", theory.determinant), radius, compared ? std::string(which.printed) : "-"},
          difference <= kEnergyTolerance && (!compared || radius == which.printed)};
}

}  // namespace

io::LinePlot energy_plot() {
  constexpr double kZ = 0.5;
  constexpr int kSteps = 80;
  io::LinePlot plot{
      .name = "energy",
      .title = "Energy of an undamped oscillator, ωh = 0.5",
      .caption =
          "Energy over that at the start. What swings about 1 without drift is symplectic: it conserves "
          "a quantity near the energy.",
      .x = {"steps"},
      .y = {"energy / energy at the start", io::Scale::logarithmic, 0.01, 100},
      .series = {}};
  for (const Integrator integrator : kIntegrators) {
    Body body = make_oscillator(integrator, kZ, 0, kX, kV);
    io::Series series{std::string(name_of(integrator)), {}, {}};
    const double start = energy_of(Measure::energy, body, kZ);
    for (int n = 0; n <= kSteps; ++n) {
      series.x.push_back(n);
      series.y.push_back(energy_of(Measure::energy, body, kZ) / start);
      if (!advance(body, kZ / kOmega)) break;
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

Table energy_table() {
  Table table{.title = "Energy factor of one step, linear oscillator",
              .columns = {"integrator", "z", "quantity", "measured", "theory", "difference"},
              .rows = {}};
  for (const Integrator integrator : kIntegrators) {
    const bool limited = std::isfinite(theoretical_limit(integrator, 0));
    const std::vector<double> steps =
        limited ? std::vector<double>{0.1, 1, 1.9} : std::vector<double>{0.1, 1, 10, 100};
    for (const double z : steps) table.rows.push_back(energy_row(integrator, z));
  }
  table.note =
      "Pass: relative difference at most 1e-10. 1+z² (RT-04), 1+z⁴/4 (RT-06), 1−z⁶/72+z⁸/576 (RT-07), "
      "1/(1+z²) "
      "(RT-09, RT-10, HY-31), shadow of RT-05; derived: Newmark's shadow, newmark-implicit 1−2s+2s², "
      "s = 1/(1+z²/4).";
  return table;
}

Table newmark_table() {
  const NewmarkCase cases[] = {
      {"none: HY-30", {0, 0}, "1.000"},
      {"Δt/2 in the first: midpoint", {0.5, 0}, "1.000"},
      {"Δt/2 in both: default", {0.5, 0.5}, "0.825"},
      {"Δt in both", {1, 1}, "0.667"},
      {"Δt/2 in the second only", {0, 0.5}, ""},
  };
  Table table{.title = "Newmark's one-step map with interval τ in its two solves",
              .columns = {"τ", "z", "trace", "theory", "determinant", "theory", "radius", "printed"},
              .rows = {}};
  for (const NewmarkCase& which : cases)
    for (const double z : {0.5, 1.0, 1.9}) table.rows.push_back(newmark_row(which, z));

  // The term in the second solve alone does not move the limit of z = 2.
  auto radius_at = [](double z) { return measure_newmark_map(z, {0, 0.5}).radius(); };
  const double below = radius_at(1.99), beyond = radius_at(2.01);
  table.rows.push_back({{"second only, about z = 2", "1.99, 2.01", "-", "-", "-", "-",
                         fmt::format("{:.3f}, {:.3f}", below, beyond), "< 1, > 1"},
                        below < 1 && beyond > 1});
  table.note =
      "Pass: to 1e-10, and the radii HY-31 prints to their three digits. HY-30: trace 2−z², determinant 1.";
  return table;
}

}  // namespace selkie::studies
