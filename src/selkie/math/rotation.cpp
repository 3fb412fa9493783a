// Exponential and logarithm of rotations by quaternions, which have no singularity at π.
#include "selkie/math/rotation.h"

#include <cmath>

namespace selkie {

Quat quaternion_from_vector(const Vec3& omega) {
  const double angle = omega.stableNorm(), half = 0.5 * angle;
  // sin(half)/angle; below 1e-4 the series 1/2 − angle²/48 is exact to round-off.
  const double scale = angle < 1e-4 ? 0.5 - angle * angle / 48 : std::sin(half) / angle;
  return Quat(std::cos(half), scale * omega.x(), scale * omega.y(), scale * omega.z());
}

Mat3 rotation_from_vector(const Vec3& omega) { return quaternion_from_vector(omega).toRotationMatrix(); }

Mat3 rotation_from_axis_angle(const Vec3& axis, double angle) {
  const double length = axis.stableNorm();
  if (!(length > 0)) return Mat3::Identity();
  const Vec3 v = std::sin(0.5 * angle) * (axis / length);
  return Quat(std::cos(0.5 * angle), v.x(), v.y(), v.z()).toRotationMatrix();
}

Vec3 rotation_vector(const Quat& q) {
  // q and −q are one rotation; the one with w ≥ 0 turns by at most π.
  const double sign = q.w() < 0 ? -1 : 1;
  const Vec3 v = sign * q.vec();
  const double w = std::abs(q.w()), length = v.stableNorm();
  // angle/length = 2 atan2(length, w)/length → 2/w as the rotation vanishes.
  if (length < 1e-8 * w) return 2 / w * v;
  return length > 0 ? Vec3(2 * std::atan2(length, w) / length * v) : Vec3(Vec3::Zero());
}

Vec3 rotation_vector(const Mat3& rotation) { return rotation_vector(Quat(rotation)); }

void rotate_freely(double dt, const Vec3& inertia, Quat& orientation, Vec3& angular_velocity) {
  auto velocity_of = [&](const Quat& q, const Vec3& momentum) {
    return Vec3(q * (q.conjugate() * momentum).cwiseQuotient(inertia));
  };
  if (inertia.minCoeff() == inertia.maxCoeff()) {  // nothing precesses
    orientation = integrate(orientation, angular_velocity, dt).normalized();
    return;
  }
  const Vec3 momentum = orientation * inertia.cwiseProduct(orientation.conjugate() * angular_velocity);
  const double energy = momentum.dot(angular_velocity);
  // ω = ω(q_mid), q_mid = half a turn by ω from q; a fixed point that contracts where the turn is resolved.
  Vec3 middle = angular_velocity;
  for (int n = 0; n < 12; ++n) {
    const Vec3 next = velocity_of(integrate(orientation, middle, dt / 2), momentum);
    if (next == middle) break;
    middle = next;
  }
  const bool resolved = dt * angular_velocity.norm() < 0.5;
  orientation = integrate(orientation, middle, dt).normalized();
  angular_velocity = velocity_of(orientation, momentum);
  const double after = momentum.dot(angular_velocity);
  if (!resolved && after > energy) angular_velocity *= std::sqrt(energy / after);
}

Vec3 any_perpendicular(const Vec3& n) {
  // Cross with the coordinate axis that is farthest from n.
  Eigen::Index least = 0;
  n.cwiseAbs().minCoeff(&least);
  return n.cross(Vec3::Unit(least)).normalized();
}

Mat3 rotation_between(const Vec3& from, const Vec3& to) {
  const Vec3 a = from.stableNormalized(), b = to.stableNormalized();
  const double a_length = a.norm(), b_length = b.norm();
  if (!(a_length > 0.5) || !(b_length > 0.5)) return Mat3::Identity();
  // Up to a right angle: the quaternion (a·h, a × h) of the half-way vector h.
  if (a.dot(b) >= 0) {
    const Vec3 h = (a + b).normalized(), v = a.cross(h);
    return Quat(a.dot(h), v.x(), v.y(), v.z()).normalized().toRotationMatrix();
  }
  // Beyond it a + b cancels. Reflect a to b, then along w, which lies in their plane and leaves b alone: two
  // reflections are a rotation in the plane of their normals.
  const Vec3 h = (b - a).normalized();
  Vec3 w = a - a.dot(b) * b;
  w = w.norm() > 1e-12 ? Vec3(w.normalized()) : any_perpendicular(b);
  w = (w - w.dot(b) * b).normalized();
  return (Mat3::Identity() - 2 * w * w.transpose()) * (Mat3::Identity() - 2 * h * h.transpose());
}

Quat integrate(const Quat& world_from_body, const Vec3& angular_velocity, double dt) {
  return (quaternion_from_vector(dt * angular_velocity) * world_from_body).normalized();
}

Mat3 gram_schmidt(const Mat3& f, const Mat3& previous) {
  // Relative size below which a₁ has no direction of its own beside a₀: a few round-offs.
  constexpr double kParallel = 1e-14;
  const Vec3 r0 = f.col(0).stableNormalized();
  const Vec3 a1 = f.col(1).stableNormalized();
  if (!(r0.squaredNorm() > 0.5)) return previous;
  Vec3 r1 = a1 - r0.dot(a1) * r0;
  if (!(r1.norm() > kParallel)) return previous;
  r1.normalize();
  r1 = (r1 - r0.dot(r1) * r0).normalized();  // once more: nearly parallel columns lose digits the first time
  Mat3 r;
  r << r0, r1, r0.cross(r1);
  return r;
}

}  // namespace selkie
