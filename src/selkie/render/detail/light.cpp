// See light.h. `sun_colour` is taken as irradiance over kSunScale.
#include "selkie/render/detail/light.h"

#include <numbers>

namespace selkie::render::detail {
namespace {

// Chosen by eye for the default light: lit ground, shadow and horizon stand well beside one another.
constexpr float kSunScale = 2.0f;

}  // namespace

Light::Light(const ports::Lighting& lighting)
    : sun_(lighting.sun_direction.normalized().cast<float>()),
      sun_irradiance_(rgb(lighting.sun_colour) * kSunScale),
      zenith_(rgb(lighting.sky_zenith)),
      horizon_(rgb(lighting.sky_horizon)) {
  const double half_width = lighting.sun_size * std::numbers::pi / 360;
  const double gap = 2 * std::pow(std::sin(half_width / 2), 2);  // 1 - cos, without cancellation
  sun_cosine_ = static_cast<float>(1 - gap);
  sun_density_ = gap > 1e-9 ? static_cast<float>(1 / (2 * std::numbers::pi * gap)) : 0.0f;
  sky_mean_ = Rgb::Zero();
  constexpr int kRows = 64;
  for (int row = 0; row < kRows; ++row) {  // evenly in sin², which is the cosine's weight
    const float y = std::sqrt((static_cast<float>(row) + 0.5f) / kRows);
    sky_mean_ += sky({std::sqrt(1 - y * y), y, 0}) / kRows;
  }
}

Rgb Light::sky(const Vec3f& direction) const {
  const float low = 1 - std::clamp(direction.y(), 0.0f, 1.0f);
  return zenith_ + (horizon_ - zenith_) * (low * low * std::sqrt(low));
}

Vec3f Light::sample_sun(const std::array<float, 2>& u) const {
  const float gap = u[0] * (1 - sun_cosine_), angle = 2 * kPi * u[1];
  const float r = std::sqrt(std::max(0.0f, gap * (2 - gap)));
  return sun_.world({r * std::cos(angle), r * std::sin(angle), 1 - gap});
}

float Light::sun_density(const Vec3f& direction) const {
  return direction.dot(sun_.n) >= sun_cosine_ ? sun_density_ : 0.0f;
}

}  // namespace selkie::render::detail
