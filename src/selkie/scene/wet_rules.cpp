// See wet_rules.h.
#include "selkie/scene/wet_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/geometry/triangle_tree.h"

namespace selkie::scene {
namespace {

constexpr double kTouching = 1e-3;  // cells: what lies this deep only touches
constexpr double kFlat = 1e-9;      // of its volume at rest: an element with less has none

std::string text_of(const Vec3& x) { return fmt::format("({:.4g}, {:.4g}, {:.4g})", x.x(), x.y(), x.z()); }

// Way through the body, from the middle of each element of its surface straight inwards, that a twentieth of
// the surface stays below: beside edges every body is thin.
double usual_thickness(const grid::SurfaceElements& surface, const ports::FieldSampler& field) {
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

// The nearest of two solids.
class Both final : public ports::FieldSampler {
 public:
  Both(std::shared_ptr<ports::FieldSampler> a, std::shared_ptr<ports::FieldSampler> b)
      : a_(std::move(a)), b_(std::move(b)) {}
  ports::FieldSample sample(const Vec3& point, double time) const override {
    const ports::FieldSample a = a_->sample(point, time), b = b_->sample(point, time);
    return a.distance <= b.distance ? a : b;
  }
  bool still() const override { return a_->still() && b_->still(); }

 private:
  std::shared_ptr<ports::FieldSampler> a_, b_;
};

// Where an edge of one surface goes through the other and into its body, deeper than `least`: bodies that
// cross without a vertex of one inside the other. Edges that are held do not count.
std::optional<Vec3> crossing(const grid::SurfaceElements& edges, std::span<const std::uint8_t> held,
                             const grid::SurfaceElements& other, const ports::FieldSampler& field,
                             double least) {
  const auto &x = edges.positions, &y = other.positions;
  auto is_held = [&](std::uint32_t a, std::uint32_t b) {
    return !held.empty() && (held[a] != 0 || held[b] != 0);
  };
  // Touching surfaces have edges in each other; those that cross lead inside on one side of where they meet.
  auto leads_inside = [&](const Vec3& from, const Vec3& along, double length,
                          double hit) -> std::optional<Vec3> {
    for (double way = 2 * least; way < length; way *= 2)
      for (const double at : {hit - way, hit + way})
        if (at > 0 && at < length && -field.sample(from + at * along, 0).distance > least)
          return from + at * along;
    return std::nullopt;
  };
  for (const auto& s : edges.segments)
    for (const auto& t : other.segments) {
      if (is_held(s[0], s[1])) continue;
      const Vec3 along = x[s[1]] - x[s[0]], across = y[t[1]] - y[t[0]], to = y[t[0]] - x[s[0]];
      auto area = [](const Vec3& a, const Vec3& b) { return a.x() * b.y() - a.y() * b.x(); };
      const double turn = area(along, across), share = area(to, across) / turn,
                   place = area(to, along) / turn;
      if (!(share >= 0 && share <= 1 && place >= 0 && place <= 1)) continue;
      const double length = along.norm();
      if (const auto in = leads_inside(x[s[0]], along / length, length, share * length)) return in;
    }
  if (edges.triangles.empty()) return std::nullopt;
  const geometry::TriangleTree tree(y, other.triangles);
  for (const auto& t : edges.triangles)
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3 &from = x[t[c]], along = x[t[(c + 1) % 3]] - from;
      const double length = along.norm();
      if (!(length > 0) || is_held(t[c], t[(c + 1) % 3])) continue;
      const auto hit = tree.first_hit(y, from, along / length, length, geometry::Facing::any);
      if (!hit) continue;
      if (const auto in = leads_inside(from, along / length, length, hit->distance)) return in;
    }
  return std::nullopt;
}

// A point that is in the solid and in the body, both deeper than `least`, found by halving a box about both
// down to `finest`: a solid inside a body reaches none of its vertices. Where distances are below the true
// ones the search only goes on for longer.
std::optional<Vec3> shared_point(const ports::FieldSampler& solid, const ports::FieldSampler& body,
                                 const Vec3& middle, const Vec3& half, double least, double finest) {
  const double far = solid.sample(middle, 0).distance, reach = half.norm();
  if (far > reach) return std::nullopt;
  const double beside = body.sample(middle, 0).distance;
  if (beside > reach) return std::nullopt;
  if (far < -least && beside < -least) return middle;
  int axis = 0;
  if (half.maxCoeff(&axis) <= finest) return std::nullopt;
  Vec3 smaller = half, way = Vec3::Zero();
  smaller[axis] /= 2, way[axis] = smaller[axis];
  if (const auto found = shared_point(solid, body, middle - way, smaller, least, finest)) return found;
  return shared_point(solid, body, middle + way, smaller, least, finest);
}

// det F of an element: its volume as it starts over that at rest.
template <int D>
double volume_ratio(const fem::Model& model, const fem::State& state, std::size_t element) {
  Eigen::Matrix<double, D, D> sides;
  const Vec3& origin = state.positions[model.corner(element, 0)];
  for (int c = 0; c < D; ++c)
    sides.col(c) =
        (state.positions[model.corner(element, static_cast<std::size_t>(c) + 1)] - origin).template head<D>();
  return (sides * fem::inverse_rest_of<D>(model, element)).determinant();
}

// Whether the two never touch: joined, of groups that do not meet, or neither of them free to move.
bool pass_each_other(sim::RigidSystem& bodies, std::size_t a, std::size_t b) {
  const rigid::State& state = bodies.live_state();
  const rigid::Model& model = bodies.model();
  if (!rigid::is_dynamic(state, a) && !rigid::is_dynamic(state, b)) return true;
  auto traits_of = [&](std::size_t i) {
    return state.traits[i] > 0 ? model.traits[state.traits[i] - 1] : rigid::Traits{};
  };
  const rigid::Traits x = traits_of(a), y = traits_of(b);
  if (!(x.group & y.meets) || !(y.group & x.meets)) return true;
  return std::any_of(model.joints.begin(), model.joints.end(), [&](const rigid::Joint& joint) {
    return !joint.bodies_touch && ((joint.a == a && joint.b == b) || (joint.a == b && joint.b == a));
  });
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
  walls_ = sides_ = sim::make_container(box);
  if (liquid.container()) walls_ = std::make_shared<Both>(sides_, liquid.container());
}

std::optional<double> Tank::plane() const {
  const grid::Shape& shape = liquid_.model().shape;
  return shape.dims() == 2 ? std::optional(shape.origin().z()) : std::nullopt;
}

Tank::Started Tank::started(sim::ElasticSystem& body) {
  const ports::FieldSampler& field = body.wet_field();
  const fem::State& state = body.live_state();
  return {body.name(), state.positions.span(), state.pinned.span(), body.wet_body()->surface, &field};
}
Tank::Started Tank::started(const coupling::WetRigid& body, const std::string& name) {
  return {name, body.surface().positions, {}, body.surface(), &body};
}

double Tank::check(sim::ElasticSystem& body) const {
  check_turned(body);
  const Started own = started(body);
  if (!inside(own)) refuse_outside(own.name);
  check_walls(own);
  for (const auto& system : world_.systems()) {
    if (auto* other = dynamic_cast<sim::ElasticSystem*>(system.get())) {
      if (other != &body && other->joint() && other->model().dimension == body.model().dimension)
        check_pair(own, started(*other));
    } else if (auto* bodies = dynamic_cast<sim::RigidSystem*>(system.get())) {
      if (!bodies->joint()) continue;
      const coupling::WetRigid& all = bodies->wet_field();
      for (std::size_t b = 0; b < all.bodies().size(); ++b) {
        coupling::WetRigid one;
        one.place({all.bodies()[b]}, plane());
        check_pair(own, started(one, bodies->name_of(bodies->wet_places()[b])));
      }
    }
  }
  return check_thickness(own);
}

double Tank::check(sim::RigidSystem& bodies, const std::string& table_name) const {
  const coupling::WetRigid& all = bodies.wet_field();
  bool named = false, within = table_name == bodies.name();
  double thinnest = std::numeric_limits<double>::infinity();
  std::vector<coupling::WetRigid> each(all.bodies().size());
  for (std::size_t b = 0; b < each.size(); ++b) {
    each[b].place({all.bodies()[b]}, plane());
    const Started body = started(each[b], bodies.name_of(bodies.wet_places()[b]));
    check_before(bodies, each, b);
    if (body.name == table_name) named = true, within |= inside(body);
    if (all.bodies()[b].inverse_mass > 0 && inside(body)) check_walls(body);
    for (const auto& system : world_.systems())
      if (auto* other = dynamic_cast<sim::ElasticSystem*>(system.get()))
        if (other->joint() && other->model().dimension == liquid_.model().shape.dims())
          check_pair(body, started(*other));
    if (!body.points.empty()) thinnest = std::min(thinnest, check_thickness(body));
  }
  if (!named && table_name != bodies.name())
    throw InputError(table_.place.location(),
                     "'" + table_name + "' encloses nothing that '" + liquid_.name() + "' could push",
                     "name a body with an inside: not a plane, nor a mesh that is open");
  if (!within) refuse_outside(table_name);
  return thinnest;
}

bool Tank::inside(const Started& body) const {
  const grid::Shape& shape = liquid_.model().shape;
  const Vec3 low = shape.origin(), high = low + shape.extent();
  return std::any_of(body.points.begin(), body.points.end(), [&](const Vec3& x) {
    bool in = true;
    for (int axis = 0; axis < shape.dims(); ++axis) in &= x[axis] >= low[axis] && x[axis] <= high[axis];
    return in;
  });
}

void Tank::refuse_outside(const std::string& name) const {
  const grid::Shape& shape = liquid_.model().shape;
  throw InputError(table_.place.location(),
                   fmt::format("'{}' lies outside the box of '{}', {} to {}", name, liquid_.name(),
                               text_of(shape.origin()), text_of(shape.origin() + shape.extent())),
                   "move the body or enlarge the domain");
}

void Tank::check_turned(sim::ElasticSystem& body) const {
  const fem::Model& model = body.model();
  const fem::State& state = body.live_state();
  std::size_t turned = 0, first = 0;
  for (std::size_t e = 0; e < model.element_count; ++e) {
    const double ratio =
        model.dimension == 3 ? volume_ratio<3>(model, state, e) : volume_ratio<2>(model, state, e);
    if (!(ratio > kFlat) && turned++ == 0) first = e;
  }
  if (turned == 0) return;
  throw InputError(
      table_.place.location(),
      fmt::format("'{}' starts with {} of its {} elements flat or turned inside out, the first is "
                  "number {}: no liquid can be told from its inside",
                  body.name(), turned, model.element_count, first),
      "give 'stretch' values above zero, or mirror the mesh itself");
}

// The bodies before number `b`, unless both are outside of the box.
void Tank::check_before(sim::RigidSystem& bodies, std::span<const coupling::WetRigid> each,
                        std::size_t b) const {
  const auto places = bodies.wet_places();
  const Started body = started(each[b], bodies.name_of(places[b]));
  const bool within = inside(body);
  const double reach = contact::bounding_radius(each[b].bodies()[0].shape);
  for (std::size_t a = 0; a < b; ++a) {
    const coupling::WetRigidBody &one = each[a].bodies()[0], &two = each[b].bodies()[0];
    if ((one.pose.position - two.pose.position).norm() > contact::bounding_radius(one.shape) + reach)
      continue;
    const Started other = started(each[a], bodies.name_of(places[a]));
    if ((within || inside(other)) && !pass_each_other(bodies, places[a], places[b])) check_pair(other, body);
  }
}

void Tank::check_walls(const Started& body) const {
  const double cell = liquid_.model().shape.cell_size(), least = kTouching * cell;
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Vec3& x : body.points) low = low.cwiseMin(x), high = high.cwiseMax(x);
  auto clear_of = [&](const ports::FieldSampler& solid, const std::string& what, const char* advice) {
    for (std::size_t v = 0; v < body.points.size(); ++v) {
      if (!body.held.empty() && body.held[v] != 0) continue;
      const double depth = -solid.sample(body.points[v], 0).distance;
      if (depth > least)
        throw InputError(table_.place.location(),
                         fmt::format("'{}' starts {:.3g} m deep in {}, at {}", body.name, depth, what,
                                     text_of(body.points[v])),
                         advice);
    }
    // The box of the sides is convex: no body is in them without a vertex. One that is pinned in a solid
    // reaches into it.
    if (&solid == sides_.get()) return;
    for (std::size_t v = 0; v < body.held.size(); ++v)
      if (body.held[v] != 0 && solid.sample(body.points[v], 0).distance < least) return;
    if (const auto x =
            shared_point(solid, *body.field, 0.5 * (low + high), 0.5 * (high - low), least, 0.25 * cell))
      throw InputError(
          table_.place.location(),
          fmt::format("'{}' starts with part of {} inside it, at {}", body.name, what, text_of(*x)), advice);
  };
  clear_of(*sides_, "a side of '" + liquid_.name() + "'",
           "move the body inside, pin what is held by the wall, or open that side");
  if (liquid_.container())
    clear_of(*liquid_.container(), "the container of '" + liquid_.name() + "'",
             "move the body inside, or pin what is held by the wall");
  for (const auto& collider : world_.environment().colliders)
    clear_of(*collider, "a collider", "move the body out of it, or pin what it holds");
}

void Tank::check_pair(const Started& a, const Started& b) const {
  const double least = kTouching * liquid_.model().shape.cell_size();
  for (const auto& [of, in] : {std::pair{&a, &b}, std::pair{&b, &a}})
    for (std::size_t v = 0; v < of->points.size(); ++v) {
      if (!of->held.empty() && of->held[v] != 0) continue;
      const Vec3& x = of->points[v];
      const double depth = -in->field->sample(x, 0).distance;
      if (depth > least)
        throw InputError(
            table_.place.location(),
            fmt::format("'{}' starts {:.3g} m deep in '{}', at {}", of->name, depth, in->name, text_of(x)),
            "move the bodies apart");
    }
  for (const auto& [of, in] : {std::pair{&a, &b}, std::pair{&b, &a}})
    if (const auto x = crossing(of->surface, of->held, in->surface, *in->field, least))
      throw InputError(
          table_.place.location(),
          fmt::format("an edge of '{}' starts inside '{}', at {}", of->name, in->name, text_of(*x)),
          "move the bodies apart");
}

double Tank::check_thickness(const Started& body) const {
  const double thickness = usual_thickness(body.surface, *body.field),
               cell = liquid_.model().shape.cell_size();
  if (thickness < cell)
    log_warning(
        fmt::format("'{}' is {:.3g} m thin, {:.2g} cells of '{}': below one cell both its sides share "
                    "pressures, and liquid may pass",
                    body.name, thickness, thickness / cell, liquid_.name()));
  return thickness;
}

}  // namespace selkie::scene
