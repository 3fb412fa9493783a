// Bounds and ranges of drawables, and sizes of what has none of its own.
#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/render/detail/colour_map.h"
#include "selkie/render/detail/parts.h"
#include "selkie/render/render.h"

namespace selkie::render {
namespace {

struct Gatherer {
  Eigen::AlignedBox3d box;

  void add(std::span<const Vec3> positions, double radius = 0) {
    for (const Vec3& x : positions)
      if (x.allFinite()) {
        box.extend(x - Vec3::Constant(radius));
        box.extend(x + Vec3::Constant(radius));
      }
  }
  void operator()(const ports::TriangleSurface& s) { add(s.positions); }
  void operator()(const ports::Points& s) { add(s.positions, detail::point_radius(s.positions, s.radius)); }
  void operator()(const ports::Curves& s) { add(s.positions, detail::curve_radius(s.positions, s.radius)); }
  void operator()(const ports::Vectors& s) { add(s.origins); }
  void operator()(const ports::Volume& s) {
    const Vec3 size = s.cell_size * Vec3(s.cells[0], s.cells[1], s.cells[2]);
    if (size.minCoeff() > 0) add(std::array<Vec3, 2>{s.origin, s.origin + size});
  }
  void operator()(const ports::HeightSurface& s) {
    const double nx = s.samples[0] - 1, nz = s.samples[1] - 1;
    for (const double height : s.heights)
      add(std::array<Vec3, 2>{s.origin + Vec3(0, height, 0),
                              s.origin + Vec3(nx * s.spacing, height, nz * s.spacing)});
  }
};

double diagonal(std::span<const Vec3> positions) {
  Gatherer all;
  all.add(positions);
  return all.box.isEmpty() ? 0 : all.box.diagonal().norm();
}

const std::vector<ports::Attribute>& attributes_of(const ports::Drawable& drawable) {
  static const std::vector<ports::Attribute> kNone;
  return std::visit(
      [](const auto& shape) -> const std::vector<ports::Attribute>& {
        if constexpr (requires { shape.attributes; })
          return shape.attributes;
        else
          return kNone;
      },
      drawable.shape);
}

}  // namespace

std::optional<Box> bounds(std::span<const ports::Drawable> drawables) {
  Gatherer all;
  for (const auto& drawable : drawables) {
    if (drawable.backdrop) continue;
    std::visit(all, drawable.shape);
    const auto* heights = std::get_if<ports::HeightSurface>(&drawable.shape);
    const bool clear = drawable.look == ports::Look::water || drawable.look == ports::Look::glass;
    if (heights && clear && !all.box.isEmpty()) {
      Gatherer own;
      own(*heights);
      if (own.box.isEmpty()) continue;
      const Vec3 floor = own.box.min() - detail::water_depth(*heights) * Vec3::UnitY();
      all.box.extend(floor);
    }
  }
  if (all.box.isEmpty()) return std::nullopt;
  return Box{all.box.min(), all.box.max()};
}

Box united(const Box& a, const Box& b) { return {a.low.cwiseMin(b.low), a.high.cwiseMax(b.high)}; }

std::optional<std::array<double, 2>> attribute_range(std::span<const ports::Drawable> drawables,
                                                     std::string_view name) {
  std::array<double, 2> range{std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity()};
  for (const auto& drawable : drawables)
    for (const auto& attribute : attributes_of(drawable)) {
      if (attribute.name != name) continue;
      const std::size_t points = attribute.values.size() / static_cast<std::size_t>(attribute.components);
      for (std::size_t i = 0; i < points; ++i) {
        const double value = detail::attribute_size(attribute, i);
        if (!std::isfinite(value)) continue;
        range = {std::min(range[0], value), std::max(range[1], value)};
      }
    }
  if (range[0] > range[1]) return std::nullopt;
  return range;
}

namespace detail {

double point_radius(std::span<const Vec3> positions, double own) {
  if (own > 0 || positions.empty()) return own;
  // Two fifths of the spacing of as many points spread evenly over their box; flat boxes count as a sheet.
  Gatherer all;
  all.add(positions);
  if (all.box.isEmpty()) return 0;
  const double size = all.box.diagonal().norm();
  if (size == 0) return 0.05;
  const Vec3 sides = all.box.sizes().cwiseMax(0.02 * size);
  return 0.4 * std::min(0.05 * size, std::cbrt(sides.prod() / static_cast<double>(positions.size())));
}

double curve_radius(std::span<const Vec3> positions, double own) {
  return own > 0 ? own : diagonal(positions) / 250;
}

double water_depth(const ports::HeightSurface& surface) {
  return 0.12 * surface.spacing * (std::min(surface.samples[0], surface.samples[1]) - 1);
}

}  // namespace detail
}  // namespace selkie::render
