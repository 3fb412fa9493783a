// See colour_bar.h.
#include "selkie/render/detail/colour_bar.h"

#include <fmt/format.h>

#include <cmath>

#include "selkie/render/detail/colour_map.h"
#include "selkie/render/detail/film.h"
#include "selkie/render/detail/font.h"

namespace selkie::render::detail {
namespace {

constexpr std::array<std::uint8_t, 3> kInk{30, 30, 34};
constexpr int kSmallest = 120;  // pixels

std::string unit_of(std::span<const ports::Drawable> drawables, const std::string& name) {
  for (const auto& drawable : drawables) {
    std::string unit;
    std::visit(
        [&](const auto& shape) {
          if constexpr (requires { shape.attributes; })
            for (const auto& attribute : shape.attributes)
              if (attribute.name == name) unit = attribute.unit;
        },
        drawable.shape);
    if (!unit.empty()) return unit;
  }
  return {};
}

// A light veil, so that text can be read before anything.
void veil(Picture& picture, int x0, int y0, int x1, int y1) {
  for (int y = std::max(0, y0); y < std::min(picture.height, y1); ++y)
    for (int x = std::max(0, x0); x < std::min(picture.width, x1); ++x)
      for (std::uint8_t& c : picture.pixels[static_cast<std::size_t>(y * picture.width + x)])
        c = static_cast<std::uint8_t>((c + 3 * 245) / 4);
}

void fill(Picture& picture, int x0, int y0, int x1, int y1, const std::array<std::uint8_t, 3>& colour) {
  for (int y = std::max(0, y0); y < std::min(picture.height, y1); ++y)
    for (int x = std::max(0, x0); x < std::min(picture.width, x1); ++x)
      picture.pixels[static_cast<std::size_t>(y * picture.width + x)] = colour;
}

}  // namespace

std::vector<double> ticks(double lo, double hi) {
  std::vector<double> result;
  if (!(hi > lo)) return {lo};
  const double rough = (hi - lo) / 4, power = std::pow(10.0, std::floor(std::log10(rough)));
  const double share = rough / power;
  const double step = power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
  for (double k = std::ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; ++k)
    result.push_back(k * step + 0.0);
  return result;
}

void draw_bar(std::span<const ports::Drawable> drawables, const Overlay& overlay, std::array<double, 2> range,
              Picture& picture) {
  if (picture.width < kSmallest || picture.height < kSmallest) return;
  range = {overlay.lo.value_or(range[0]), overlay.hi.value_or(range[1])};
  const int scale = std::max(1, picture.height / 400);
  const int advance = kGlyphAdvance * scale, line = (kGlyphHeight + 3) * scale;
  const std::string unit = unit_of(drawables, overlay.attribute);
  const std::string title =
      plain(unit.empty() ? overlay.attribute : fmt::format("{} [{}]", overlay.attribute, unit));
  std::vector<std::pair<double, std::string>> marks;
  std::size_t longest = 0;
  for (const double value : ticks(range[0], range[1])) {
    marks.emplace_back(value, fmt::format("{:.4g}", value));
    longest = std::max(longest, marks.back().second.size());
  }
  const int bar = 10 * scale, pad = 6 * scale, tick = 3 * scale;
  const int content = std::max(bar + tick + 2 * scale + static_cast<int>(longest) * advance,
                               static_cast<int>(title.size()) * advance);
  const int left = picture.width - content - 2 * pad, top = picture.height / 6,
            bottom = picture.height * 5 / 6;
  veil(picture, left - pad, top - line - 2 * pad, picture.width - pad, bottom + 2 * pad);
  draw_text(picture, left, top - line - pad / 2, scale, title, kInk);
  fill(picture, left - 1, top - 1, left + bar + 1, bottom + 1, kInk);
  for (int y = top; y < bottom; ++y) {
    const double share = (bottom - 1 - y) / static_cast<double>(bottom - 1 - top);
    const Rgb srgb = map_srgb(range[1] > range[0] ? share : 0.5);
    fill(picture, left, y, left + bar, y + 1,
         encode(srgb.unaryExpr([](float c) { return linear_from_srgb(c); })));
  }
  for (const auto& [value, text] : marks) {
    const double share = range[1] > range[0] ? (value - range[0]) / (range[1] - range[0]) : 0.5;
    const int y = bottom - 1 - static_cast<int>(std::lround(share * (bottom - 1 - top)));
    fill(picture, left + bar, y, left + bar + tick, y + scale, kInk);
    draw_text(picture, left + bar + tick + 2 * scale, y - kGlyphHeight * scale / 2, scale, text, kInk);
  }
}

}  // namespace selkie::render::detail
