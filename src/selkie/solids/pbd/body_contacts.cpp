// See body_contacts.h.
#include "selkie/solids/pbd/body_contacts.h"

#include <algorithm>
#include <limits>

#include "selkie/ports/vertex_contact.h"
#include "selkie/solids/pbd/contacts.h"

namespace selkie::pbd {
namespace {

// Share of an edge that a vertex may be inside and still count as touching: what rests on a solid is found a
// little inside it.
constexpr double kDeep = 0.02;

using ports::MovableSolid;
using ports::SweptSample;

// A point of the body: a vertex, or the middle of a triangle.
struct Sample {
  std::array<std::uint32_t, 3> vertices;
  Vec3 weights;

  template <class At>
  Vec3 mean(At&& at) const {
    return weights[0] * at(vertices[0]) + weights[1] * at(vertices[1]) + weights[2] * at(vertices[2]);
  }
};

// Calls visit(sample) for each vertex and triangle.
template <class Visit>
void each_sample(const Model& model, Visit&& visit) {
  for (std::uint32_t i = 0; i < model.vertex_count; ++i) visit(Sample{{i, i, i}, Vec3::UnitX()});
  for (const geometry::Triangle& t : model.triangles) visit(Sample{t, Vec3::Constant(1.0 / 3)});
}

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

}  // namespace

void find_body_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                        const State& to, Work& work) {
  work.body_contacts.clear();
  work.body_shifts.assign(inputs.bodies.size(), Vec3::Zero());
  const double h = interval.dt(), t0 = interval.t0(), t1 = interval.t1(), near = 0.25 * model.mean_edge;
  for (std::uint32_t b = 0; b < inputs.bodies.size(); ++b) {
    const MovableSolid& body = *inputs.bodies[b];
    const ports::BoundingBall bounds = body.bounds(t0, t1);
    each_sample(model, [&](const Sample& sample) {
      BodyContact c;
      c.vertices = sample.vertices;
      c.weights = sample.weights;
      const Vec3 x = start_of(c, to), p = point_of(c, work);
      const double reach = bounds.radius + 2 * params.contact_thickness + near + (p - x).norm();
      if ((p - bounds.center).squaredNorm() > reach * reach) return;
      const SweptSample met = body.sweep(x, t0, p, t1, params.contact_thickness);
      if (!(met.distance < near)) return;
      c.body = b;
      c.plane.normal = met.normal;
      c.plane.carried = h * met.velocity;
      c.plane.friction = body.friction;
      c.plane.was_inside = met.start_distance < -kDeep * model.mean_edge;
      const double slow = c.plane.was_inside ? std::max(0.0, -met.start_distance - ports::kWayOut * h) : 0;
      c.plane.offset = met.normal.dot(p) - met.distance - slow;
      c.plane.rubbed.setZero();
      c.inverse_mass = body.inverse_mass(p - met.distance * met.normal, met.normal, t1);
      work.body_contacts.push_back(c);
    });
  }
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

void push_bodies(const Inputs& inputs, Interval interval, State& to, Work& work) {
  const double h = interval.dt();
  for (const BodyContact& c : work.body_contacts) {
    if (!(c.plane.pressed > 0)) continue;
    const Vec3 felt =
        (c.plane.pressed * c.plane.normal - c.plane.rubbed) / (inverse_mass_of(c, work) + c.inverse_mass);
    MovableSolid& body = *inputs.bodies[c.body];
    if (!c.plane.was_inside) {
      body.push(start_of(c, to), -felt / h, interval.t0());
      continue;
    }
    // Overlap is undone without giving velocity to either.
    body.shift(-c.inverse_mass * felt, interval.t1());
    for (std::size_t k = 0; k < 3; ++k)
      to.velocities[c.vertices[k]] -=
          c.weights[static_cast<Eigen::Index>(k)] * work.points[c.vertices[k]].w() / h * felt;
  }
}

double body_step_limit(const Params& params, std::span<MovableSolid* const> bodies, const State& state) {
  constexpr double kShortest = 1e-3;  // s
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
