// Lattice Boltzmann against exact flows and against the limits of stability that the specification reports.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "selkie/fluids/lattice_boltzmann/solver.h"
#include "selkie/studies/smoke_cases.h"

namespace selkie::studies::smoke_cases {
namespace {

namespace lbm = lattice_boltzmann;

// One tick a step, cells and steps of length one: physical units are lattice units.
constexpr Interval kStep{0, 1, 1.0};

struct Lattice {
  lbm::Model model;
  lbm::Params params;
  lbm::State<double> state = lbm::make_state<double>(model), next = state;
  Buffer<double> density = {};
  std::array<Buffer<double>, 3> velocity = {};

  bool advance(int steps) {
    for (int s = 0; s < steps; ++s) {
      if (!lbm::step(model, params, kStep, state, next).ok) return false;
      std::swap(state, next);
    }
    lbm::moments(model, params, state, density, velocity);
    return true;
  }
  double along_x(int i, int j) const {
    return velocity[0][static_cast<std::size_t>(model.shape.at(i, j, 0))];
  }
};

double shear_wave_viscosity(int dims, int n, double viscosity, int steps) {
  Lattice gas{lbm::make_model(grid::Shape(dims, {4, n, 4}, 1), {true, true, true}),
              {.viscosity = viscosity, .turbulence = 0}};
  const double k = 2 * std::numbers::pi / n;
  for (int z = 0; z < gas.model.shape.cells()[2]; ++z)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < 4; ++i)
        lbm::set_equilibrium(gas.model, i, j, z, 1, Vec3(0.01 * std::cos(k * (j + 0.5)), 0, 0), 1, gas.state);
  gas.state.step = 1;
  auto amplitude = [&] {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += std::cos(k * (j + 0.5)) * gas.along_x(1, j);
    return sum;
  };
  gas.advance(steps / 4);  // past the start, where the waves are not yet those of the scheme
  const double first = amplitude();
  gas.advance(steps - steps / 4);
  return std::log(first / amplitude()) / (k * k * (steps - steps / 4));
}

// Largest error of steady flow between walls 16 cells apart, relative to its greatest speed.
double channel_error(double tau, double force, double lid) {
  const int height = 16;
  const double viscosity = (tau - 0.5) / 3;
  Lattice gas{lbm::make_model(grid::Shape(2, {3, height, 1}, 1), {true, false, false}),
              {.viscosity = viscosity, .turbulence = 0}};
  if (lid != 0) lbm::set_side_velocity(gas.model, 1, true, Vec3(lid, 0, 0));
  gas.params.acceleration = Vec3(force, 0, 0);
  gas.advance(60000);
  const double top = lid != 0 ? lid : force * height * height / 8 / viscosity;
  double worst = 0;
  for (int j = 0; j < height; ++j) {
    const double y = j + 0.5;
    const double exact = lid * y / height + force * y * (height - y) / 2 / viscosity;
    worst = std::max(worst, std::abs(gas.along_x(1, j) - exact) / top);
  }
  return worst;
}

// The largest speed in a cavity of 64² whose lid moves at 0.1, or infinity once it is no longer finite.
double cavity_speed(double omega, double turbulence, lbm::Smagorinsky form, int steps) {
  Lattice gas{lbm::make_model(grid::Shape(2, {64, 64, 1}, 1), {false, false, false}),
              {.viscosity = (1 / omega - 0.5) / 3, .turbulence = turbulence, .turbulence_form = form}};
  lbm::set_side_velocity(gas.model, 1, true, Vec3(0.1, 0, 0));
  if (!gas.advance(steps)) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < gas.density.size(); ++i)
    largest = std::max(largest, std::hypot(gas.velocity[0][i], gas.velocity[1][i]));
  return std::isfinite(largest) ? largest : std::numeric_limits<double>::infinity();
}

}  // namespace

Table shear_wave_table() {
  Table table{"Lattice Boltzmann: decay of a shear wave, N = 64 (RT-52)",
              {"lattice", "ω", "ν asked", "ν measured", "relative error"},
              {},
              "Pass: within 1e-3."};
  for (const int dims : {2, 3})
    for (const double omega : {1.0, 1.8}) {
      const double viscosity = (1 / omega - 0.5) / 3;
      const double measured = shear_wave_viscosity(dims, 64, viscosity, 2000);
      const double error = std::abs(measured / viscosity - 1);
      table.rows.push_back(
          {{dims == 2 ? "D2Q9" : "D3Q19", fmt::format("{:.1f}", omega), fmt::format("{:.8f}", viscosity),
            fmt::format("{:.8f}", measured), number(error)},
           error < 1e-3});
    }
  return table;
}

Table channel_table() {
  Table table{
      "Lattice Boltzmann: flow between half-way walls, H = 16 (RT-53)",
      {"flow", "τ", "expected error", "largest error"},
      {},
      "Couette is exact for any τ, Poiseuille at τ = ½ + √3/4; the other errors are the scheme's own. Errors "
      "are shares of the greatest speed."};
  auto add = [&](const char* flow, double tau, double force, double lid, double expected, double tolerance) {
    const double error = channel_error(tau, force, lid);
    table.rows.push_back({{flow, fmt::format("{:.4f}", tau), number(expected), number(error)},
                          std::abs(error - expected) <= tolerance});
  };
  for (const double tau : {0.6, 0.933, 1.5}) add("Couette", tau, 0, 0.05, 0, 1e-10);
  add("Poiseuille", 0.5 + std::sqrt(3.0) / 4, 1e-6, 0, 0, 1e-9);
  add("Poiseuille", 0.6, 1e-6, 0, 0.004, 0.0005);
  add("Poiseuille", 1.5, 1e-6, 0, 0.017, 0.0005);
  return table;
}

Table cavity_stability_table(int steps) {
  Table table{
      fmt::format("Lattice Boltzmann: lid-driven cavity of 64², lid 0.1, {} steps (RT-54)", steps),
      {"model", "C", "ω", "expected", "largest speed"},
      {},
      "The specification's figures are for 20,000 steps: plain collision diverges from ω = 1.95 on; "
      "the printed form with C = 0.03 stays bounded, with C = 0.1 below the lid's speed; the consistent form "
      "needs C ≥ 0.1."};
  constexpr double kNever = std::numeric_limits<double>::infinity();
  auto add = [&](const char* model, double c, double omega, lbm::Smagorinsky form, const char* expected,
                 double least, double most) {
    const double speed = cavity_speed(omega, c, form, steps);
    table.rows.push_back({{model, fmt::format("{:.2f}", c), fmt::format("{:.4f}", omega), expected,
                           std::isfinite(speed) ? number(speed) : "diverged"},
                          speed >= least && (speed < most || (speed == most && most == kNever))});
  };
  using enum lbm::Smagorinsky;
  add("none", 0, 1.9, printed, "bounded", 0, 0.34);
  for (const double omega : {1.95, 1.99}) add("none", 0, omega, printed, "diverges", kNever, kNever);
  for (const double omega : {1.95, 1.999, 1.9999}) add("printed", 0.03, omega, printed, "bounded", 0, 3);
  for (const double omega : {1.999, 1.9999}) add("printed", 0.1, omega, printed, "≤ 0.1", 0, 0.1 + 1e-9);
  add("consistent", 0.1, 1.99, consistent, "bounded", 0, 1);
  return table;
}

}  // namespace selkie::studies::smoke_cases
