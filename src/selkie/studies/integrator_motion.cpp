// Exact discrete motions: free fall, momentum, reach of one step, and a huge step (RT-05, RT-09).
#include <fmt/format.h>

#include <cmath>

#include "selkie/studies/integrator_tables.h"
#include "selkie/studies/integrator_theory.h"
#include "selkie/studies/oscillator.h"

namespace selkie::studies {
namespace {

bool is_stable_at_any_step(Integrator integrator) { return std::isinf(theoretical_limit(integrator, 0)); }

// In units of √(m/k): short where explicit steps would blow up, long for the fully implicit ones. Those with
// frozen directions are explicit across the springs, which are stretched by up to half here.
double momentum_step(Integrator integrator) {
  switch (integrator) {
    case Integrator::implicit_euler:
    case Integrator::implicit_euler_newton:
      return 10;
    case Integrator::newmark_implicit:
    case Integrator::implicit_midpoint:
    case Integrator::implicit_springs:
      return 0.5;
    default:
      return 0.02;
  }
}

// A free chain in disorder, without symmetry to hide behind.
Body make_tangled_chain(Integrator integrator, const ChainOptions& options) {
  Body body = make_chain(integrator, options);
  for (std::uint32_t i = 0; i < options.vertex_count; ++i) {
    body.state.positions[i] += 0.02 * Vec3(std::sin(1.3 * i), std::sin(2.1 * i + 1), std::sin(0.7 * i + 2));
    body.state.velocities[i] = Vec3(std::cos(0.9 * i), 0.5 + std::sin(1.7 * i), std::cos(2.3 * i + 1));
  }
  return body;
}

}  // namespace

Table free_fall_table() {
  constexpr int kSteps = 100;
  constexpr double kStep = 0.01, kGravity = 9.81;
  Table table{.title = "Free fall from rest, 100 steps: distance in g h²",
              .columns = {"integrator", "measured", "theory", "difference"},
              .rows = {}};
  for (const Integrator integrator : kIntegrators) {
    Body body = make_chain(integrator, {.vertex_count = 1});
    body.inputs.gravity = Vec3(0, -kGravity, 0);
    const bool ok = advance(body, kStep, kSteps);
    const double measured = -body.state.positions[0].y() / (kGravity * kStep * kStep);
    const double theory = theoretical_fall(integrator, kSteps);
    const double difference = std::abs(measured / theory - 1);
    table.rows.push_back({{std::string(name_of(integrator)), fmt::format("{:.10f}", measured),
                           fmt::format("{:g}", theory), fmt::format("{:.1e}", difference)},
                          ok && difference <= 1e-12});
  }
  table.note =
      "Pass: to 1e-12, round-off of 100 sums. n(n+1)/2 for symplectic Euler (RT-05); derived: n(n−1)/2 "
      "explicit, "
      "n²/2 where a constant acceleration is integrated exactly.";
  return table;
}

Table momentum_table() {
  const ChainOptions options{.vertex_count = 20};
  const double unit = std::sqrt(options.mass / options.stiffness);  // s
  constexpr int kSteps = 100;
  Table table{.title = "Momentum of a free chain of 20 masses, 100 steps",
              .columns = {"integrator", "h √(k/m)", "relative drift"},
              .rows = {}};
  for (const Integrator integrator : kIntegrators) {
    const double h = momentum_step(integrator);
    Body body = make_tangled_chain(integrator, options);
    auto momentum = [&] {
      return mass_spring::diagnose(body.model, body.params, body.inputs.gravity, body.state).momentum;
    };
    const Vec3 before = momentum();
    const bool ok = advance(body, h * unit, kSteps);
    const double drift = (momentum() - before).norm() / before.norm();
    table.rows.push_back({{std::string(name_of(integrator)), fmt::format("{:g}", h),
                           ok ? fmt::format("{:.1e}", drift) : "solver gave up"},
                          ok && drift <= 1e-11});
  }
  table.note =
      "Pass: at most 1e-11, 100 linear solves of relative residual 1e-14 at a condition number of 400.";
  return table;
}

Table reach_table() {
  const ChainOptions options{.vertex_count = 21};
  // Long, so that what reaches the far end is well above the tolerance of the linear solve.
  const double h = 10 * std::sqrt(options.mass / options.stiffness);
  Table table{.title = "Masses of a chain of 20 set moving by one step after its end was displaced",
              .columns = {"integrator", "measured", "theory"},
              .rows = {}};
  for (const auto& [integrator, theory] : {std::pair{Integrator::explicit_euler, 1},
                                           {Integrator::symplectic_euler, 1},
                                           {Integrator::implicit_euler, 20},
                                           {Integrator::implicit_springs, 20}}) {
    Body body = make_chain(integrator, options);
    mass_spring::pin(body.state, 0);
    body.state.positions[0].x() -= 0.01;
    const bool ok = advance(body, h);
    int reached = 0;
    for (const Vec3& v : body.state.velocities) reached += v.x() != 0 ? 1 : 0;
    table.rows.push_back(
        {{std::string(name_of(integrator)), fmt::format("{}", reached), fmt::format("{}", theory)},
         ok && reached == theory});
  }
  table.note =
      "RT-09: explicit steps carry information along one edge, implicit ones through the whole body.";
  return table;
}

Table huge_step_table() {
  const ChainOptions options{.vertex_count = 20, .stiffness = 1e6};
  constexpr int kSteps = 100;
  Table table{.title = "Chain of 20 masses of 0.01 kg, k = 1e6 N/m, h = 1 s (ωh = 20000), 100 steps",
              .columns = {"integrator", "set off", "largest speed before, m/s", "after", "largest strain"},
              .rows = {}};
  auto add_row = [&](Integrator integrator, const char* how, Body& body) {
    auto look = [&] {
      return mass_spring::diagnose(body.model, body.params, body.inputs.gravity, body.state);
    };
    mass_spring::pin(body.state, 0);
    const double before = look().max_speed;
    const bool ok = advance(body, 1, kSteps);
    const mass_spring::Diagnostics end = look();
    table.rows.push_back({{std::string(name_of(integrator)), how, fmt::format("{:.3g}", before),
                           ok ? fmt::format("{:.3g}", end.max_speed) : "solver gave up",
                           fmt::format("{:.3g}", end.max_stretch)},
                          ok && std::isfinite(end.max_speed) && std::isfinite(end.total_energy())});
  };
  for (const Integrator integrator : kIntegrators) {
    if (!is_stable_at_any_step(integrator)) continue;
    Body body = make_chain(integrator, options);
    for (std::uint32_t i = 0; i < options.vertex_count; ++i) {
      body.state.positions[i].x() += 1e-3 * std::sin(1.3 * i);
      body.state.velocities[i].x() = std::cos(0.9 * i);
    }
    add_row(integrator, "along itself", body);
  }
  Body falling = make_chain(Integrator::implicit_euler, options);
  falling.inputs.gravity = Vec3(0, -9.81, 0);
  add_row(Integrator::implicit_euler, "falls from level", falling);
  table.note =
      "Pass: every solve converges and everything stays finite (RT-09). The fall is left to one "
      "linearisation: "
      "Newton's iteration does not converge at this step and reports so, and frozen directions have a limit.";
  return table;
}

}  // namespace selkie::studies
