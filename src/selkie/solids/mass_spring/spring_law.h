// The law of one spring as pure functions of values, shared by kernels, diagnostics and tests.
// Tension is piecewise linear in the elongation e = l − l0 (HY-26, biphasic): slope k up to the tension knee
// and k·tension_slope above; k·compression_factor in compression, times compression_slope beyond the
// compression knee. With all factors 1 it is Hooke's law (RT-03). [Müller08 §3.1; Selle08 §5.3]
#pragma once

#include <algorithm>
#include <cmath>

#include "selkie/math/types.h"
#include "selkie/solids/mass_spring/model.h"
#include "selkie/solids/mass_spring/params.h"

namespace selkie::mass_spring {

// Below this share of its rest length a spring has no direction and exerts no force (RT-03 guard).
inline constexpr double kShortest = 1e-10;

// Below this share of its rest length a spring loses its force in proportion to its length. A spring pressed
// to a point would push with all its force in a direction that the last bit decides, and no step is short
// enough for Newton's iteration to make sense of that; a blunt one is smooth.
inline constexpr double kBlunt = 0.05;
inline double blunt_length(double l0) { return kBlunt * l0; }

// The law of springs that are not that short: N, positive when the spring pulls. k in N/m, lengths in m.
inline double sharp_tension(const Params& p, double k, double l0, double l) {
  const double e = l - l0;
  if (e >= 0) return k * (e + (p.tension_slope - 1) * std::max(0.0, e - p.tension_knee * l0));
  return k * p.compression_factor *
         (e + (p.compression_slope - 1) * std::min(0.0, e + p.compression_knee * l0));
}
inline double tension(const Params& p, double k, double l0, double l) {
  const double blunt = blunt_length(l0);
  return l < blunt ? sharp_tension(p, k, l0, blunt) * (l / blunt) : sharp_tension(p, k, l0, l);
}

// N/m, d(tension)/dl; at a knee the slope on its far side.
inline double tension_slope(const Params& p, double k, double l0, double l) {
  const double blunt = blunt_length(l0);
  if (l < blunt) return sharp_tension(p, k, l0, blunt) / blunt;
  const double e = l - l0;
  if (e >= 0) return k * (e >= p.tension_knee * l0 ? p.tension_slope : 1);
  return k * p.compression_factor * (e <= -p.compression_knee * l0 ? p.compression_slope : 1);
}

// J, the integral of the tension from rest.
inline double elastic_energy(const Params& p, double k, double l0, double l) {
  const double blunt = blunt_length(l0), sharp = std::max(l, blunt), e = sharp - l0;
  const double above =
      e >= 0 ? std::max(0.0, e - p.tension_knee * l0) : std::min(0.0, e + p.compression_knee * l0);
  const double slope = e >= 0 ? p.tension_slope : p.compression_slope;
  const double factor = e >= 0 ? 1 : p.compression_factor;
  const double energy = 0.5 * k * factor * (e * e + (slope - 1) * above * above);
  if (l >= blunt) return energy;
  return energy + 0.5 * sharp_tension(p, k, l0, blunt) / blunt * (l * l - blunt * blunt);
}

// What multiplies the model's per-spring damping array, and which array that is.
struct DampingScale {
  double factor = 0;
  const double* relative = nullptr;
};
inline DampingScale damping_scale(const Model& m, const Params& p) {
  if (p.damping_kind == DampingKind::absolute) return {p.damping, m.relative_damping.data()};
  return {2 * p.damping * std::sqrt(p.stiffness), m.fraction_damping.data()};
}

// Force on the first end of a spring; the second receives its negative. `b` in N·s/m.
inline Vec3 spring_force(const Params& p, double k, double b, double l0, const Vec3& xi, const Vec3& xj,
                         const Vec3& vi, const Vec3& vj) {
  const Vec3 d = xj - xi;
  const double l = d.norm();
  if (!p.directional_damping) {
    const Vec3 friction = b * (vj - vi);
    return l <= kShortest * l0 || l == 0 ? friction : Vec3(friction + tension(p, k, l0, l) / l * d);
  }
  if (l <= kShortest * l0 || l == 0) return Vec3::Zero();
  const Vec3 n = d / l, blunt_n = d / std::max(l, blunt_length(l0));
  return tension(p, k, l0, l) * n + b * (vj - vi).dot(blunt_n) * blunt_n;
}

}  // namespace selkie::mass_spring
