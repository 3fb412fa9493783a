// See body_contacts.h.
#include "selkie/solids/pbd/body_contacts.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "selkie/geometry/triangle_tree.h"
#include "selkie/ports/vertex_contact.h"
#include "selkie/solids/pbd/contacts.h"
#include "selkie/solids/pbd/crossing.h"

namespace selkie::pbd {
namespace {

// Share of an edge that a vertex may be inside and still count as touching: what rests on a solid is found a
// little inside it.
constexpr double kDeep = 0.02;
using ports::MovableSolid;
using ports::SweptSample;

// A point of the body: a vertex, or a point of a triangle.
struct Sample {
  std::array<std::uint32_t, 3> vertices;
  Vec3 weights;

  template <class At>
  Vec3 mean(At&& at) const {
    return weights[0] * at(vertices[0]) + weights[1] * at(vertices[1]) + weights[2] * at(vertices[2]);
  }
};

Vec3 point_of(const BodyContact& c, const Work& work) {
  return Sample{c.vertices, c.weights}.mean(
      [&](std::uint32_t i) -> Vec3 { return work.points[i].head<3>(); });
}
Vec3 start_of(const BodyContact& c, const State& to) {
  return Sample{c.vertices, c.weights}.mean([&](std::uint32_t i) { return to.positions[i]; });
}
double inverse_mass_of(const BodyContact& c, const Work& work) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double weight = c.weights[static_cast<Eigen::Index>(k)];
    sum += weight * weight * work.points[c.vertices[k]].w();
  }
  return sum;
}

// What a solid does during a sub-step, and how far the body reaches beyond it to be tested.
struct Passing {
  const MovableSolid& body;
  std::uint32_t index;
  Interval interval;
  double thickness, near, edge;
  ports::BoundingBall bounds;
  Vec3 shift;  // m, that the solid has given way by in this sub-step
  Vec3 center_t0, center_t1;
};

Passing passing_of(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                   std::uint32_t index, const Vec3& shift) {
  const MovableSolid& body = *inputs.bodies[index];
  const double t0 = interval.t0(), t1 = interval.t1();
  Passing s{body,
            index,
            interval,
            params.contact_thickness,
            0.25 * model.mean_edge,
            model.mean_edge,
            body.bounds(t0, t1),
            shift,
            body.bounds(t0, t0).center,
            body.bounds(t1, t1).center + shift};
  s.bounds.radius += shift.norm();
  return s;
}

// The plane that holds a point of the body off the solid; none if it stays clear of it.
// `passed`: the centre of the solid came through this point.
std::optional<BodyContact> meet(const Passing& s, const Sample& sample, bool passed, const State& to,
                                const Work& work) {
  BodyContact c;
  c.vertices = sample.vertices;
  c.weights = sample.weights;
  const double h = s.interval.dt(), t0 = s.interval.t0(), t1 = s.interval.t1();
  const Vec3 x = start_of(c, to), p = point_of(c, work) - s.shift;
  const double reach = s.bounds.radius + 2 * s.thickness + s.near + (p - x).norm();
  if ((p - s.bounds.center).squaredNorm() > reach * reach) return std::nullopt;
  const SweptSample met = s.body.sweep(x, t0, p, t1, s.thickness);
  if (!(met.distance < s.near)) return std::nullopt;
  c.body = s.index;
  c.plane.normal = met.normal;
  c.plane.carried = h * met.velocity;
  c.plane.friction = s.body.friction;
  c.plane.was_inside = met.start_distance < -kDeep * s.edge;
  // What was inside is led out by leave_bodies(); here it only gets no deeper.
  c.plane.offset = met.normal.dot(p) - met.distance + (c.plane.was_inside ? met.start_distance : 0);
  if (passed && met.start_distance < 0) {
    // It was inside before, where the side that is nearest at the end may be the wrong one.
    c.plane.normal = s.body.sample(x, t0).normal;
    c.plane.offset = c.plane.normal.dot(x + c.plane.carried);
  }
  c.plane.rubbed.setZero();
  c.way_in = std::max(0.0, c.plane.normal.dot(x + c.plane.carried - p));
  c.inverse_mass = s.body.inverse_mass(p - met.distance * met.normal, met.normal, t1);
  return c;
}

// Where a triangle meets a solid first: where the way of its centre passes through it, if it does, else the
// point nearest to where it ends.
struct TriangleMeeting {
  Vec3 weights;
  bool passed = false;
};
std::optional<TriangleMeeting> meeting_of(const Passing& s, const geometry::Triangle& t, const State& to,
                                          const Work& work) {
  const std::array<Vec3, 4> start{s.center_t0, to.positions[t[0]], to.positions[t[1]], to.positions[t[2]]};
  const std::array<Vec3, 4> end{s.center_t1, work.points[t[0]].head<3>(), work.points[t[1]].head<3>(),
                                work.points[t[2]].head<3>()};
  Vec3 low = start[1], high = start[1];
  for (std::size_t k = 1; k < 4; ++k) {
    low = low.cwiseMin(start[k]).cwiseMin(end[k]);
    high = high.cwiseMax(start[k]).cwiseMax(end[k]);
  }
  const double reach = s.bounds.radius + 2 * s.thickness + s.near;
  const Vec3 away = (low - s.bounds.center).cwiseMax(s.bounds.center - high).cwiseMax(0);
  if (away.squaredNorm() > reach * reach) return std::nullopt;
  if (const Crossing crossing = find_crossing(start, end); crossing.count > 0)
    return TriangleMeeting{crossing.foot.weights, true};
  return TriangleMeeting{geometry::nearest_on_triangle(end[1], end[2], end[3], end[0]).weights, false};
}

}  // namespace

void leave_bodies(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                  State& to) {
  const double time = interval.t0(), furthest = ports::kWayOut * interval.dt();
  for (MovableSolid* body : inputs.bodies) {
    const ports::BoundingBall bounds = body->bounds(time, time);
    const double reach = bounds.radius + params.contact_thickness;
    for (std::size_t i = 0; i < model.vertex_count; ++i) {
      Vec3& x = to.positions[i];
      if (to.pinned[i] != 0 || static_cast<std::int64_t>(i) == to.grabbed_vertex ||
          (x - bounds.center).squaredNorm() > reach * reach)
        continue;
      const ports::FieldSample met = body->sample(x, time);
      const double depth = params.contact_thickness - met.distance;
      if (!(depth > kDeep * model.mean_edge)) continue;
      const double w = model.inverse_masses[i], w_body = body->inverse_mass(x, met.normal, time);
      const double way = std::min(depth, furthest);
      x += w / (w + w_body) * way * met.normal;
      body->shift(-w_body / (w + w_body) * way * met.normal, time);
    }
  }
}

void find_body_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                        const State& to, Work& work) {
  work.body_contacts.clear();
  work.body_shifts.assign(inputs.bodies.size(), Vec3::Zero());
  for (std::uint32_t b = 0; b < inputs.bodies.size(); ++b) {
    const Passing s = passing_of(model, params, inputs, interval, b, Vec3::Zero());
    auto add = [&](const Sample& sample, bool passed) {
      if (const auto contact = meet(s, sample, passed, to, work)) work.body_contacts.push_back(*contact);
    };
    for (std::uint32_t i = 0; i < model.vertex_count; ++i) add(Sample{{i, i, i}, Vec3::UnitX()}, false);
    for (const geometry::Triangle& t : model.triangles)
      if (const auto meeting = meeting_of(s, t, to, work)) add(Sample{t, meeting->weights}, meeting->passed);
    auto of_body = [&](const BodyContact& c) { return c.body == b; };
    const bool overlaps = model.volumes.batch.count > 0 &&  // sheets have no inside
                          std::any_of(work.body_contacts.begin(), work.body_contacts.end(),
                                      [&](const BodyContact& c) { return of_body(c) && c.plane.was_inside; });
    for (BodyContact& c : work.body_contacts) c.overlaps = c.overlaps || (overlaps && of_body(c));
  }
}

bool find_body_crossings(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                         const State& to, Work& work) {
  bool any = false;
  for (std::uint32_t b = 0; b < inputs.bodies.size(); ++b) {
    const Passing s = passing_of(model, params, inputs, interval, b, work.body_shifts[b]);
    for (const geometry::Triangle& t : model.triangles) {
      const auto meeting = meeting_of(s, t, to, work);
      if (!meeting || !meeting->passed) continue;
      const auto contact = meet(s, Sample{t, meeting->weights}, true, to, work);
      if (!contact) continue;
      work.body_contacts.push_back(*contact);
      any = true;
    }
  }
  return any;
}

// The gap closes by w/(w + w_b) on the body's side and the rest on the solid's; what is felt (kg·m) is the
// same on both.
void project_body_contacts(const State& to, Work& work) {
  for (BodyContact& c : work.body_contacts) {
    const double all = inverse_mass_of(c, work) + c.inverse_mass;
    if (!(all > 0)) continue;
    Vec3& shift = work.body_shifts[c.body];
    // Seen from the solid the point moves by all of a correction, in truth by its share.
    Vec3 seen = point_of(c, work) - shift;
    const Vec3 before = seen;
    project_contact(c.plane, start_of(c, to), seen);
    const Vec3 felt = (seen - before) / all;
    for (std::size_t k = 0; k < 3; ++k) {
      Vec4& point = work.points[c.vertices[k]];
      point.head<3>() += c.weights[static_cast<Eigen::Index>(k)] * point.w() * felt;
    }
    shift -= c.inverse_mass * felt;
  }
}

Vec3 felt_by(const BodyContact& c, const Work& work) {
  const double stopping = c.overlaps ? std::min(1.0, c.way_in / c.plane.pressed) : 1;
  return stopping / (inverse_mass_of(c, work) + c.inverse_mass) *
         (c.plane.pressed * c.plane.normal - c.plane.rubbed);
}

void push_bodies(const Inputs& inputs, Interval interval, State& to, Work& work) {
  const double h = interval.dt();
  for (const BodyContact& c : work.body_contacts) {
    if (!(c.plane.pressed > 0)) continue;
    const Vec3 felt = felt_by(c, work);
    MovableSolid& body = *inputs.bodies[c.body];
    body.push(start_of(c, to), -felt / h, interval.t0());
  }
}

double body_step_limit(const Params& params, std::span<MovableSolid* const> bodies, const State& state) {
  constexpr double kShortest = 1e-4;  // s
  double limit = std::numeric_limits<double>::infinity();
  for (const MovableSolid* body : bodies) {
    const ports::BoundingBall way = body->way();
    const double reach = way.radius + params.contact_thickness;
    double fastest = 0;
    for (std::size_t i = 0; i < state.positions.size(); ++i)
      if ((state.positions[i] - way.center).squaredNorm() < reach * reach)
        fastest = std::max(fastest, (state.velocities[i] - body->velocity()).norm());
    if (fastest > 0) limit = std::min(limit, std::max(kShortest, 0.5 * body->size() / fastest));
  }
  return limit;
}

}  // namespace selkie::pbd
