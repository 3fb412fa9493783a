// Vortex particles, confinement and explosions against what can be said of them exactly.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "selkie/fluids/smoke/forces.h"
#include "selkie/studies/smoke_cases.h"

namespace selkie::studies::smoke_cases {
namespace {

using smoke::VortexKernel;

smoke::Model cube(int cells) {
  smoke::Model model;
  model.shape = grid::Shape(3, {cells, cells, cells}, 2.0 / cells, Vec3(-1, -1, -1));
  return model;
}

void add_vortex(smoke::State<double>& state, const Vec3& x, const Vec3& strength, double radius) {
  state.vortex_positions.push_back(x);
  state.vortex_strengths.push_back(strength);
  state.vortex_radii.push_back(radius);
  state.vortex_identities.push_back(state.vortices_seeded++);
}

// The strength of one vortex particle that stays at the origin of a steady flow, after `steps`.
template <class Velocity>
Vec3 spun(Velocity&& velocity, Vec3 strength, double dt, int steps) {
  Gas gas{cube(24), {}};
  gas.set_velocity(velocity);
  add_vortex(gas.state, Vec3::Zero(), strength, 0.2);
  for (int s = 0; s < steps; ++s) {
    gas.state.vortex_positions[0] = Vec3::Zero();
    smoke::advance_vortices<double>(
        gas.model, gas.params, [](const Vec3&) { return smoke::SolidDistance{}; }, dt, gas.state);
  }
  return gas.state.vortex_strengths[0];
}

double integral_of(VortexKernel kernel) {
  const int n = 20000;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double d = (i + 0.5) / n;
    sum += 4 * std::numbers::pi * d * d * smoke::vortex_kernel(kernel, d, 1) / n;
  }
  return sum;
}

// What one particle at rest gives to a still gas in one second: sums relative to the sum of sizes.
struct Push {
  double net = 0, vorticity = 0, swirl = 0;
};
Push push_of(const Vec3& at, const Vec3& strength) {
  Gas gas{cube(24), {}};
  add_vortex(gas.state, at, strength, 0.4);
  smoke::VortexWork<double> work;
  smoke::add_vortex_forces<double>(gas.model, gas.params, 1, work, gas.state);
  Push push;
  auto relative_sum = [](const Buffer<double>& field) {
    double sum = 0, size = 0;
    for (const double value : field) sum += value, size += std::abs(value);
    return size > 0 ? std::abs(sum) / size : 0;
  };
  for (int a = 0; a < 3; ++a)
    push.net = std::max(push.net, relative_sum(*gas.state.velocity()[static_cast<std::size_t>(a)]));
  smoke::vorticity<double>(gas.model, smoke::velocity_views(gas.model, std::as_const(gas.state)), work.curl);
  for (const Buffer<double>& component : work.curl)
    push.vorticity = std::max(push.vorticity, relative_sum(component));
  push.swirl = gas.velocity_at(at + Vec3(0.2, 0, 0)).y();
  return push;
}

}  // namespace

Table vortex_table() {
  Table table{
      "Vortex particles (HY-11, HY-12)",
      {"quantity", "theory", "here"},
      {},
      "Strengths are turned by explicit steps and set back to their length, so the angle of a step is "
      "atan(Ω Δt). The clipped Gaussian integrates to 0.198748 (erratum E9)."};
  auto add = [&](const std::string& what, double theory, double here, double tolerance) {
    table.rows.push_back({{what, fmt::format("{:.8g}", theory), fmt::format("{:.8g}", here)},
                          std::abs(here - theory) <= tolerance});
  };
  const double rate = 0.7, dt = 0.01;
  const Vec3 turned =
      spun([&](const Vec3& x) { return Vec3(-rate * x.y(), rate * x.x(), 0); }, Vec3(2, 0, 1), dt, 200);
  add("angle after 2 s in a rotation of 0.7 rad/s", 200 * std::atan(rate * dt),
      std::atan2(turned.y(), turned.x()), 1e-10);
  add("length in the rotation, from √5", std::sqrt(5.0), turned.norm(), 1e-13);
  const Vec3 strained = spun([](const Vec3& x) { return Vec3(x.x(), -0.5 * x.y(), -0.5 * x.z()); },
                             Vec3(0.2, 1, -0.6), dt, 800);
  add("cosine to the extensional direction of a strain", 1, strained.x() / strained.norm(), 1e-4);
  add("length in the strain, from √1.4", std::sqrt(1.4), strained.norm(), 1e-13);
  add("integral of the clipped Gaussian", 0.198748, integral_of(VortexKernel::gaussian), 2e-6);
  add("integral of the tent", 1, integral_of(VortexKernel::tent), 2e-6);
  const Push centred = push_of(Vec3::Zero(), Vec3(0, 0, 1)),
             oblique = push_of(Vec3(0.13, -0.08, 0.21), Vec3(0.3, -1, 0.7));
  add("net push on a symmetric stencil, relative", 0, centred.net, 1e-13);
  add("sign of the swirl: v at x̂ for strength ẑ", 1, centred.swirl > 0 ? 1 : -1, 0);
  add("change of the total vorticity, relative", 0, oblique.vorticity, 1e-12);
  return table;
}

Table confinement_table() {
  Table table{
      "Vorticity confinement of a Gaussian vortex (HY-09)",
      {"cells", "largest force", "order", "force / (ε Δx |ω|) at r = 0.3"},
      {},
      "ω = exp(−r²/0.09) ẑ: the force is ε Δx |ω| along the swirl, so it vanishes with Δx at first order "
      "(consistent). Pass: order within 0.1 of 1 and the ratio within 2 % of 1 on the finest grid."};
  // u_θ of ω = exp(−r²/s²): s² (1 − exp(−r²/s²)) / 2r
  auto swirl = [](const Vec3& x) {
    const double s2 = 0.09, r2 = x.x() * x.x() + x.y() * x.y();
    const double over_r = r2 < 1e-12 ? 0.5 : s2 * (1 - std::exp(-r2 / s2)) / (2 * r2);
    return Vec3(-over_r * x.y(), over_r * x.x(), 0);
  };
  double before = 0;
  for (const int cells : {64, 128, 256}) {
    smoke::Model model;
    model.shape = grid::Shape(2, {cells, cells, 1}, 2.0 / cells, Vec3(-1, -1, 0));
    Gas vortex{model, {}}, forced{model, {}};
    vortex.set_velocity(swirl);
    Buffer<double> scratch(model.shape.size());
    smoke::add_confinement<double>(model, 1, 1, smoke::velocity_views(model, std::as_const(vortex.state)),
                                   scratch, forced.state);
    double largest = 0;
    for (const double v : forced.state.velocity_y) largest = std::max(largest, std::abs(v));
    const double ratio = forced.velocity_at(Vec3(0.3, 0, 0)).y() / (model.shape.cell_size() * std::exp(-1.0));
    const double order = before > 0 ? std::log2(before / largest) : 0;
    table.rows.push_back({{fmt::format("{}²", cells), number(largest),
                           before > 0 ? fmt::format("{:.2f}", order) : "-", fmt::format("{:.4f}", ratio)},
                          cells < 256 || (std::abs(order - 1) < 0.1 && std::abs(ratio - 1) < 0.02)});
    before = largest;
  }
  return table;
}

// One step of a ball of gas that grows, in an open box.
Table explosion_table() {
  Table table{"Explosion: flux through the open sides against ∫ D dV (HY-14)",
              {"cells", "∫ D dV on the grid", "flux", "relative difference", "exact ball"},
              {},
              "A ball of radius 0.25 grows at 2 per second in an open box of edge 2. Pass: the flux equals "
              "the sum of "
              "the sources within 100 times the solver's tolerance of 1e-10."};
  for (const int cells : {24, 48}) {
    smoke::Model model = cube(cells);
    model.sides.fill(smoke::Side::open);
    smoke::Params params;
    params.tolerance = 1e-10;
    smoke::Emitter emitter;
    emitter.shape = geometry::AnalyticShape{.ball = geometry::Ball{.radius = 0.25}};
    emitter.density = emitter.temperature = 0;
    emitter.expansion = 2;
    Gas gas{model, params};
    gas.inputs.emitters.list = {&emitter, 1};
    gas.advance(0.01);
    const double h = model.shape.cell_size();
    double source = 0, flux = 0;
    const auto rate = grid::view(model.shape, std::as_const(gas.work.expansion));
    const auto u = smoke::velocity_views(model, std::as_const(gas.state));
    for (int b = 0; b < cells; ++b)
      for (int a = 0; a < cells; ++a) {
        for (int i = 0; i < cells; ++i) source += h * h * h * rate(i, a, b);
        flux += h * h *
                (u[0](cells, a, b) - u[0](0, a, b) + u[1](a, cells, b) - u[1](a, 0, b) + u[2](a, b, cells) -
                 u[2](a, b, 0));
      }
    const double difference = std::abs(flux / source - 1);
    table.rows.push_back(
        {{fmt::format("{}³", cells), fmt::format("{:.10f}", source), fmt::format("{:.10f}", flux),
          number(difference), fmt::format("{:.6f}", 2 * 4 * std::numbers::pi / 3 * std::pow(0.25, 3))},
         gas.ok && source > 0 && difference < 1e-8});
  }
  return table;
}

}  // namespace selkie::studies::smoke_cases
