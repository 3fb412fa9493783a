// See oscillator.h. The reference of the pendulum shares no code with the solver: the equation of motion and
// classical Runge-Kutta in long double, at steps so short that its error is below a double's round-off.
#include "selkie/studies/oscillator.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "selkie/solids/mass_spring/kinematics.h"

namespace selkie::studies {
namespace {

using mass_spring::SpringInput;

// Small against the rest length, so that no stage turns the spring over; a power of two, so that scaling by
// it rounds nothing.
constexpr double kAmplitude = 1.0 / 32;  // m

constexpr double kGravity = 9.81;  // m/s²
constexpr double kSwingMass = 1;
constexpr double kSwingStiffness = 40;
// The spring stays taut throughout, so that every integrator works on one smooth branch.
const Vec3 kSwingStart(1.1, -0.5, 0), kSwingVelocity(0.4, -0.8, 0);

Interval interval_of(double h) { return {.begin = 0, .end = 1, .seconds_per_tick = h}; }

Body make_pair_of_vertices(Integrator integrator, double mass, double stiffness) {
  const std::array<Vec3, 2> rest{Vec3::Zero(), Vec3(kRestLength, 0, 0)};
  const std::array<SpringInput, 1> springs{{{.ends = {0, 1}}}};
  const std::array<double, 2> masses{mass, mass};
  Body body;
  body.model = mass_spring::build_model(rest, springs, masses);
  body.params = exact_params(integrator);
  body.params.stiffness = stiffness;
  body.state = mass_spring::make_state(body.model, rest);
  mass_spring::pin(body.state, 0);
  body.inputs.gravity = Vec3::Zero();
  return body;
}

// In equilibrium under a pull.
constexpr double kTautLength = 1.5 * kRestLength;
constexpr double kTension = kStiffness * (kTautLength - kRestLength);  // N
// m; the square of its share of the length, 1e-12, is how far the motion across is from linear.
constexpr double kTransverseAmplitude = 1e-6;
double transverse_frequency() { return std::sqrt(kTension / (kTautLength * kMass)); }

const std::array<Vec3, 2> kPull{Vec3::Zero(), Vec3(kTension, 0, 0)};

Body make_taut_oscillator(Integrator integrator, double z) {
  Body body = make_pair_of_vertices(integrator, kMass, kStiffness);
  body.inputs.forces = kPull;
  body.state.positions[1] = Vec3(kTautLength, 0, 0);
  if (integrator == Integrator::verlet) body.state.previous_step = z / transverse_frequency();
  return body;
}

// Columns of the map from `step_once`, which advances an oscillator or returns false.
template <class StepOnce>
StepMap map_of(Integrator integrator, double z, double zeta, StepOnce&& step_once) {
  StepMap map;
  for (const bool moved : {true, false}) {
    Body body = make_oscillator(integrator, z, zeta, moved ? kAmplitude : 0, moved ? 0 : kOmega * kAmplitude);
    const bool ok = step_once(body);
    const double nan = std::numeric_limits<double>::quiet_NaN();  // fails every comparison
    (moved ? map.xx : map.xv) = ok ? displacement(body) / kAmplitude : nan;
    (moved ? map.vx : map.vv) = ok ? velocity(body) / (kOmega * kAmplitude) : nan;
  }
  return map;
}

}  // namespace

bool advance(Body& body, double h) {
  body.next = body.state;
  const StepReport report = mass_spring::step(body.model, body.params, body.inputs, interval_of(h),
                                              body.state, body.next, body.work);
  if (report.ok) body.state = body.next;
  return report.ok;
}

bool advance(Body& body, double h, int steps) {
  for (int n = 0; n < steps; ++n)
    if (!advance(body, h)) return false;
  return true;
}

mass_spring::Params exact_params(Integrator integrator) {
  mass_spring::Params params;
  params.integrator = integrator;
  params.damping = 0;
  params.damping_kind = mass_spring::DampingKind::absolute;
  params.tolerance = 1e-14;
  params.newton_tolerance = 1e-12;
  return params;
}

Body make_oscillator(Integrator integrator, double z, double zeta, double x, double v) {
  Body body = make_pair_of_vertices(integrator, kMass, kStiffness);
  body.params.damping = 2 * zeta * std::sqrt(kStiffness * kMass);
  body.state.positions[1].x() = kRestLength + x;
  body.state.velocities[1].x() = v;
  if (integrator == Integrator::verlet) body.state.previous_step = z / kOmega;
  return body;
}

double displacement(const Body& oscillator) { return oscillator.state.positions[1].x() - kRestLength; }
double velocity(const Body& oscillator) { return oscillator.state.velocities[1].x(); }

double StepMap::radius() const {
  const double half = trace() / 2, determ = determinant(), discriminant = half * half - determ;
  return discriminant < 0 ? std::sqrt(determ) : std::abs(half) + std::sqrt(discriminant);
}

StepMap measure_map(Integrator integrator, double z, double zeta) {
  return map_of(integrator, z, zeta, [&](Body& body) { return advance(body, z / kOmega); });
}

StepMap measure_transverse_map(Integrator integrator, double z) {
  const double omega = transverse_frequency();
  StepMap map;
  for (const bool moved : {true, false}) {
    Body body = make_taut_oscillator(integrator, z);
    Vec3 &x = body.state.positions[1], &v = body.state.velocities[1];
    (moved ? x.y() : v.y()) = kTransverseAmplitude * (moved ? 1 : omega);
    const bool ok = advance(body, z / omega);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    (moved ? map.xx : map.xv) = ok ? x.y() / kTransverseAmplitude : nan;
    (moved ? map.vx : map.vv) = ok ? v.y() / (omega * kTransverseAmplitude) : nan;
  }
  return map;
}

double transverse_stability_limit(Integrator integrator) {
  const Body body = make_taut_oscillator(integrator, 1);
  return transverse_frequency() * mass_spring::stability_limit(body.model, body.params, body.state);
}

StepMap measure_newmark_map(double z, mass_spring::NewmarkIntervals taus) {
  const double h = z / kOmega;
  return map_of(Integrator::newmark, z, 0, [&](Body& body) {
    body.next = body.state;
    mass_spring::begin_kinematics(body.params, body.inputs, interval_of(h), body.state, body.work);
    const StepReport report =
        mass_spring::newmark(body.model, body.params, body.inputs, interval_of(h), body.state, body.next,
                             body.work, {.first = taus.first * h, .second = taus.second * h});
    body.state = body.next;
    return report.ok;
  });
}

Body make_chain(Integrator integrator, const ChainOptions& options) {
  std::vector<Vec3> rest;
  std::vector<SpringInput> springs;
  for (std::uint32_t i = 0; i < options.vertex_count; ++i) {
    rest.emplace_back(0.125 * i, 0, 0);
    if (i > 0) springs.push_back({.ends = {i - 1, i}});
  }
  Body body;
  body.model =
      mass_spring::build_model(rest, springs, std::vector<double>(options.vertex_count, options.mass));
  body.params = exact_params(integrator);
  body.params.stiffness = options.stiffness;
  body.state = mass_spring::make_state(body.model, rest);
  body.inputs.gravity = Vec3::Zero();
  return body;
}

std::optional<Swing> swing(Integrator integrator, int steps, const PendulumOptions& options) {
  Body body = make_pair_of_vertices(integrator, kSwingMass, kSwingStiffness);
  body.params.damping = options.damping;
  body.inputs.gravity = Vec3(0, -kGravity, 0);
  body.state.positions[1] = kSwingStart;
  body.state.velocities[1] = kSwingVelocity;
  const double h = kSwingTime / steps;
  if (options.verlet_velocity_lags) body.state.previous_step = h;
  if (!advance(body, h, steps)) return std::nullopt;
  return Swing{body.state.positions[1], body.state.velocities[1]};
}

Swing reference_swing(double damping, int steps) {
  using Real = long double;
  using Phase = std::array<Real, 4>;  // x, y, v_x, v_y
  auto slope = [&](const Phase& p) {
    const Real l = std::sqrt(p[0] * p[0] + p[1] * p[1]);
    const Real n[2] = {p[0] / l, p[1] / l};
    const Real pull =
        (Real{kSwingStiffness} * (l - Real{kRestLength}) + Real{damping} * (p[2] * n[0] + p[3] * n[1])) /
        Real{kSwingMass};
    return Phase{p[2], p[3], -pull * n[0], -pull * n[1] - Real{kGravity}};
  };
  auto moved = [](const Phase& p, Real h, const Phase& by) {
    return Phase{p[0] + h * by[0], p[1] + h * by[1], p[2] + h * by[2], p[3] + h * by[3]};
  };
  Phase p{kSwingStart.x(), kSwingStart.y(), kSwingVelocity.x(), kSwingVelocity.y()};
  const Real h = Real{kSwingTime} / steps;
  for (int n = 0; n < steps; ++n) {
    const Phase k1 = slope(p), k2 = slope(moved(p, h / 2, k1)), k3 = slope(moved(p, h / 2, k2)),
                k4 = slope(moved(p, h, k3));
    for (std::size_t c = 0; c < 4; ++c) p[c] += h / 6 * (k1[c] + 2 * k2[c] + 2 * k3[c] + k4[c]);
  }
  auto plain = [](Real value) { return static_cast<double>(value); };
  return {Vec3(plain(p[0]), plain(p[1]), 0), Vec3(plain(p[2]), plain(p[3]), 0)};
}

}  // namespace selkie::studies
