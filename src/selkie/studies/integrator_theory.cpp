// See integrator_theory.h. [Müller08 §3.2–3.5; Selle08 §5.4, §5.5]
#include "selkie/studies/integrator_theory.h"

#include <cmath>
#include <complex>
#include <limits>

namespace selkie::studies {
namespace {

using mass_spring::Integrator;
using Complex = std::complex<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Runge-Kutta multiplies a mode e^{λt} by the first terms of e^{λh}, w = λh.
double growth(int order, Complex w) {
  Complex sum = 1, term = 1;
  for (int n = 1; n <= order; ++n) sum += term *= w / static_cast<double>(n);
  return std::abs(sum);
}

// Where the growth of the oscillator's modes λ = ω(−ζ ± i√(1−ζ²)) passes 1, for 0 < ζ < 1.
double runge_kutta_limit(int order, double zeta) {
  const Complex lambda(-zeta, std::sqrt(1 - zeta * zeta));
  double stable = 0, unstable = 4;
  for (int n = 0; n < 60; ++n) {
    const double z = (stable + unstable) / 2;
    (growth(order, z * lambda) <= 1 ? stable : unstable) = z;
  }
  return stable;
}

}  // namespace

// Derived: newmark-implicit. The term τk(v_j − v_i) left in the velocity's solve is a damper of b = kh/2, so
// the scheme solves an equation that is wrong by O(h). Without it in that solve (implicit-midpoint) the
// position's own local error is O(h³), hence order 2.
// Derived: Verlet with damping. Its damping force sees the difference quotient (x − x⁻)/h, the velocity half
// a step ago: an O(h) error in the force.
Orders theoretical_orders(Integrator integrator, bool damped) {
  switch (integrator) {
    case Integrator::rk2:
    case Integrator::newmark:
    case Integrator::implicit_midpoint:
      return {2, 2};
    case Integrator::rk4:
      return {4, 4};
    case Integrator::verlet:
      return {damped ? 1 : 2, 1};
    default:
      return {1, 1};
  }
}

// Derived from Jury's criterion |trace| ≤ 1 + determinant, determinant ≤ 1 of the one-step maps:
// - symplectic Euler and running Verlet, trace 2 − 2ζz − z², determinant 1 − 2ζz: z² + 4ζz ≤ 4;
// - Newmark, both solves divided by D = 1 + ζz; with q = z²/4D, determinant 2(1−q)/D − 1 + 2q and trace
//   2(1−q)/D − 2q: stable for q ≤ 1, z² ≤ 4 + 4ζz, so that implicit damping lengthens the step.
double theoretical_limit(Integrator integrator, double zeta) {
  switch (integrator) {
    case Integrator::explicit_euler:
      return 2 * zeta;
    case Integrator::rk2:
      return zeta == 0 ? 0 : runge_kutta_limit(2, zeta);
    case Integrator::rk4:
      return zeta == 0 ? 2 * std::sqrt(2.0) : runge_kutta_limit(4, zeta);
    case Integrator::symplectic_euler:
    case Integrator::verlet:
      return 2 * (std::sqrt(1 + zeta * zeta) - zeta);
    case Integrator::newmark:
      return 2 * (std::sqrt(1 + zeta * zeta) + zeta);
    default:
      return kInfinity;
  }
}

// Derived for newmark-implicit: with s = 1/(1 + z²/4) the determinant is 1 − 2s + 2s² and the eigenvalues are
// complex for every z, since trace²/4 − determinant = s²(s + 3)(s − 1) < 0.
double theoretical_radius(Integrator integrator, double z) {
  auto beyond = [](double half_trace) {  // determinant 1
    const double excess = half_trace * half_trace - 1;
    return excess <= 0 ? 1 : std::abs(half_trace) + std::sqrt(excess);
  };
  switch (integrator) {
    case Integrator::explicit_euler:
      return std::sqrt(1 + z * z);
    case Integrator::rk2:
      return std::sqrt(1 + std::pow(z, 4) / 4);
    case Integrator::rk4:
      return std::sqrt(1 - std::pow(z, 6) / 72 + std::pow(z, 8) / 576);
    case Integrator::symplectic_euler:
    case Integrator::verlet:
    case Integrator::newmark:
      return beyond(1 - z * z / 2);
    case Integrator::implicit_euler:
    case Integrator::implicit_euler_newton:
    case Integrator::implicit_springs:
      return 1 / std::sqrt(1 + z * z);
    case Integrator::newmark_implicit: {
      const double s = 1 / (1 + z * z / 4);
      return std::sqrt(1 - 2 * s + 2 * s * s);
    }
    case Integrator::implicit_midpoint:
      return 1;
  }
  return kInfinity;
}

// The solves divide by D = 1 + z² τ/2: x' = x + (u − z²x/2)/D₁, u' = 2(u − z²(x + x')/4)/D₂ − u, u = hv.
NewmarkMap theoretical_newmark(double z, double tau_first, double tau_second) {
  const double d1 = 1 + z * z * tau_first / 2, d2 = 1 + z * z * tau_second / 2;
  const double q = z * z / (4 * d1);
  const double xx = 1 - 2 * q, vv = 2 * (1 - q) / d2 - 1;
  return {xx + vv, xx * vv + z * z * (1 - q) / (d1 * d2)};
}

double theoretical_fall(Integrator integrator, int n) {
  switch (integrator) {
    case Integrator::explicit_euler:
      return 0.5 * n * (n - 1);
    case Integrator::symplectic_euler:
    case Integrator::implicit_euler:
    case Integrator::implicit_euler_newton:
    case Integrator::implicit_springs:
      return 0.5 * n * (n + 1);
    default:
      return 0.5 * n * n;
  }
}

}  // namespace selkie::studies
