// One-sided Jacobi: rotate pairs of columns of F until all are orthogonal; F V = U Σ. [Golub13 §8.6.3]
#include "selkie/math/svd.h"

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "selkie/math/rotation.h"

namespace selkie {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// A power of two that brings the largest entry near 1, so that squares neither overflow nor vanish; scaling
// by it is exact.
template <class Matrix>
int exponent_of(const Matrix& f) {
  const double largest = f.cwiseAbs().maxCoeff();
  return largest > 0 ? std::ilogb(largest) : 0;
}
template <class Matrix>
Matrix scaled(const Matrix& f, int exponent) {
  // In two steps, as 2^1074 alone would overflow.
  return (f * std::ldexp(1.0, exponent / 2)) * std::ldexp(1.0, exponent - exponent / 2);
}

// Makes columns p and q of `a` orthogonal by a rotation from the right; false if they were already.
bool rotate_columns(Mat3& a, Mat3& v, int p, int q) {
  const double pp = a.col(p).squaredNorm(), qq = a.col(q).squaredNorm(), pq = a.col(p).dot(a.col(q));
  // Written as squares, so that no root is needed; products far below the smallest normal number count as
  // zero.
  if (!(pq * pq > kEpsilon * kEpsilon * pp * qq)) return false;
  const double zeta = (qq - pp) / (2 * pq);
  const double steep = std::abs(zeta);
  // Beyond 1e8 the root equals zeta to round-off, and its square might overflow.
  const double t =
      std::copysign(steep > 1e8 ? 0.5 / steep : 1 / (steep + std::sqrt(1 + steep * steep)), zeta);
  const double c = 1 / std::sqrt(1 + t * t), s = c * t;
  for (Mat3* m : {&a, &v}) {
    const Vec3 x = m->col(p), y = m->col(q);
    m->col(p) = c * x - s * y;
    m->col(q) = s * x + c * y;
  }
  return true;
}

// Orders columns by falling length; a swap flips one sign, so that V stays a rotation.
void order_columns(Mat3& a, Mat3& v) {
  auto order = [&](int p, int q) {
    if (a.col(p).squaredNorm() >= a.col(q).squaredNorm()) return;
    for (Mat3* m : {&a, &v}) {
      const Vec3 x = m->col(p);
      m->col(p) = m->col(q);
      m->col(q) = -x;
    }
  };
  order(0, 1);
  order(0, 2);
  order(1, 2);
}

Mat3 cofactors(const Mat3& a) {
  Mat3 c;
  c << a.col(1).cross(a.col(2)), a.col(2).cross(a.col(0)), a.col(0).cross(a.col(1));
  return c;
}

// Rotation nearest to `a` by scaled Newton steps R ← ½(γR + R⁻ᵀ/γ) [Higham86], twice as fast as the SVD.
// Declines (false) unless `a` is far from singular and not inverted; then it is as accurate.
bool newton_rotation(const Mat3& a, Mat3& r) {
  constexpr double kFarFromSingular = 1e-3;  // det over the cube of the norm: condition below about 100
  constexpr double kSettled = 1e-8;          // convergence is quadratic: the next step would change 1e-16
  constexpr int kMaxSteps = 12;
  r = a;
  const double length = a.norm();
  if (!(a.determinant() > kFarFromSingular * length * length * length)) return false;
  bool close = false;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Mat3 c = cofactors(r);
    const double inverse_det = 1 / r.col(0).dot(c.col(0));
    // Scaling brings far matrices near; close to the rotation it is one, and its roots are saved.
    const double gamma = close ? 1 : std::sqrt(std::sqrt(c.squaredNorm() / r.squaredNorm()) * inverse_det);
    const Mat3 next = (0.5 * gamma) * r + (0.5 * inverse_det / gamma) * c;
    const double change = (next - r).squaredNorm();
    r = next;
    close = change < 0.01;
    if (change < kSettled * kSettled) return true;
  }
  return false;
}

}  // namespace

Svd3 svd3(const Mat3& f) {
  if (!f.allFinite()) return {Mat3::Identity(), Mat3::Identity(), Vec3::Constant(kNaN)};
  const int exponent = exponent_of(f);
  Mat3 a = scaled(f, -exponent);
  Mat3 v = Mat3::Identity();

  // Sweep; convergence is quadratic, six sweeps suffice in practice.
  constexpr int kMaxSweeps = 20;
  bool turned = true;
  for (int sweep = 0; sweep < kMaxSweeps && turned; ++sweep) {
    order_columns(a, v);
    turned = rotate_columns(a, v, 0, 1);
    turned |= rotate_columns(a, v, 0, 2);
    turned |= rotate_columns(a, v, 1, 2);
  }
  order_columns(a, v);

  // U from the columns, longest first; where a column has no direction of its own any perpendicular one
  // serves.
  Svd3 result;
  Vec3 u0 = a.col(0), u1 = a.col(1);
  const double s0 = u0.norm();
  u0 = s0 > 0 ? Vec3(u0 / s0) : Vec3(Vec3::UnitX());
  const double s1 = u1.norm();
  u1 = s1 > 0 ? Vec3(u1 / s1 - u0.dot(u1 / s1) * u0) : Vec3(Vec3::Zero());
  const double own = u1.norm();
  u1 = own > 0.5 ? Vec3(u1 / own) : any_perpendicular(u0);
  const Vec3 u2 = u0.cross(u1);
  result.u << u0, u1, u2;
  result.v = v;
  result.sigma = scaled(Vec3(s0, s1, u2.dot(a.col(2))), exponent);
  return result;
}

namespace {

// U Vᵀ, with the part that the decomposition leaves open taken from `previous`.
Mat3 rotation_of(const Svd3& d, const Mat3& previous) {
  // The sum of the two smaller stretches decides how firmly the rotation about the main axis is held.
  constexpr double kUndetermined = 16 * kEpsilon;
  if (!(d.sigma[0] > 0)) return previous;
  if (d.sigma[1] + d.sigma[2] <= kUndetermined * d.sigma[0])
    return rotation_between(previous * d.v.col(0), d.u.col(0)) * previous;
  return d.u * d.v.transpose();
}

}  // namespace

Polar3 polar3(const Mat3& f, const Mat3& previous) {
  if (!f.allFinite()) return {previous, Mat3::Constant(kNaN)};
  Polar3 result;
  if (!newton_rotation(scaled(f, -exponent_of(f)), result.rotation))
    result.rotation = rotation_of(svd3(f), previous);
  const Mat3 s = result.rotation.transpose() * f;
  result.stretch = 0.5 * s + 0.5 * s.transpose();
  return result;
}

Polar2 polar2(const Mat2& f, const Mat2& previous) {
  if (!f.allFinite()) return {previous, Mat2::Constant(kNaN)};
  const Mat2 a = scaled(f, -exponent_of(f));
  // The nearest rotation maximises tr(RᵀF): its angle is that of (f₀₀ + f₁₁, f₁₀ − f₀₁).
  const double c = a(0, 0) + a(1, 1), s = a(1, 0) - a(0, 1), length = std::hypot(c, s);
  Polar2 result{previous, Mat2::Zero()};
  if (length > 4 * kEpsilon * a.cwiseAbs().maxCoeff())
    result.rotation << c / length, -s / length, s / length, c / length;
  const Mat2 stretch = result.rotation.transpose() * f;
  result.stretch = 0.5 * stretch + 0.5 * stretch.transpose();
  return result;
}

Svd2 svd2(const Mat2& f) {
  if (!f.allFinite()) return {Mat2::Identity(), Mat2::Identity(), Vec2::Constant(kNaN)};
  const int exponent = exponent_of(f);
  const Mat2 a = scaled(f, -exponent);
  // One Jacobi rotation makes the columns orthogonal: tan 2θ = 2 a₀·a₁ / (a₀² − a₁²).
  const double theta =
      0.5 * std::atan2(2 * a.col(0).dot(a.col(1)), a.col(0).squaredNorm() - a.col(1).squaredNorm());
  Svd2 result;
  result.v << std::cos(theta), -std::sin(theta), std::sin(theta), std::cos(theta);
  const Vec2 u0 = a * result.v.col(0);
  const double s0 = u0.norm();
  const Vec2 n = s0 > 0 ? Vec2(u0 / s0) : Vec2(Vec2::UnitX());
  result.u << n.x(), -n.y(), n.y(), n.x();
  // The smaller one from the determinant, which does not cancel against the larger.
  const double s1 = s0 > 0 ? (a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0)) / s0 : 0;
  result.sigma = scaled(Vec2(s0, s1), exponent);
  return result;
}

}  // namespace selkie
