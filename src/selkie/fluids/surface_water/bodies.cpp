// See bodies.h.
#include "selkie/fluids/surface_water/bodies.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace selkie::surface_water {
namespace {

// First point of a body on origin + s·direction, s ≤ reach, by walking its signed distance.
std::optional<double> walk(const ports::MovableSolid& body, const Vec3& origin, const Vec3& direction,
                           double reach, double close, double time) {
  double s = 0;
  for (int step = 0; step < 96 && s <= reach; ++step) {
    const double distance = body.sample(origin + s * direction, time).distance;
    if (distance <= close) return s;
    s += distance;
  }
  return std::nullopt;
}

// The water over a face; or over one of the four like triangles that halving its edges makes: part 0 is the
// one in the middle, part c + 1 the one at corner c.
struct Column {
  std::array<Vec3, 3> corners;
  Vec3 middle;
  double bottom, depth, area;  // m: H and η, means of the corners; m²
};
Column column_of(const Model& model, const Metric& m, const State& state, std::size_t f, std::uint32_t part,
                 bool split) {
  std::array<std::uint32_t, 3> v;
  for (std::size_t c = 0; c < 3; ++c) v[c] = model.complex.vertex[c][f];
  Column column;
  double weight[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  if (part > 0)
    for (std::size_t c = 0; c < 3; ++c) weight[c] = c + 1 == part ? 2.0 / 3 : 1.0 / 6;
  column.middle.setZero(), column.bottom = column.depth = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const Vec3 &here = state.positions[v[c]], &next = state.positions[v[(c + 1) % 3]];
    column.middle += weight[c] * here;
    column.bottom += weight[c] * model.bottom[v[c]], column.depth += weight[c] * state.depth[v[c]];
    if (!split)
      column.corners[c] = here;
    else if (part == 0)
      column.corners[c] = 0.5 * (here + next);
    else
      column.corners[c] = 0.5 * (here + state.positions[v[part - 1]]);
  }
  column.area = split ? 0.25 * m.area[f] : m.area[f];
  return column;
}

// Columns whose line from the bottom to the surface comes near the body, and that it sticks out of.
void find_columns(const Model& model, const ports::MovableSolid& body, double time, const Metric& m,
                  const State& state, bool split, std::vector<ColumnHit>& hits) {
  const ports::BoundingBall ball = body.bounds(time, time);
  hits.clear();
  const std::uint32_t parts = split ? 4 : 1;
  for (std::size_t f = 0; f < model.complex.face_count; ++f)
    for (std::uint32_t part = 0; part < parts; ++part) {
      const Column column = column_of(model, m, state, f, part, split);
      if (column.depth <= 1e-6) continue;
      const Vec3 foot = column.middle - column.bottom * m.normal[f];
      const double along = std::clamp((ball.center - foot).dot(m.normal[f]), 0.0, column.depth);
      if ((foot + along * m.normal[f] - ball.center).squaredNorm() > ball.radius * ball.radius) continue;
      ColumnHit hit = find_column(body, ball, column.middle, m.normal[f], column.bottom, column.depth, time);
      hit.face = static_cast<std::uint32_t>(f), hit.part = part;
      if (hit.touches) hits.push_back(hit);
    }
}

double highest_surface(const Model& model, const State& state, std::span<const ColumnHit> hits) {
  double highest = -1e300;
  for (const ColumnHit& hit : hits)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t v = model.complex.vertex[c][hit.face];
      highest = std::max(highest, state.depth[v] - model.bottom[v]);
    }
  return highest;
}

struct Meeting {
  const Model& model;
  const Params& params;
  double dt, time;
  const Metric& m;
  const State& state;
  Work& work;

  Vec3 lift(const ColumnHit& hit, const Column& column, double highest) const {
    if (!params.buoyancy) return Vec3::Zero();
    const double d = std::max(0.0, highest + column.bottom - hit.below);
    return dt * params.density * params.attraction * column.area * d * m.normal[hit.face];
  }

  // Impulse of drag on the body; implicit in the speed that is left, so that body and column may come to
  // rest against each other but never overshoot: s + c s² = speed, or s (1 + c) = speed.
  Vec3 drag(const ports::MovableSolid& body, const ColumnHit& hit, const Column& column) const {
    const std::size_t f = hit.face;
    const Frame frame = frame_of(model.complex, m, state.positions, f);
    const Vec3 water = frame.to_space(Vec2(work.velocity_x[f], work.velocity_y[f]));
    const Vec3 relative = hit.velocity - water;
    const double speed = relative.norm();
    if (!(speed > 0)) return Vec3::Zero();
    const Vec3 direction = relative / speed;
    const double area = drag_area(column.corners, m.normal[f], hit.point, hit.normal, -column.bottom,
                                  column.depth - column.bottom, direction);
    if (!(area > 0)) return Vec3::Zero();
    const double factor = 0.5 * params.body_drag * params.density * area * dt;
    const double yielding =
        static_cast<double>(work.touched.size()) * body.inverse_mass(hit.point, direction, time) +
        1 / (params.density * column.depth * column.area);
    const double c = factor * yielding;
    if (params.drag_law == DragLaw::linear) return -factor * speed / (1 + c) * direction;
    const double left = c * speed > 1e-12 ? (std::sqrt(1 + 4 * c * speed) - 1) / (2 * c) : speed;
    return -factor * left * left * direction;
  }

  void meet(ports::MovableSolid& body) const {
    const bool split = params.rays_at_corners;
    find_columns(model, body, time, m, state, split, work.touched);
    if (work.touched.empty()) return;
    const double highest = highest_surface(model, state, work.touched);
    for (const ColumnHit& hit : work.touched) {
      const Column column = column_of(model, m, state, hit.face, hit.part, split);
      const Vec3 pull = drag(body, hit, column);
      body.push(hit.point, lift(hit, column, highest) + pull, time);
      for (int d = 0; d < 3; ++d) work.bodies_impulse[d] += pull[d];
      // The water under the body is pressed down by its missing height, and dragged along by what it
      // dragged: an acceleration of the column's mass, not a density [E16].
      const double share = column.area / m.area[hit.face];
      work.pressed[hit.face] -= share * params.attraction * (column.depth - hit.below) / column.depth;
      work.reaction[hit.face] -= pull / (dt * params.density * column.depth * m.area[hit.face]);
    }
  }
};

// Keeps the part of a convex polygon where values are ≥ 0; values are linear.
struct Polygon {
  std::array<Vec3, 8> points;
  std::array<double, 8> values;
  std::size_t count = 0;
};
template <class Value>
Polygon clip(const Polygon& polygon, Value&& value) {
  Polygon kept;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Vec3 &a = polygon.points[i], &b = polygon.points[(i + 1) % polygon.count];
    const double va = value(a), vb = value(b);
    if (va >= 0) kept.points[kept.count++] = a;
    if ((va >= 0) != (vb >= 0)) kept.points[kept.count++] = a + va / (va - vb) * (b - a);
  }
  return kept;
}

}  // namespace

ColumnHit find_column(const ports::MovableSolid& body, const ports::BoundingBall& ball, const Vec3& middle,
                      const Vec3& direction, double bottom, double depth, double time) {
  ColumnHit hit;
  const Vec3 foot = middle - bottom * direction, top = foot + depth * direction;
  const double close = 1e-6 * ball.radius;
  const auto below = walk(body, foot, direction, depth, close, time);
  if (!below || *below >= depth) return hit;
  // It must also be met above the surface: opposite columns overlap inside a closed mesh, and a body that is
  // wholly immersed would feel water that cannot be seen.
  const double reach = std::max(0.0, (ball.center - top).dot(direction) + ball.radius);
  if (!walk(body, top, direction, reach, close, time)) return hit;
  hit.touches = true;
  hit.below = *below;
  hit.point = foot + *below * direction;
  const ports::FieldSample sample = body.sample(hit.point, time);
  hit.normal = sample.normal, hit.velocity = sample.velocity;
  return hit;
}

double drag_area(const std::array<Vec3, 3>& corners, const Vec3& normal, const Vec3& point, const Vec3& plane,
                 double bottom, double top, const Vec3& direction) {
  const double facing = std::max(0.0, plane.dot(direction)), across = normal.dot(plane);
  if (facing == 0 || std::abs(across) < 1e-9) return 0;
  Polygon polygon;
  polygon.count = 3;
  for (std::size_t c = 0; c < 3; ++c)
    polygon.points[c] = corners[c] + (point - corners[c]).dot(plane) / across * normal;
  const Vec3 base = corners[0];
  polygon = clip(polygon, [&](const Vec3& x) { return (x - base).dot(normal) - bottom; });
  polygon = clip(polygon, [&](const Vec3& x) { return top - (x - base).dot(normal); });
  Vec3 twice = Vec3::Zero();
  for (std::size_t i = 2; i < polygon.count; ++i)
    twice += (polygon.points[i - 1] - polygon.points[0]).cross(polygon.points[i] - polygon.points[0]);
  return facing * 0.5 * twice.norm();
}

int meet_bodies(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const Metric& metric, const State& state, Work& work) {
  std::fill(std::begin(work.bodies_impulse), std::end(work.bodies_impulse), 0.0);
  if (inputs.bodies.empty()) return 0;
  std::fill(work.pressed.begin(), work.pressed.end(), 0.0);
  std::fill(work.reaction.begin(), work.reaction.end(), Vec3::Zero());
  const Meeting meeting{model, params, interval.dt(), interval.t1(), metric, state, work};
  int contacts = 0;
  for (ports::MovableSolid* body : inputs.bodies) {
    meeting.meet(*body);
    contacts += static_cast<int>(work.touched.size());
  }
  return contacts;
}

}  // namespace selkie::surface_water
