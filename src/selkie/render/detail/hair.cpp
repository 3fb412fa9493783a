// See hair.h. Angles: theta against the plane across the fibre, phi around it, between in and out.
// A lobe is M(theta_in; its centre, width) N(phi) / cos(theta_in): M and N are normalised, and the cosine is
// that of the solid angle. [Marschner03 §4, with Gaussian M and without the eccentricity of the
// cross-section]
#include "selkie/render/detail/hair.h"

namespace selkie::render::detail {
namespace {

struct Lobe {
  float shift, width;  // rad
  float weight;
};
constexpr Lobe kSurface{-0.10f, 0.13f, 0.10f}, kInside{0.15f, 0.26f, 0.18f};
constexpr float kBody = 1 - kSurface.weight - kInside.weight;

float longitudinal(const Lobe& lobe, float theta_in, float theta_out) {
  const float x = (theta_in + theta_out - 2 * lobe.shift) / lobe.width;
  return std::exp(-0.5f * x * x) / (lobe.width * std::sqrt(2 * kPi));
}

struct Angles {
  float theta_in, theta_out, cosine_in, cosine_phi;
};
Angles angles_of(const Vec3f& tangent, const Vec3f& out, const Vec3f& in) {
  const float sine_in = std::clamp(in.dot(tangent), -1.0f, 1.0f);
  const float sine_out = std::clamp(out.dot(tangent), -1.0f, 1.0f);
  const Vec3f across_in = in - sine_in * tangent, across_out = out - sine_out * tangent;
  const float lengths = across_in.norm() * across_out.norm();
  return {std::asin(sine_in), std::asin(sine_out), std::sqrt(std::max(0.0f, 1 - sine_in * sine_in)),
          lengths > 0 ? std::clamp(across_in.dot(across_out) / lengths, -1.0f, 1.0f) : 1.0f};
}

}  // namespace

Rgb hair_reflected(const Vec3f& tangent, const Rgb& colour, const Vec3f& out, const Vec3f& in,
                   float& density) {
  const Angles a = angles_of(tangent, out, in);
  const float solid = std::max(0.05f, a.cosine_in);
  // N of the surface lobe: cos(phi / 2) / 4; of the inner one: even.
  const float surface = longitudinal(kSurface, a.theta_in, a.theta_out) *
                        std::sqrt(std::max(0.0f, 0.5f * (1 + a.cosine_phi))) * 0.25f / solid;
  const float inside = longitudinal(kInside, a.theta_in, a.theta_out) / (2 * kPi * solid);
  const float body = a.cosine_in / (kPi * kPi);
  // Directions are drawn evenly: all three lobes are broad enough for that.
  density = 1 / (4 * kPi);
  return Rgb::Constant(kSurface.weight * surface) + kInside.weight * inside * colour.square() +
         kBody * body * colour;
}

Scatter hair_scatter(const Vec3f& tangent, const Rgb& colour, const Vec3f& out,
                     const std::array<float, 2>& direction) {
  const float z = 1 - 2 * direction[0], r = std::sqrt(std::max(0.0f, 1 - z * z));
  const float angle = 2 * kPi * direction[1];
  Scatter result;
  result.direction = {r * std::cos(angle), r * std::sin(angle), z};
  result.weight = hair_reflected(tangent, colour, out, result.direction, result.density) * (4 * kPi);
  return result;
}

}  // namespace selkie::render::detail
