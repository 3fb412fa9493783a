// Orders of accuracy on the elastic pendulum, against an independent reference (RT-04 … RT-08, HY-30, HY-31).
#include <fmt/format.h>

#include <cmath>

#include "selkie/studies/integrator_tables.h"
#include "selkie/studies/integrator_theory.h"
#include "selkie/studies/oscillator.h"

namespace selkie::studies {
namespace {

constexpr double kOrderTolerance = 0.05;
constexpr double kDamping = 1.5;          // N·s/m, about a tenth of critical along the spring
constexpr int kReferenceSteps = 1 << 16;  // RK4's error at this step is below 1e-17

// Steps of the finest run: short enough for the leading error term to rule, long enough to stay clear of
// round-off.
int finest_steps(int order) { return order == 1 ? 8192 : order == 2 ? 2048 : 1024; }

struct Errors {
  double position = NAN;  // m
  double velocity = NAN;  // m/s
};

Errors errors_of(Integrator integrator, int steps, const PendulumOptions& options, const Swing& reference) {
  const std::optional<Swing> end = swing(integrator, steps, options);
  if (!end) return {};
  return {(end->position - reference.position).norm(), (end->velocity - reference.velocity).norm()};
}

// Mean slope over two halvings of the step.
double order_between(double coarse, double fine) { return std::log2(coarse / fine) / 2; }

Row order_row(std::string name, Integrator integrator, const PendulumOptions& options, Orders theory) {
  const Swing reference = reference_swing(options.damping, kReferenceSteps);
  const int steps = finest_steps(theory.position);
  const Errors coarse = errors_of(integrator, steps / 4, options, reference);
  const Errors fine = errors_of(integrator, steps, options, reference);
  const double position = order_between(coarse.position, fine.position);
  const double velocity = order_between(coarse.velocity, fine.velocity);
  return {{std::move(name), fmt::format("{}", steps), fmt::format("{:.3e}", fine.position),
           fmt::format("{:.4f}", position), fmt::format("{}", theory.position),
           fmt::format("{:.3e}", fine.velocity), fmt::format("{:.4f}", velocity),
           fmt::format("{}", theory.velocity)},
          std::abs(position - theory.position) <= kOrderTolerance &&
              std::abs(velocity - theory.velocity) <= kOrderTolerance};
}

Table empty_order_table(std::string title) {
  return {.title = std::move(title),
          .columns = {"integrator", "steps", "position error, m", "order", "theory", "velocity error, m/s",
                      "order", "theory"},
          .rows = {}};
}

// Errors from the coarsest step that is still of use to the finest, the legend with measured order and
// theory.
io::Series convergence_series(Integrator integrator, const Swing& reference) {
  constexpr int kCoarsest = 64;
  const int order = theoretical_orders(integrator, false).position;
  io::Series series;
  for (int steps = kCoarsest; steps <= finest_steps(order); steps *= 2) {
    series.x.push_back(kSwingTime / steps);
    series.y.push_back(errors_of(integrator, steps, {}, reference).position);
  }
  const std::size_t last = series.y.size() - 1;
  series.name = fmt::format("{}  {:.2f} ({})", name_of(integrator),
                            order_between(series.y[last - 2], series.y[last]), order);
  return series;
}

}  // namespace

io::LinePlot convergence_plot() {
  io::LinePlot plot{
      .name = "convergence",
      .title = "Order of the mass-spring integrators",
      .caption =
          "Position error of an undamped elastic pendulum after 1.5 s over the step. Legend: order "
          "measured over the last two halvings, and in brackets what theory says. Dashed: slopes of "
          "these orders.",
      .x = {"step h, s", io::Scale::logarithmic},
      .y = {"position error, m", io::Scale::logarithmic},
      .series = {}};
  const Swing reference = reference_swing(0, kReferenceSteps);
  for (const Integrator integrator : kIntegrators)
    plot.series.push_back(convergence_series(integrator, reference));
  // Where no curve is.
  plot.slopes = {{1, 1.5e-4, 1e-5, 6e-4, "order 1"},
                 {2, 8e-4, 1e-8, 4e-3, "order 2"},
                 {4, 3e-3, 2e-11, 1.2e-2, "order 4"}};
  return plot;
}

Table order_table(bool damped) {
  Table table = empty_order_table(damped ? "Order, elastic pendulum with damping along the spring"
                                         : "Order, elastic pendulum without damping");
  const PendulumOptions options{.damping = damped ? kDamping : 0};
  for (const Integrator integrator : kIntegrators)
    table.rows.push_back(order_row(std::string(name_of(integrator)), integrator, options,
                                   theoretical_orders(integrator, damped)));
  table.note =
      damped ? "Pass: within 0.05. Derived: Verlet's damping force sees the velocity of half a step ago, so "
               "its positions fall to order 1."
             : "Pass: within 0.05. Errors after 1.5 s against an independent extended-precision run; order "
               "over two halvings up to `steps`. RT-04 … RT-08, HY-30; derived: newmark-implicit 1 (its "
               "second solve keeps a damper k Δt/2), implicit-midpoint 2, implicit Euler forms 1.";
  return table;
}

Table verlet_start_table() {
  Table table = empty_order_table("Verlet's start");
  constexpr Integrator verlet = Integrator::verlet;
  table.rows.push_back(order_row("v0 - h a0/2 (as built)", verlet, {}, {2, 1}));
  table.rows.push_back(order_row("v0 taken as lagging", verlet, {.verlet_velocity_lags = true}, {1, 1}));

  // With equal v⁰ the trajectory is that of symplectic Euler, bit for bit.
  constexpr int kSteps = 2048;
  const std::optional<Swing> lagging = swing(verlet, kSteps, {.verlet_velocity_lags = true});
  const std::optional<Swing> symplectic = swing(Integrator::symplectic_euler, kSteps);
  const double difference = lagging && symplectic ? (lagging->position - symplectic->position).norm() : NAN;
  table.rows.push_back({{"minus symplectic-euler, equal v0", fmt::format("{}", kSteps),
                         fmt::format("{:.1e}", difference), "-", "-", "-", "-", "-"},
                        difference == 0});
  table.note = "RT-08: order 2 needs the start; without it Verlet is symplectic Euler.";
  return table;
}

}  // namespace selkie::studies
