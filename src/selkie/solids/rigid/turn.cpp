// See turn.h.
#include "selkie/solids/rigid/turn.h"

#include <cmath>

#include "selkie/math/rotation.h"

namespace selkie::rigid {
namespace {

Vec3 omega(const Quat& q, const Vec3& inertia, const Vec3& momentum) {
  return q * Vec3(q.conjugate() * momentum).cwiseQuotient(inertia);
}

Quat rate(const Quat& q, const Vec3& inertia, const Vec3& momentum) {
  const Vec3 half = 0.5 * omega(q, inertia, momentum);
  return Quat(0, half.x(), half.y(), half.z()) * q;
}

Quat moved(const Quat& q, double h, const Quat& r) {
  return Quat(Vec4(q.coeffs() + h * r.coeffs()));
}

// Turns the body about its own axis k by the angle that the momentum about it makes in time h.
void turn_about(int k, double h, const Vec3& inertia, Vec3& body_momentum, Quat& q) {
  const double angle = h * body_momentum[k] / inertia[k], s = std::sin(0.5 * angle), c = std::cos(0.5 * angle);
  Quat turn(c, 0, 0, 0);
  turn.vec()[k] = s;
  q = q * turn;
  // The momentum stays in the world, so in the body it turns the other way.
  body_momentum = turn.conjugate() * body_momentum;
}

void split(double h, const Vec3& inertia, const Vec3& momentum, Quat& q) {
  Vec3 m = q.conjugate() * momentum;
  turn_about(0, 0.5 * h, inertia, m, q);
  turn_about(1, 0.5 * h, inertia, m, q);
  turn_about(2, h, inertia, m, q);
  turn_about(1, 0.5 * h, inertia, m, q);
  turn_about(0, 0.5 * h, inertia, m, q);
}

}  // namespace

void turn_freely(TurnRule rule, double dt, const Vec3& inertia, const Vec3& momentum, Quat& q) {
  if (momentum.isZero(0)) return;
  const Vec3 w = omega(q, inertia, momentum);
  switch (rule) {
    case TurnRule::splitting:
      if (inertia.x() == inertia.y() && inertia.y() == inertia.z())
        q = integrate(q, w, dt);
      else
        split(dt, inertia, momentum, q);
      break;
    case TurnRule::euler: q = moved(q, dt, rate(q, inertia, momentum)); break;
    case TurnRule::runge_kutta_4: {
      const Quat k1 = rate(q, inertia, momentum), k2 = rate(moved(q, dt / 2, k1), inertia, momentum),
                 k3 = rate(moved(q, dt / 2, k2), inertia, momentum), k4 = rate(moved(q, dt, k3), inertia, momentum);
      q = Quat(Vec4(q.coeffs() + dt / 6 * (k1.coeffs() + 2 * k2.coeffs() + 2 * k3.coeffs() + k4.coeffs())));
      break;
    }
  }
  q.normalize();
}

}  // namespace selkie::rigid
