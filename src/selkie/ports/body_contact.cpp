// See body_contact.h.
#include "selkie/ports/body_contact.h"

#include <algorithm>
#include <limits>

#include "selkie/ports/vertex_contact.h"

namespace selkie::ports {
namespace {

// Share of an overlap that goes in a step where bodies part by velocity: more would throw them.
constexpr double kPartedPerStep = 0.2;

// Calls visit(vertex, what it met) for the vertices that end the step inside `body` or crossed it.
void each_touched(const MovableSolid& body, const VertexPaths& paths,
                  FunctionRef<void(std::uint32_t, const SweptSample&)> visit) {
  const double t0 = paths.interval.t0(), t1 = paths.interval.t1();
  const BoundingBall bounds = body.bounds(t0, t1);
  const double reach = bounds.radius + 2 * paths.thickness;
  for (std::uint32_t i = 0; i < paths.end.size(); ++i) {
    const Vec3 &x0 = paths.start[i], &x1 = paths.end[i];
    const double near = reach + (x1 - x0).norm();
    if ((x1 - bounds.center).squaredNorm() > near * near) continue;
    const SweptSample met = body.sweep(x0, t0, x1, t1, paths.thickness);
    if (met.distance < 0) visit(i, met);
  }
}

// N·s that the piece of a contact gave its vertex in the last solve.
Vec3 piece_impulse(const BodyContact& c, std::span<const Vec3> velocities) {
  const double mass = c.share * c.effective_mass;
  const Vec3 missing = c.velocity - velocities[c.vertex];
  return c.slides ? Vec3(mass * missing.dot(c.normal) * c.normal) : Vec3(mass * missing);
}

// Half of each solid is shared out evenly among its contacts, half according to what they carried in the
// trial: few vertices may carry it all. Empty: the trial itself, evenly.
void share_out(std::size_t body_count, std::span<const double> carried, BodyContacts& found) {
  found.count.assign(body_count, 0);
  found.pressed.assign(body_count, 0);
  for (std::size_t k = 0; k < found.contacts.size(); ++k) {
    const BodyContact& c = found.contacts[k];
    if (c.open) continue;
    ++found.count[c.body];
    if (!carried.empty()) found.pressed[c.body] += carried[k];
  }
  for (std::size_t k = 0; k < found.contacts.size(); ++k) {
    BodyContact& c = found.contacts[k];
    if (c.open) continue;
    const double even = 1.0 / found.count[c.body], sum = found.pressed[c.body];
    c.share = sum > 0 ? 0.5 * even + 0.5 * carried[k] / sum : even;
  }
}

}  // namespace

void poison(BodyContacts& contacts) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Vec3 nowhere = Vec3::Constant(kNan);
  for (BodyContact& contact : contacts.contacts) contact.normal = contact.velocity = nowhere;
  for (AttachedMass& piece : contacts.attached) piece.velocity = nowhere;
  std::fill(contacts.pressed.begin(), contacts.pressed.end(), kNan);
  std::fill(contacts.carried.begin(), contacts.carried.end(), kNan);
}

void find_body_contacts(MovableSolids bodies, const VertexPaths& paths, double slowest_slip,
                        BodyContacts& found) {
  const double dt = paths.interval.dt();
  found.contacts.clear();
  for (std::uint32_t b = 0; b < bodies.size(); ++b) {
    const MovableSolid& body = *bodies[b];
    each_touched(body, paths, [&](std::uint32_t i, const SweptSample& met) {
      const Vec3 point = paths.end[i] - met.distance * met.normal;
      BodyContact c;
      c.vertex = i;
      c.body = b;
      c.normal = met.normal;
      const double gap =
          body.parts_by_velocity && met.start_distance < 0
              ? std::max(kPartedPerStep * met.start_distance, -kWayOut * dt)
              : std::max(0.0, met.start_distance);
      c.velocity = met.velocity - gap / dt * met.normal;
      c.effective_mass = 1 / body.inverse_mass(point, met.normal, paths.interval.t1());
      const Vec3 relative = paths.start_velocities[i] - met.velocity;
      const Vec3 along = relative - relative.dot(met.normal) * met.normal;
      if (const double speed = along.norm(); speed > slowest_slip) {
        c.slip = along / speed;
        c.slides = true;
      }
      found.contacts.push_back(c);
    });
  }
  share_out(bodies.size(), {}, found);
}

void attach_bodies(BodyContacts& found) {
  found.attached.clear();
  for (const BodyContact& c : found.contacts) {
    if (c.open) continue;
    const double mass = c.share * c.effective_mass;
    const Mat3 block =
        c.slides ? Mat3(mass * c.normal * c.normal.transpose()) : Mat3(mass * Mat3::Identity());
    found.attached.push_back({c.vertex, block, c.velocity});
  }
}

void sort_body_contacts(MovableSolids bodies, std::span<const Vec3> velocities, BodyContacts& found) {
  found.carried.assign(found.contacts.size(), 0);
  for (std::size_t k = 0; k < found.contacts.size(); ++k) {
    BodyContact& c = found.contacts[k];
    const Vec3 impulse = piece_impulse(c, velocities);
    const double pressed = impulse.dot(c.normal), limit = bodies[c.body]->friction * pressed;
    const Vec3 along = impulse - pressed * c.normal;
    c.open = !(pressed > 0);
    if (c.open) continue;
    found.carried[k] = pressed;
    if (!c.slides && along.norm() <= limit) continue;
    c.friction_impulse = limit * (c.slides ? Vec3(-c.slip) : Vec3(along.normalized()));
    c.slides = true;
  }
  share_out(bodies.size(), found.carried, found);
}

void push_bodies(MovableSolids bodies, Interval interval, std::span<const Vec3> positions,
                 std::span<const Vec3> velocities, const BodyContacts& found) {
  for (const BodyContact& c : found.contacts) {
    if (c.open) continue;
    const Vec3 given = piece_impulse(c, velocities) + c.friction_impulse;
    bodies[c.body]->push(positions[c.vertex], -given, interval.t0());
  }
}

int bounce_off_bodies(MovableSolids bodies, const VertexPaths& paths, InverseMass inverse_mass,
                      std::span<Vec3> velocities) {
  int touched = 0;
  const double t1 = paths.interval.t1();
  for (MovableSolid* body : bodies)
    each_touched(*body, paths, [&](std::uint32_t i, const SweptSample& met) {
      ++touched;
      const double w = inverse_mass(i);
      const Vec3 point = paths.end[i] - met.distance * met.normal;
      // The solid may have been pushed since by another vertex: ask again for its velocity.
      const Vec3 relative = velocities[i] - body->sample(point, t1).velocity;
      const double approach = -relative.dot(met.normal);
      if (approach > 0) {
        const double pressed = approach / (w + body->inverse_mass(point, met.normal, t1));
        Vec3 impulse = pressed * met.normal;
        const Vec3 slip = relative + approach * met.normal;
        if (const double speed = slip.norm(); speed > 0) {
          const double stops = speed / (w + body->inverse_mass(point, slip / speed, t1));
          impulse -= std::min(body->friction * pressed, stops) / speed * slip;
        }
        velocities[i] += w * impulse;
        body->push(point, -impulse, t1);
      }
    });
  return touched;
}

int leave_bodies(MovableSolids bodies, const VertexPaths& paths, InverseMass inverse_mass,
                 std::span<Vec3> positions) {
  const double dt = paths.interval.dt(), t1 = paths.interval.t1();
  int touched = 0;
  for (MovableSolid* body : bodies)
    each_touched(*body, paths, [&](std::uint32_t i, const SweptSample& met) {
      ++touched;
      if (body->parts_by_velocity) return;
      const double w = inverse_mass(i);
      const double w_body = body->inverse_mass(positions[i], met.normal, t1);
      const double deeper = met.start_distance - met.distance;  // than at the start of the step
      const double way = std::min(-met.distance, std::max(0.0, deeper) + kWayOut * dt);
      positions[i] += w / (w + w_body) * way * met.normal;
      body->shift(-w_body / (w + w_body) * way * met.normal, t1);
    });
  return touched;
}

double body_step_limit(MovableSolids bodies, double thickness, std::span<const Vec3> positions,
                       std::span<const Vec3> velocities) {
  constexpr double kShortest = 1e-3;  // s
  double limit = std::numeric_limits<double>::infinity();
  for (const MovableSolid* body : bodies) {
    const BoundingBall way = body->way();
    const double reach = way.radius + thickness;
    double fastest = 0;
    for (std::size_t i = 0; i < positions.size(); ++i)
      if ((positions[i] - way.center).squaredNorm() < reach * reach)
        fastest = std::max(fastest, (velocities[i] - body->velocity()).norm());
    if (fastest > 0) limit = std::min(limit, std::max(kShortest, 0.5 * body->size() / fastest));
  }
  return limit;
}

}  // namespace selkie::ports
