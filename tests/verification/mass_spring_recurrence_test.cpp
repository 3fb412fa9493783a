// Each integrator against its own exact discrete recurrence on ẍ + βẋ + ω²x = 0 (RT-04 … RT-10, HY-30,
// HY-31): a spring along an axis with one end pinned is exactly linear.
#include <gtest/gtest.h>

#include "selkie/solids/mass_spring/diagnostics.h"
#include "selkie/solids/mass_spring/integrators.h"
#include "selkie/solids/mass_spring/kinematics.h"
#include "support/mass_spring_bodies.h"

namespace selkie::mass_spring {
namespace {

using testing::Body;
using testing::exact_params;
using testing::kAllIntegrators;
using testing::nth_step;
using testing::oscillator;
using testing::run;
using testing::weightless;

struct Point {
  double x, v;
};

// One step of the textbook map. `previous` is Verlet's step before.
Point advance(Integrator integrator, Point p, double w2, double beta, double h, double previous) {
  auto a = [&](double x, double v) { return -w2 * x - beta * v; };
  auto newmark = [&](double tau1, double tau3) {
    auto half = [&](double x, double tau) {
      return (p.v - h / 2 * w2 * x) / (1 + h / 2 * (tau * w2 + beta));
    };
    const double v1 = half(p.x, tau1);
    const double v3 = half(p.x + h / 2 * v1, tau3);
    return Point{p.x + h * v1, 2 * v3 - p.v};
  };
  switch (integrator) {
    case Integrator::explicit_euler:
      return {p.x + h * p.v, p.v + h * a(p.x, p.v)};
    case Integrator::symplectic_euler: {
      const double v = p.v + h * a(p.x, p.v);
      return {p.x + h * v, v};
    }
    case Integrator::verlet: {
      const double v = p.v + (previous + h) / 2 * a(p.x, p.v);
      return {p.x + h * v, v};
    }
    case Integrator::rk2: {
      const double xm = p.x + h / 2 * p.v, vm = p.v + h / 2 * a(p.x, p.v);
      return {p.x + h * vm, p.v + h * a(xm, vm)};
    }
    case Integrator::rk4: {
      const Point k1{p.v, a(p.x, p.v)};
      const Point k2{p.v + h / 2 * k1.v, a(p.x + h / 2 * k1.x, p.v + h / 2 * k1.v)};
      const Point k3{p.v + h / 2 * k2.v, a(p.x + h / 2 * k2.x, p.v + h / 2 * k2.v)};
      const Point k4{p.v + h * k3.v, a(p.x + h * k3.x, p.v + h * k3.v)};
      return {p.x + h / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x),
              p.v + h / 6 * (k1.v + 2 * k2.v + 2 * k3.v + k4.v)};
    }
    case Integrator::newmark:
      return newmark(0, 0);
    case Integrator::newmark_implicit:
      return newmark(h / 2, h / 2);
    case Integrator::implicit_midpoint:
      return newmark(h / 2, 0);
    default: {  // the three forms of implicit Euler agree on a linear spring
      const double v = (p.v - h * w2 * p.x) / (1 + h * beta + h * h * w2);
      return {p.x + h * v, v};
    }
  }
}

TEST(MassSpringRecurrence, EveryIntegratorFollowsItsTextbookMap) {
  const double w2 = 36, h = 0.02;
  for (const Integrator integrator : kAllIntegrators)
    for (const double beta : {0.0, 0.8}) {
      Params p = exact_params(integrator, w2);
      p.damping = beta;
      Body body = oscillator(0.2, -0.3);
      Point expected{0.2, -0.3};
      State to = body.state;
      Work work;
      for (int n = 0; n < 100; ++n) {
        expected = advance(integrator, expected, w2, beta, h, n == 0 ? 0 : h);
        ASSERT_TRUE(step(body.model, p, weightless(), nth_step(h, n), body.state, to, work).ok);
        body.state = to;
        // Lengths near 1 are stored to 1e-16; a hundred steps with forces 36 times that.
        ASSERT_NEAR(body.state.positions[1].x() - 1, expected.x, 1e-12)
            << name_of(integrator) << " step " << n;
        ASSERT_NEAR(body.state.velocities[1].x(), expected.v, 1e-11) << name_of(integrator) << " step " << n;
      }
      EXPECT_EQ(body.state.positions[1].y(), 0);
    }
}

// The 2×2 map of (ωx, v), from two steps of unit vectors.
Eigen::Matrix2d map_of(Integrator integrator, double z, bool verlet_running = true) {
  Eigen::Matrix2d map;
  const double small = 1.0 / 1024;  // keeps the spring from turning over
  for (int c = 0; c < 2; ++c) {
    Body body = oscillator(c == 0 ? small : 0, c == 1 ? small : 0);
    if (verlet_running) body.state.previous_step = z;
    run(body, exact_params(integrator, 1), weightless(), z, 1, body.state);
    map.col(c) << (body.state.positions[1].x() - 1) / small, body.state.velocities[1].x() / small;
  }
  return map;
}
double spectral_radius(const Eigen::Matrix2d& m) {
  const double half = m.trace() / 2, determinant = m.determinant(), root = half * half - determinant;
  return root < 0 ? std::sqrt(determinant) : std::abs(half) + std::sqrt(root);
}

// Positions near 1 m carry 1e-16, divided by 1/1024: 1e-12 is ten times the round-off.
constexpr double kMapTolerance = 1e-12;

TEST(MassSpringRecurrence, ExplicitEulerGrowsByItsFactor) {
  for (const double z : {0.1, 0.5, 1.0})
    EXPECT_NEAR(spectral_radius(map_of(Integrator::explicit_euler, z)), std::sqrt(1 + z * z), kMapTolerance);
}
TEST(MassSpringRecurrence, Rk2GrowsByItsFactor) {
  for (const double z : {0.1, 0.5, 1.0})
    EXPECT_NEAR(spectral_radius(map_of(Integrator::rk2, z)), std::sqrt(1 + std::pow(z, 4) / 4),
                kMapTolerance);
}
TEST(MassSpringRecurrence, Rk4HasItsAmplification) {
  for (const double y : {0.5, 1.0, 2.0, 2.8})
    EXPECT_NEAR(std::pow(spectral_radius(map_of(Integrator::rk4, y)), 2),
                1 - std::pow(y, 6) / 72 + std::pow(y, 8) / 576, 1e-11);
}
TEST(MassSpringRecurrence, SymplecticEulerConservesItsShadowEnergy) {
  const double w2 = 25, h = 0.1;
  Body body = oscillator(0.1, 0.2);
  auto shadow = [&](const State& s) {
    const double x = s.positions[1].x() - 1, v = s.velocities[1].x();
    return 0.5 * (v * v + w2 * x * x - h * w2 * x * v);
  };
  const double before = shadow(body.state);
  run(body, exact_params(Integrator::symplectic_euler, w2), weightless(), h, 1000, body.state);
  EXPECT_NEAR(shadow(body.state), before, 1e-11);
}
TEST(MassSpringRecurrence, ImplicitEulerLosesEnergyByItsFactorInEveryStep) {
  for (const Integrator integrator :
       {Integrator::implicit_euler, Integrator::implicit_euler_newton, Integrator::implicit_springs}) {
    const double w2 = 100, h = 0.05;
    const Params p = exact_params(integrator, w2);
    Body body = oscillator(0.3, 0.4);
    for (int n = 0; n < 5; ++n) {
      const double before = diagnose(body.model, p, Vec3::Zero(), body.state).total_energy();
      run(body, p, weightless(), h, 1, body.state);
      const double after = diagnose(body.model, p, Vec3::Zero(), body.state).total_energy();
      EXPECT_NEAR(after / before, 1 / (1 + w2 * h * h), 1e-12) << name_of(integrator);
    }
  }
}
TEST(MassSpringRecurrence, NewmarkHasTraceTwoMinusZSquaredAndDeterminantOne) {
  for (const double z : {0.1, 1.0, 1.9}) {
    const Eigen::Matrix2d m = map_of(Integrator::newmark, z);
    EXPECT_NEAR(m.trace(), 2 - z * z, kMapTolerance);
    EXPECT_NEAR(m.determinant(), 1, 4 * kMapTolerance);
  }
}
TEST(MassSpringRecurrence, ImplicitSpringsHaveTheTabulatedSpectralRadii) {
  for (const double z : {0.1, 1.0, 10.0, 1000.0}) {
    EXPECT_NEAR(spectral_radius(map_of(Integrator::implicit_midpoint, z)), 1, 1e-9) << z;
    EXPECT_LT(spectral_radius(map_of(Integrator::newmark_implicit, z)), 1 + 1e-9) << z;
    EXPECT_NEAR(spectral_radius(map_of(Integrator::implicit_springs, z)), 1 / std::sqrt(1 + z * z), 1e-12)
        << z;
  }
  EXPECT_NEAR(spectral_radius(map_of(Integrator::newmark_implicit, 1)), 0.825, 5e-4);
}
// HY-31 also tabulates Δt in both solves (0.667 at z = 1) and warns of the term in the second solve only.
TEST(MassSpringRecurrence, OtherIntervalsOfNewmarkBehaveAsTabulated) {
  auto radius = [](double z, NewmarkIntervals intervals) {
    Eigen::Matrix2d map;
    const double small = 1.0 / 1024;
    for (int c = 0; c < 2; ++c) {
      Body body = oscillator(c == 0 ? small : 0, c == 1 ? small : 0);
      const Params p = exact_params(Integrator::newmark, 1);
      State to = body.state;
      Work work;
      begin_kinematics(p, weightless(), nth_step(z), body.state, work);
      EXPECT_TRUE(newmark(body.model, p, weightless(), nth_step(z), body.state, to, work, intervals).ok);
      map.col(c) << (to.positions[1].x() - 1) / small, to.velocities[1].x() / small;
    }
    return spectral_radius(map);
  };
  EXPECT_NEAR(radius(1, {1, 1}), 2.0 / 3, 1e-11);
  EXPECT_LT(radius(1.9, {0, 0.95}), 1);
  EXPECT_GT(radius(2.2, {0, 1.1}), 1.05);
}
TEST(MassSpringRecurrence, VerletAndSymplecticEulerShareOneTrajectory) {
  const double w2 = 49, h = 0.03;
  Body a = oscillator(0.2, 0.1), b = oscillator(0.2, 0.1);
  b.state.previous_step = h;  // as if a step had gone before: equal v⁰
  run(a, exact_params(Integrator::symplectic_euler, w2), {}, h, 200, a.state);
  run(b, exact_params(Integrator::verlet, w2), {}, h, 200, b.state);
  EXPECT_EQ(a.state.positions, b.state.positions);
  EXPECT_EQ(a.state.velocities, b.state.velocities);
}
TEST(MassSpringRecurrence, FreeFallOfSymplecticEulerIsTheTriangularSum) {
  Body body = testing::chain(1);
  const double h = 1.0 / 64, g = 9.81;
  run(body, exact_params(Integrator::symplectic_euler, 1), {}, h, 100, body.state);
  EXPECT_NEAR(body.state.positions[0].y(), -g * h * h * 100 * 101 / 2, 1e-13);
}
TEST(MassSpringRecurrence, TwoFreeMassesOscillateAtTheReducedMassFrequencyWithTheGivenDamping) {
  // k = 100, m = 1, d = 1: ω₀ = 14.142, ζ = 0.0707 (RT-03). As a fraction of critical damping,
  // d = 2ξ√(k m_h) with m_h = ½: ξ = ζ (HY-26).
  const double h = 1e-4, w0 = std::sqrt(200.0), zeta = 1 / std::sqrt(200.0);
  EXPECT_NEAR(w0, 14.142, 5e-4);
  EXPECT_NEAR(zeta, 0.0707, 5e-5);
  const int steps = 5000;
  const double t = h * steps, wd = w0 * std::sqrt(1 - zeta * zeta);
  const double expected =
      0.1 * std::exp(-zeta * w0 * t) * (std::cos(wd * t) + zeta * w0 / wd * std::sin(wd * t));
  for (const DampingKind kind : {DampingKind::absolute, DampingKind::fraction}) {
    Body body = testing::chain(2);
    body.state.positions[0].x() -= 0.05;
    body.state.positions[1].x() += 0.05;
    Params p = exact_params(Integrator::rk4, 100);
    p.damping_kind = kind;
    p.damping = kind == DampingKind::absolute ? 1 : zeta;
    run(body, p, weightless(), h, steps, body.state);
    const double elongation = body.state.positions[1].x() - body.state.positions[0].x() - 1;
    EXPECT_NEAR(elongation, expected, 1e-10);  // RK4 error (ω₀h)⁴/120·ω₀t ≈ 3e-13, round-off of 5000 steps
  }
}

}  // namespace
}  // namespace selkie::mass_spring
