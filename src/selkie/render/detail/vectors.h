// Small float vectors, colours and frames of the ray tracer. Geometry is float, relative to the point the
// camera looks at, so that a scene far from the origin loses no digits.
#pragma once

#include <algorithm>
#include <cmath>

#include "selkie/math/types.h"

namespace selkie::render::detail {

using Rgb = Eigen::Array3f;  // linear light, or a share per channel

inline constexpr float kPi = 3.14159265358979f;
inline constexpr float kInfinity = 1e30f;  // farther than anything; Embree accepts it as the end of a ray

inline Rgb rgb(const Vec3& colour) { return colour.cast<float>().array(); }
inline float largest(const Rgb& colour) { return colour.maxCoeff(); }
inline float luminance(const Rgb& c) { return 0.2126f * c.x() + 0.7152f * c.y() + 0.0722f * c.z(); }
inline float square(float x) { return x * x; }
inline float mix(float a, float b, float share) { return a + (b - a) * share; }
inline float smooth_step(float begin, float end, float x) {
  const float t = std::clamp((x - begin) / (end - begin), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// Two directions across a unit vector, without a branch that could flip them between neighbours.
struct Frame {
  Vec3f u, v, n;
  explicit Frame(const Vec3f& normal) : n(normal) {
    const float sign = std::copysign(1.0f, n.z());
    const float a = -1 / (sign + n.z());
    const float b = n.x() * n.y() * a;
    u = {1 + sign * n.x() * n.x() * a, sign * b, -sign * n.x()};
    v = {b, sign + n.y() * n.y() * a, -n.y()};
  }
  Vec3f world(const Vec3f& local) const { return local.x() * u + local.y() * v + local.z() * n; }
  Vec3f local(const Vec3f& world) const { return {world.dot(u), world.dot(v), world.dot(n)}; }
};

}  // namespace selkie::render::detail
