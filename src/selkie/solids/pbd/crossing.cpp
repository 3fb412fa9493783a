// See crossing.h.
#include "selkie/solids/pbd/crossing.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace selkie::pbd {
namespace {

// A root on the edge between two triangles must belong to one of them, whatever rounding does.
constexpr double kEdge = 1e-6;

double value(const std::array<double, 4>& c, double t) { return ((c[3] * t + c[2]) * t + c[1]) * t + c[0]; }

// Where the derivative vanishes inside (0, 1), ascending.
int turning_points(const std::array<double, 4>& c, std::array<double, 2>& turns) {
  const double a = 3 * c[3], b = c[2], d = c[1];  // a t² + 2 b t + d
  int count = 0;
  auto add = [&](double t) {
    if (t > 0 && t < 1) turns[static_cast<std::size_t>(count++)] = t;
  };
  const double discriminant = b * b - a * d;
  if (discriminant < 0) return 0;
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  if (a != 0) add(q / a);
  if (q != 0) add(d / q);
  if (count == 2 && turns[0] > turns[1]) std::swap(turns[0], turns[1]);
  return count;
}

double bisect(const std::array<double, 4>& c, double low, double high) {
  const bool rising = value(c, low) < 0;
  for (int n = 0; n < 60 && low < high; ++n) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    ((value(c, middle) < 0) == rising ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

Foot foot_on(const Vec3& q, const Vec3& p1, const Vec3& p2, const Vec3& p3) {
  const Vec3 a = p2 - p1, b = p3 - p1, r = q - p1, m = a.cross(b);
  const double square = m.squaredNorm();
  Foot foot;
  if (!(square > 1e-300)) {
    foot.weights.setZero();
    foot.normal = Vec3::UnitY();
    return foot;
  }
  foot.normal = m / std::sqrt(square);
  foot.height = r.dot(foot.normal);
  const double b2 = r.cross(b).dot(m) / square, b3 = a.cross(r).dot(m) / square;
  foot.weights = Vec3(1 - b2 - b3, b2, b3);
  foot.inside = foot.weights.minCoeff() >= -kEdge;
  return foot;
}

int cubic_roots(const std::array<double, 4>& c, std::array<double, 3>& roots) {
  std::array<double, 2> turns{};
  const int turn_count = turning_points(c, turns);
  int count = 0;
  double low = 0;
  for (int k = 0; k <= turn_count; ++k) {
    const double high = k < turn_count ? turns[static_cast<std::size_t>(k)] : 1;
    const double at_low = value(c, low), at_high = value(c, high);
    if ((at_low < 0) != (at_high < 0)) roots[static_cast<std::size_t>(count++)] = bisect(c, low, high);
    low = high;
  }
  return count;
}

Crossing find_crossing(const std::array<Vec3, 4>& start, const std::array<Vec3, 4>& end) {
  const Vec3 a0 = start[2] - start[1], b0 = start[3] - start[1], c0 = start[0] - start[1];
  const Vec3 a1 = end[2] - end[1] - a0, b1 = end[3] - end[1] - b0, c1 = end[0] - end[1] - c0;
  const Vec3 n0 = a0.cross(b0), n1 = a0.cross(b1) + a1.cross(b0), n2 = a1.cross(b1);
  const std::array<double, 4> cubic{n0.dot(c0), n1.dot(c0) + n0.dot(c1), n2.dot(c0) + n1.dot(c1), n2.dot(c1)};
  std::array<double, 3> roots{};
  const int count = cubic_roots(cubic, roots);
  Crossing crossing;
  for (int k = 0; k < count; ++k) {
    const double t = roots[static_cast<std::size_t>(k)];
    auto at = [&](std::size_t corner) -> Vec3 { return (1 - t) * start[corner] + t * end[corner]; };
    const Foot foot = foot_on(at(0), at(1), at(2), at(3));
    if (!foot.inside) continue;
    if (crossing.count++ == 0) crossing.foot = foot;
  }
  return crossing;
}

}  // namespace selkie::pbd
