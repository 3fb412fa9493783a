// Exact motion of a damped oscillator q̈ + d q̇ + λ q = f over a step with f constant in it (RT-47): under-,
// over- and critically damped alike, for any step. A pure function of its arguments.
#pragma once

#include <cmath>

namespace selkie::modal {

// q(h) = qq q + qv q̇ + qf f,  q̇(h) = vq q + vv q̇ + vf f.
struct Transition {
  double qq = 1, qv = 0, qf = 0;
  double vq = 0, vv = 1, vf = 0;
};

// λ > 0 (1/s²), d ≥ 0 (1/s), h > 0 (s).
inline Transition transition(double lambda, double d, double h) {
  const double gamma = 0.5 * d, discriminant = lambda - gamma * gamma;
  double c, s;  // e^{-γh} cos ωh and e^{-γh} sin(ωh)/ω, or their hyperbolic counterparts
  if (discriminant > 0) {
    const double omega = std::sqrt(discriminant), decay = std::exp(-gamma * h);
    c = decay * std::cos(omega * h);
    s = decay * std::sin(omega * h) / omega;
  } else {
    // Decaying exponentials only, so that nothing overflows; γ − κ without cancellation.
    const double kappa = std::sqrt(-discriminant);
    const double slow = std::exp(-lambda / (gamma + kappa) * h), gap = -std::expm1(-2 * kappa * h);
    c = slow * (1 - 0.5 * gap);
    s = kappa * h > 0 ? slow * gap / (2 * kappa) : slow * h;
  }
  Transition t;
  t.qq = c + gamma * s;
  t.qv = t.vf = s;
  t.vq = -lambda * s;
  t.vv = c - gamma * s;
  // (1 − qq)/λ; for slow modes, where that cancels, the first terms of its series.
  const double turn = (lambda + d * d) * h * h;
  t.qf = turn < 1e-8 ? h * h * (0.5 - d * h / 6) : (1 - t.qq) / lambda;
  return t;
}

}  // namespace selkie::modal
