// See colour_map.h. Nine control points, chosen so that lightness (CIE L*) rises evenly from about 15 to 91.
#include "selkie/render/detail/colour_map.h"

namespace selkie::render::detail {

Rgb map_srgb(double share) {
  static const std::array<Rgb, 9> kPoints = {
      Rgb(0.267f, 0.005f, 0.329f), Rgb(0.280f, 0.165f, 0.475f), Rgb(0.230f, 0.320f, 0.545f),
      Rgb(0.172f, 0.445f, 0.558f), Rgb(0.128f, 0.565f, 0.550f), Rgb(0.155f, 0.680f, 0.505f),
      Rgb(0.362f, 0.785f, 0.388f), Rgb(0.665f, 0.860f, 0.200f), Rgb(0.990f, 0.906f, 0.145f)};
  const double x = std::clamp(share, 0.0, 1.0) * (kPoints.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(x), kPoints.size() - 2);
  return kPoints[i] + (kPoints[i + 1] - kPoints[i]) * static_cast<float>(x - static_cast<double>(i));
}

Rgb map_colour(double value, const std::array<double, 2>& range) {
  const double width = range[1] - range[0];
  const Rgb srgb = map_srgb(width > 0 ? (value - range[0]) / width : 0.5);
  return srgb.unaryExpr([](float x) { return linear_from_srgb(x); });
}

double attribute_size(const ports::Attribute& attribute, std::size_t point) {
  if (attribute.components == 1) return attribute.values[point];
  return Eigen::Map<const Vec3>(attribute.values.data() + 3 * point).norm();
}

float srgb_from_linear(float x) {
  if (x <= 0.0031308f) return 12.92f * std::max(0.0f, x);
  return 1.055f * std::pow(std::min(1.0f, x), 1 / 2.4f) - 0.055f;
}

float linear_from_srgb(float x) { return x <= 0.04045f ? x / 12.92f : std::pow((x + 0.055f) / 1.055f, 2.4f); }

}  // namespace selkie::render::detail
