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
