// See wet_rules.h.
#include "selkie/scene/wet_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "selkie/core/error.h"
#include "selkie/core/log.h"

namespace selkie::scene {
namespace {

constexpr double kTouching = 1e-3;  // cells: what lies this deep only touches

std::string text_of(const Vec3& x) { return fmt::format("({:.4g}, {:.4g}, {:.4g})", x.x(), x.y(), x.z()); }

// Way through the body, from the middle of each element of its surface straight inwards, that a twentieth of the
// surface stays below: beside edges every body is thin.
double usual_thickness(sim::ElasticSystem& body) {
  const ports::FieldSampler& field = body.wet_field();
  const grid::SurfaceElements surface = body.wet_body()->surface;
  std::vector<std::pair<double, double>> ways;  // and areas
  double size = 0, whole = 0;
  for (const Vec3& x : surface.positions) size = std::max(size, (x - surface.positions[0]).norm());
  auto through = [&](const Vec3& middle, const Vec3& inward, double area) {
    double way = 1e-4 * size;
    for (int n = 0; n < 200; ++n) {
      const double depth = -field.sample(middle + way * inward, 0).distance;
      if (depth <= 1e-5 * size && n > 0) break;
      way += std::max(depth, 1e-5 * size);
    }
    ways.emplace_back(way, area), whole += area;
  };
  const auto& x = surface.positions;
  for (const auto& t : surface.triangles) {
    const Vec3 area = 0.5 * (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]);
    through((x[t[0]] + x[t[1]] + x[t[2]]) / 3, -area.normalized(), area.norm());
  }
  for (const auto& s : surface.segments) {
    const Vec3 along = x[s[1]] - x[s[0]];
    through(0.5 * (x[s[0]] + x[s[1]]), Vec3(-along.y(), along.x(), 0).normalized(), along.norm());
  }
  std::sort(ways.begin(), ways.end());
  double seen = 0;
  for (const auto& [way, area] : ways)
    if ((seen += area) >= 0.05 * whole) return way;
  return 0;
}

}  // namespace

Tank::Tank(sim::LiquidSystem& liquid, const sim::World& world, const Value& table)
    : liquid_(liquid), world_(world), table_(table) {
  const liquid::Model& model = liquid.model();
  geometry::Box inside{model.shape.origin(), model.shape.origin() + model.shape.extent()};
  const double wide = 1e3 * model.shape.extent().maxCoeff();
  for (int axis = 0; axis < 3; ++axis) {
    const bool there = axis < model.shape.dims();
    if (!there || model.side(axis, false) == liquid::Side::open) inside.min[axis] -= wide;
    if (!there || model.side(axis, true) == liquid::Side::open) inside.max[axis] += wide;
  }
  sim::ColliderDescription box;
  box.shape = geometry::AnalyticShape{};
  box.shape->box = inside;
  walls_ = sim::make_container(box);
}

void Tank::check(sim::ElasticSystem& body) const {
  check_inside(body);
  check_solids(body);
  check_others(body);
  warn_if_thin(body);
}

void Tank::check_inside(sim::ElasticSystem& body) const {
  const grid::Shape& shape = liquid_.model().shape;
  const Vec3 low = shape.origin(), high = low + shape.extent();
  const fem::State& state = body.live_state();
  bool any = false;
  for (const Vec3& x : state.positions) {
    bool in = true;
    for (int axis = 0; axis < shape.dims(); ++axis) in &= x[axis] >= low[axis] && x[axis] <= high[axis];
    any |= in;
  }
  if (!any)
    throw InputError(table_.place.location(),
                     fmt::format("'{}' lies outside the box of '{}', {} to {}", body.name(), liquid_.name(),
                                 text_of(low), text_of(high)),
                     "move the body or enlarge the domain");
  for (std::size_t v = 0; v < state.positions.size(); ++v) {
    const double depth = -walls_->sample(state.positions[v], 0).distance;
    if (depth > kTouching * shape.cell_size() && state.pinned[v] == 0)
      throw InputError(table_.place.location(),
                       fmt::format("'{}' starts {:.3g} m deep in a side of '{}', at {}", body.name(), depth,
                                   liquid_.name(), text_of(state.positions[v])),
                       "move the body inside, pin what is held by the wall, or open that side");
  }
}

void Tank::check_solids(sim::ElasticSystem& body) const {
  const double cell = liquid_.model().shape.cell_size();
  const fem::State& state = body.live_state();
  for (const auto& collider : world_.environment().colliders)
    for (std::size_t v = 0; v < state.positions.size(); ++v) {
      const double depth = -collider->sample(state.positions[v], 0).distance;
      if (depth > kTouching * cell && state.pinned[v] == 0)
        throw InputError(table_.place.location(),
                         fmt::format("'{}' starts {:.3g} m deep in a collider, at {}", body.name(), depth,
                                     text_of(state.positions[v])),
                         "move the body out of it, or pin what it holds");
    }
}

void Tank::check_others(sim::ElasticSystem& body) const {
  const double cell = liquid_.model().shape.cell_size();
  for (const auto& system : world_.systems()) {
    auto* other = dynamic_cast<sim::ElasticSystem*>(system.get());
    if (!other || other == &body || !other->joint() || other->model().dimension != body.model().dimension) continue;
    for (auto [of, in] : {std::pair{&body, other}, std::pair{other, &body}}) {
      const ports::FieldSampler& field = in->wet_field();
      for (const Vec3& x : of->live_state().positions) {
        const double depth = -field.sample(x, 0).distance;
        if (depth > kTouching * cell)
          throw InputError(table_.place.location(),
                           fmt::format("'{}' starts {:.3g} m deep in '{}', at {}", of->name(), depth, in->name(),
                                       text_of(x)),
                           "move the bodies apart");
      }
    }
  }
}

void Tank::warn_if_thin(sim::ElasticSystem& body) const {
  const double thickness = usual_thickness(body), cell = liquid_.model().shape.cell_size();
  if (thickness < cell)
    log_warning(fmt::format("'{}' is {:.3g} m thin, {:.2g} cells of '{}': below one cell both its sides share "
                            "pressures, and liquid may pass",
                            body.name(), thickness, thickness / cell, liquid_.name()));
}

}  // namespace selkie::scene
