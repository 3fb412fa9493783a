// Angles and circular functions as straight-line code, so that loops over corners become vector code. Both
// are good to a few units in the last place on the ranges named.
#pragma once

#include <cmath>
#include <numbers>

namespace selkie::surface_water::detail {

// Angle in [0, π] of a vector with parts c (any sign) and s ≥ 0, not both zero. The half-angle formula
// tan(θ/2) = s / (r + c) is used three times; what is left, below 0.2, is a short series.
inline double corner_angle(double c, double s) {
  const double a = std::abs(c), r = std::sqrt(c * c + s * s);
  const double t1 = s / (r + a);                        // ≤ 1
  const double t2 = t1 / (1 + std::sqrt(1 + t1 * t1));  // ≤ tan(π/8)
  const double t3 = t2 / (1 + std::sqrt(1 + t2 * t2));  // ≤ tan(π/16)
  const double z = t3 * t3;
  double sum = -1.0 / 23;
  sum = 1.0 / 21 + z * sum;
  sum = -1.0 / 19 + z * sum;
  sum = 1.0 / 17 + z * sum;
  sum = -1.0 / 15 + z * sum;
  sum = 1.0 / 13 + z * sum;
  sum = -1.0 / 11 + z * sum;
  sum = 1.0 / 9 + z * sum;
  sum = -1.0 / 7 + z * sum;
  sum = 1.0 / 5 + z * sum;
  sum = -1.0 / 3 + z * sum;
  const double angle = 8 * (t3 + t3 * z * sum);
  return c < 0 ? std::numbers::pi - angle : angle;
}

struct CosSin {
  double cos, sin;
};

// For angles in [0, 2π].
inline CosSin cos_sin(double angle) {
  constexpr double kHigh = 0x1.921fb544p0;  // π/2 with room for small multiples
  constexpr double kLow = 0.5 * std::numbers::pi - kHigh;
  const double n = std::floor(angle * (2 * std::numbers::inv_pi) + 0.5);
  const double r = (angle - n * kHigh) - n * kLow, z = r * r;
  double s = -1.0 / 1307674368000;
  s = 1.0 / 6227020800 + z * s;
  s = -1.0 / 39916800 + z * s;
  s = 1.0 / 362880 + z * s;
  s = -1.0 / 5040 + z * s;
  s = 1.0 / 120 + z * s;
  s = -1.0 / 6 + z * s;
  s = r + r * z * s;
  double c = 1.0 / 20922789888000;
  c = -1.0 / 87178291200 + z * c;
  c = 1.0 / 479001600 + z * c;
  c = -1.0 / 3628800 + z * c;
  c = 1.0 / 40320 + z * c;
  c = -1.0 / 720 + z * c;
  c = 1.0 / 24 + z * c;
  c = -1.0 / 2 + z * c;
  c = 1 + z * c;
  // Quadrants 0 … 4: cos is c, -s, -c, s, c and sin is s, c, -s, -c, s.
  const bool odd = n == 1 || n == 3;
  const double cos_size = odd ? s : c, sin_size = odd ? c : s;
  return {n == 1 || n == 2 ? -cos_size : cos_size, n == 2 || n == 3 ? -sin_size : sin_size};
}

}  // namespace selkie::surface_water::detail
