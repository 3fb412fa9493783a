// Orders of convergence on a rotating, vibrating pair of masses; Newton's quadratic decay; how far a pull
// travels in one step.
#include <gtest/gtest.h>

#include "selkie/solids/mass_spring/integrators.h"
#include "selkie/solids/mass_spring/kinematics.h"
#include "support/mass_spring_bodies.h"

namespace selkie::mass_spring {
namespace {

using testing::Body;
using testing::exact_params;
using testing::run;
using testing::weightless;

// A free triangle of springs, stretched and spinning: smooth, and non-linear in every spring.
Body spinner() {
  const std::vector<Vec3> rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1.2, 0)};
  const std::vector<SpringInput> springs = {
      {.ends = {0, 1}}, {.ends = {1, 2}, .factor = 0.5}, {.ends = {0, 2}, .factor = 2}};
  Body body{build_model(rest, springs, std::vector<double>{1, 2, 0.5}), {}};
  body.state = make_state(body.model, rest);
  for (Vec3& x : body.state.positions) x *= 1.2;
  for (std::size_t i = 0; i < 3; ++i) body.state.velocities[i] = Vec3(-rest[i].y(), rest[i].x(), 0.3);
  return body;
}

Buffer<Vec3> positions_at_one_second(Integrator integrator, int steps) {
  Body body = spinner();
  Params p = exact_params(integrator, 20);
  p.damping = 0;
  run(body, p, weightless(), 1.0 / steps, steps, body.state);
  return body.state.positions;
}

double error_of(Integrator integrator, int steps, const Buffer<Vec3>& reference) {
  const Buffer<Vec3> x = positions_at_one_second(integrator, steps);
  double error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, (x[i] - reference[i]).norm());
  return error;
}

TEST(MassSpringConvergence, EveryIntegratorHasItsOrder) {
  const Buffer<Vec3> reference = positions_at_one_second(Integrator::rk4, 8192);
  struct Case {
    Integrator integrator;
    int steps;
    double order;
  };
  // Steps are chosen in the asymptotic range; 0.05 is what `selkie verify integrators` allows, too.
  for (const Case& c :
       {Case{Integrator::explicit_euler, 16384, 1}, Case{Integrator::symplectic_euler, 4096, 1},
        Case{Integrator::rk2, 512, 2}, Case{Integrator::rk4, 128, 4}, Case{Integrator::verlet, 512, 2},
        Case{Integrator::implicit_euler, 16384, 1}, Case{Integrator::implicit_euler_newton, 8192, 1},
        Case{Integrator::newmark, 512, 2}, Case{Integrator::newmark_implicit, 8192, 1},
        Case{Integrator::implicit_midpoint, 512, 2}, Case{Integrator::implicit_springs, 16384, 1}}) {
    const double coarse = error_of(c.integrator, c.steps, reference);
    const double fine = error_of(c.integrator, 2 * c.steps, reference);
    EXPECT_NEAR(std::log2(coarse / fine), c.order, 0.05)
        << name_of(c.integrator) << ": " << coarse << " -> " << fine;
  }
}

// A mass hangs by a damped spring from a pin that swings: what the pin's speed is at each stage counts.
double error_below_a_driven_pin(Integrator integrator, int steps, double reference) {
  Body body = testing::oscillator(0.1);
  auto swing = [](std::uint32_t, double t) { return Vec3(0.3 * std::sin(2 * t), 0, 0); };
  Inputs inputs = weightless();
  inputs.pinned_motion = swing;
  Params p = exact_params(integrator, 40);
  p.damping = 1.5;
  run(body, p, inputs, 2.0 / steps, steps, body.state);
  return std::abs(body.state.positions[1].x() - reference);
}

TEST(MassSpringConvergence, RungeKuttaKeepsItsOrderBelowADrivenPinWithDamping) {
  // e″ = −40 (e − s) − 1.5 (e′ − s′) for the mass at 1 + e, s = 0.3 sin 2t: e = A cos 2t + B sin 2t + e^(−ζt)
  // (C cos ωt + D sin ωt).
  const double zeta = 0.75, omega = std::sqrt(40 - zeta * zeta), t = 2;
  // (40 − 4) A + 3 B = 0.9 and (40 − 4) B − 3 A = 12.
  const double det = 36 * 36 + 3 * 3, A = (0.9 * 36 - 3 * 12) / det, B = (36 * 12 + 3 * 0.9) / det;
  const double C = 0.1 - A, D = (zeta * C - 2 * B) / omega;
  const double reference = 1 + A * std::cos(2 * t) + B * std::sin(2 * t) +
                           std::exp(-zeta * t) * (C * std::cos(omega * t) + D * std::sin(omega * t));
  for (const auto& [integrator, order] : {std::pair{Integrator::rk2, 2.0}, {Integrator::rk4, 4.0}}) {
    const double coarse = error_below_a_driven_pin(integrator, 128, reference);
    const double fine = error_below_a_driven_pin(integrator, 256, reference);
    // 0.1: at these steps; a mean velocity of the pin gives order 1 with RK4.
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.1)
        << name_of(integrator) << ": " << coarse << " -> " << fine;
  }
}

TEST(MassSpringConvergence, VerletWithoutItsStartIsFirstOrderOnly) {
  const Buffer<Vec3> reference = positions_at_one_second(Integrator::rk4, 8192);
  auto error = [&](int steps) {
    Body body = spinner();
    body.state.previous_step = 1.0 / steps;  // takes the true velocity for a lagged one
    run(body, exact_params(Integrator::verlet, 20), weightless(), 1.0 / steps, steps, body.state);
    double worst = 0;
    for (std::size_t i = 0; i < 3; ++i)
      worst = std::max(worst, (body.state.positions[i] - reference[i]).norm());
    return worst;
  };
  EXPECT_NEAR(error(2048) / error(4096), 2, 0.05);
}

TEST(MassSpringConvergence, NewtonResidualsDecayQuadratically) {
  Body body = spinner();
  Params p = exact_params(Integrator::implicit_euler_newton, 20);
  p.tolerance = 1e-14;
  p.newton_tolerance = 1e-13;
  p.solver = Solver::cholesky;
  State to = body.state;
  Work work;
  ASSERT_TRUE(step(body.model, p, weightless(), testing::nth_step(0.2), body.state, to, work).ok);
  const Buffer<double>& r = work.newton_residuals;
  ASSERT_GE(r.size(), 4u);
  int quadratic = 0;
  for (std::size_t n = 1; n + 1 < r.size(); ++n)
    if (r[n] < 1e-2 && r[n + 1] > 1e-15) {
      EXPECT_LT(r[n + 1], 50 * r[n] * r[n]) << n;  // a generous constant; linear decay would fail it
      ++quadratic;
    }
  EXPECT_GE(quadratic, 1);
}

TEST(MassSpringConvergence, NewtonSolvesTheStepThatOneLinearisationOnlyApproaches) {
  // Backward Euler's equation M(v⁺ − v) = h f(x⁺) holds to the tolerance.
  Body body = testing::block(3);
  Params p = exact_params(Integrator::implicit_euler_newton, 500);
  p.newton_tolerance = 1e-10;
  State to = body.state;
  Work work;
  const StepReport report = step(body.model, p, {}, testing::nth_step(0.02), body.state, to, work);
  ASSERT_TRUE(report.ok) << report.trouble;
  EXPECT_LE(report.residual, 1e-10);
  EXPECT_GE(work.newton_residuals.size(), 3u);
}

TEST(MassSpringConvergence, APullTravelsOneEdgePerExplicitStepAndAllTheWayInOneImplicitStep) {
  for (const Integrator integrator : testing::kAllIntegrators) {
    Body body = testing::chain(20);
    pin(body.state, 0);
    auto pull = [](std::uint32_t, double) { return Vec3(-0.1, 0, 0); };
    Inputs inputs = weightless();
    inputs.pinned_motion = pull;
    Params p = exact_params(integrator, 1e4);
    p.solver = Solver::cholesky;  // conjugate gradients stop once the rest is below their tolerance
    run(body, p, inputs, 0.01, 1, body.state);
    int moved = 0;
    for (std::size_t i = 1; i < 20; ++i) moved += body.state.velocities[i].x() != 0;
    int expected = 19;
    switch (integrator) {
      case Integrator::explicit_euler:
      case Integrator::symplectic_euler:
      case Integrator::verlet:
        expected = 0;  // the pull happens during the step; its force is felt in the next
        break;
      case Integrator::rk2:
      case Integrator::newmark:
        expected = 1;  // felt at the midpoint, by the neighbour
        break;
      case Integrator::rk4:
        expected = 2;  // the last stage sees the neighbour moved
        break;
      case Integrator::implicit_midpoint:
        expected = 18;  // the last stretch, 1e-17 m, is lost in the rounding of a position near 19 m
        break;
      default:
        break;
    }
    EXPECT_EQ(moved, expected) << name_of(integrator);
  }
}

}  // namespace
}  // namespace selkie::mass_spring
