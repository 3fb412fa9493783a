// The filling control: its profile on a wall, and a figure that is filled through one foot (SW-35).
#include <algorithm>
#include <cmath>

#include "selkie/geometry/figure.h"
#include "selkie/geometry/generators.h"
#include "selkie/studies/surface_water_cases.h"

namespace selkie::studies::surface_cases {
namespace {

namespace sw = selkie::surface_water;
constexpr double kGravity = 9.81, kFrame = 1.0 / 60;

}  // namespace

Table filling_table() {
  Table table{"Filling: depth below the edge of the water on an upright cylinder",
              {"s (m)", "depth (m)", "closed form", "error"},
              {}};
  constexpr double kAim = 0.2, kWidth = 0.125, kStrength = 1;
  auto exact = [&](double s) {
    return kAim + kWidth * std::log(1 - (1 - std::exp(-kAim / kWidth)) *
                                            std::exp(-kStrength * s / (kGravity * kWidth)));
  };
  Water water{sw::make_model(
      geometry::cylinder_surface(
          {.start = {0, -4, 0}, .end = {0, 4, 0}, .radius = 0.6, .around = 24, .along = 64, .rings = 3}),
      0.2, 10, "cylinder")};
  water.params.control = sw::Control::depth;
  water.params.friction = 98;
  water.set_depth([](const Vec3& x) { return x.y() < 0.5 ? 0.16 : 0.0; });
  water.advance(kFrame, 6000);
  // Mean depth of each ring of the wall.
  std::vector<double> height, depth, count;
  for (std::size_t v = 0; v < water.state.depth.size(); ++v) {
    const Vec3& x = water.model.rest[v];
    if (std::hypot(x.x(), x.z()) < 0.599 || std::abs(x.y()) > 3.99) continue;
    const auto ring = static_cast<std::size_t>(std::lround((x.y() + 4) * 8));
    if (height.size() <= ring)
      height.resize(ring + 1, 0), depth.resize(ring + 1, 0), count.resize(ring + 1, 0);
    height[ring] = x.y(), depth[ring] += water.state.depth[v], count[ring] += 1;
  }
  for (std::size_t r = 0; r < depth.size(); ++r)
    if (count[r] > 0) depth[r] /= count[r];
  // The contact line, from the ring nearest to half the depth aimed at.
  std::size_t half = 0;
  for (std::size_t r = 0; r < depth.size(); ++r)
    if (count[r] > 0 && std::abs(depth[r] - 0.5 * kAim) < std::abs(depth[half] - 0.5 * kAim)) half = r;
  double low = 0, high = 5;
  for (int i = 0; i < 80; ++i) (exact(0.5 * (low + high)) > depth[half] ? high : low) = 0.5 * (low + high);
  const double line = height[half] + low;
  for (const double s : {0.25, 0.5, 1.0, 2.0, 3.0}) {
    std::size_t nearest = half;
    for (std::size_t r = 0; r < depth.size(); ++r)
      if (count[r] > 0 && std::abs(line - height[r] - s) < std::abs(line - height[nearest] - s)) nearest = r;
    const double at = line - height[nearest], error = std::abs(depth[nearest] - exact(at));
    table.rows.push_back(
        {{number(at), number(depth[nearest]), number(exact(at)), number(error)}, water.ok && error < 2e-3});
  }
  table.note =
      "α + σ ln(1 - (1 - exp(-α/σ)) exp(-Ks/gσ)); rings 0.125 m apart, the line is set by the ring nearest "
      "to α/2; 1 % of α asked";
  return table;
}

// The spec's acceptance: the leg fills, spills over at the crotch, the second leg fills before the body does,
// and no depth exceeds the one aimed at by more than a tenth. Poured slowly: pressure has to drive the flow
// against friction, which takes depth as well.
Table figure_table() {
  Table table{"Filling a figure through one foot", {"what", "measured", "asked"}, {}};
  constexpr double kAim = 0.1, kCrotch = 0.8, kWaist = 0.95;
  Water water{sw::make_model(geometry::figure({.height = 1.8, .divisions = 29}).mesh, kAim, 10, "figure")};
  water.params.control = sw::Control::depth;
  water.params.control_depth = kAim, water.params.control_width = 0.06, water.params.control_strength = 2;
  water.params.friction = 96;
  water.set_depth([](const Vec3&) { return 0.0; });
  sw::Source source;
  source.rate = 0.003;
  const auto count = static_cast<std::uint32_t>(water.state.depth.size());
  for (std::uint32_t v = 0; v < count; ++v) {
    const Vec3& x = water.model.rest[v];
    if (std::abs(x.x() - 0.05) < 0.25 && x.y() < 0.12 && x.z() > 0) source.vertices.push_back(v);
  }
  const std::vector<sw::Source> sources{source};
  water.inputs.sources = sources;
  double deepest = 0, area = 0, second_at_spill = -1, second_at_waist = -1;
  for (std::uint32_t v = 0; v < count; ++v) area += water.state.dual_area[v];
  while (water.ok && water.state.poured < 0.9 * kAim * area) {
    water.advance(kFrame);
    double volume = 0, room = 0;  // of the second leg
    bool spills = false, waist = false;
    for (std::uint32_t v = 0; v < count; ++v) {
      const Vec3& x = water.model.rest[v];
      const double depth = water.state.depth[v];
      deepest = std::max(deepest, depth);
      spills |= x.y() > kCrotch && depth > 0.3 * kAim;
      waist |= x.y() > kWaist && depth > 0.3 * kAim;
      if (x.z() > -0.02 || x.y() > kCrotch) continue;
      volume += depth * water.state.dual_area[v], room += kAim * water.state.dual_area[v];
    }
    if (spills && second_at_spill < 0) second_at_spill = volume / room;
    if (waist && second_at_waist < 0) second_at_waist = volume / room;
  }
  table.rows.push_back(
      {{"deepest / aim", number(deepest / kAim), "<= 1.1"}, water.ok && deepest <= 1.1 * kAim});
  table.rows.push_back({{"second leg when the first spills over", number(second_at_spill), "< 0.1 full"},
                        second_at_spill >= 0 && second_at_spill < 0.1});
  table.rows.push_back(
      {{"second leg when the water reaches the waist", number(second_at_waist), "> 0.8 full"},
       second_at_waist > 0.8});
  table.note = "3 l/s into the left foot, α = 0.1 m, σ = 0.06 m, K = 2 m/s², friction 96";
  return table;
}

}  // namespace selkie::studies::surface_cases
