// See body_contacts.h.
#include "selkie/solids/mass_spring/body_contacts.h"

#include <algorithm>
#include <limits>

#include "selkie/core/function_ref.h"
#include "selkie/core/profile.h"
#include "selkie/solids/mass_spring/contacts.h"

namespace selkie::mass_spring {
namespace {

using ports::MovableSolid;
using ports::SweptSample;

// Calls visit(vertex, what it met) for the vertices that end the step inside `body` or crossed it.
void each_touched(const Params& params, const MovableSolid& body, Interval interval, const State& from,
                  const Buffer<Vec3>& ends, FunctionRef<void(std::uint32_t, const SweptSample&)> visit) {
  const ports::BoundingBall bounds = body.bounds(interval.t0(), interval.t1());
  const double reach = bounds.radius + 2 * params.contact_thickness;
  for (std::uint32_t i = 0; i < ends.size(); ++i) {
    const Vec3 &x0 = from.positions[i], &x1 = ends[i];
    const double near = reach + (x1 - x0).norm();
    if ((x1 - bounds.center).squaredNorm() > near * near) continue;
    const SweptSample met = body.sweep(x0, interval.t0(), x1, interval.t1(), params.contact_thickness);
    if (met.distance < 0) visit(i, met);
  }
}

// N·s that the piece of a contact gave its vertex in the last solve.
Vec3 piece_impulse(const BodyContact& c, const State& to) {
  const double mass = c.share * c.effective_mass;
  const Vec3 missing = c.velocity - to.velocities[c.vertex];
  return c.slides ? Vec3(mass * missing.dot(c.normal) * c.normal) : Vec3(mass * missing);
}

// Half of each solid is shared out evenly among its contacts, half according to what they carried in the
// trial: few vertices may carry it all. Empty: the trial itself, evenly.
void share_out(const Inputs& inputs, const std::vector<double>& carried, Work& work) {
  work.contacts_of_body.assign(inputs.bodies.size(), 0);
  work.pressed_on_body.assign(inputs.bodies.size(), 0);
  for (std::size_t k = 0; k < work.body_contacts.size(); ++k) {
    const BodyContact& c = work.body_contacts[k];
    if (c.open) continue;
    ++work.contacts_of_body[c.body];
    if (!carried.empty()) work.pressed_on_body[c.body] += carried[k];
  }
  for (std::size_t k = 0; k < work.body_contacts.size(); ++k) {
    BodyContact& c = work.body_contacts[k];
    if (c.open) continue;
    const double even = 1.0 / work.contacts_of_body[c.body], sum = work.pressed_on_body[c.body];
    c.share = sum > 0 ? 0.5 * even + 0.5 * carried[k] / sum : even;
  }
}

void sum_stiffness(const Model& model, const Params& params, Buffer<double>& stiffness) {
  stiffness.assign(model.vertex_count, 0);
  for (std::size_t s = 0; s < model.spring_count(); ++s)
    for (const std::uint32_t i : model.springs[s])
      stiffness[i] += params.stiffness * model.relative_stiffness[s];
}

}  // namespace

void find_body_contacts(const Params& params, const Inputs& inputs, Interval interval, const State& from,
                        const State& to, Work& work) {
  const double dt = interval.dt(), fall = dt * inputs.gravity.norm();
  work.body_contacts.clear();
  for (std::uint32_t b = 0; b < inputs.bodies.size(); ++b) {
    const MovableSolid& body = *inputs.bodies[b];
    each_touched(params, body, interval, from, to.positions, [&](std::uint32_t i, const SweptSample& met) {
      const Vec3 point = to.positions[i] - met.distance * met.normal;
      BodyContact c;
      c.vertex = i;
      c.body = b;
      c.normal = met.normal;
      c.velocity = met.velocity - std::max(0.0, met.start_distance) / dt * met.normal;
      c.effective_mass = 1 / body.inverse_mass(point, met.normal, interval.t1());
      const Vec3 relative = from.velocities[i] - met.velocity;
      const Vec3 along = relative - relative.dot(met.normal) * met.normal;
      if (const double speed = along.norm(); speed > 2 * fall) {
        c.slip = along / speed;
        c.slides = true;
      }
      work.body_contacts.push_back(c);
    });
  }
  share_out(inputs, {}, work);
}

void attach_bodies(Work& work) {
  work.attached.clear();
  for (const BodyContact& c : work.body_contacts) {
    if (c.open) continue;
    const double mass = c.share * c.effective_mass;
    const Mat3 block =
        c.slides ? Mat3(mass * c.normal * c.normal.transpose()) : Mat3(mass * Mat3::Identity());
    work.attached.push_back({c.vertex, block, c.velocity});
  }
}

void sort_body_contacts(const Inputs& inputs, double dt, const State& to, Work& work) {
  std::vector<double> carried(work.body_contacts.size(), 0);
  for (std::size_t k = 0; k < work.body_contacts.size(); ++k) {
    BodyContact& c = work.body_contacts[k];
    const Vec3 impulse = piece_impulse(c, to);
    const double pressed = impulse.dot(c.normal), limit = inputs.bodies[c.body]->friction * pressed;
    const Vec3 along = impulse - pressed * c.normal;
    c.open = !(pressed > 0);
    if (c.open) continue;
    carried[k] = pressed;
    if (!c.slides && along.norm() <= limit) continue;
    c.friction_impulse = limit * (c.slides ? Vec3(-c.slip) : Vec3(along.normalized()));
    c.slides = true;
    work.contact_loads[c.vertex] += c.friction_impulse / dt;
  }
  share_out(inputs, carried, work);
}

void push_bodies(const Inputs& inputs, Interval interval, const State& to, Work& work) {
  for (const BodyContact& c : work.body_contacts) {
    if (c.open) continue;
    const Vec3 given = piece_impulse(c, to) + c.friction_impulse;
    inputs.bodies[c.body]->push(to.positions[c.vertex], -given, interval.t0());
  }
}

int bounce_off_bodies(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                      const State& from, State& to, const Work& work) {
  int touched = 0;
  for (MovableSolid* body : inputs.bodies)
    each_touched(params, *body, interval, from, to.positions, [&](std::uint32_t i, const SweptSample& met) {
      ++touched;
      const double w = work.kinematic[i] != 0 ? 0 : model.inverse_masses[i];
      const Vec3 point = to.positions[i] - met.distance * met.normal;
      // The solid may have been pushed since by another vertex: ask again for its velocity.
      const Vec3 relative = to.velocities[i] - body->sample(point, interval.t1()).velocity;
      const double approach = -relative.dot(met.normal);
      if (approach > 0) {
        const double pressed = approach / (w + body->inverse_mass(point, met.normal, interval.t1()));
        Vec3 impulse = pressed * met.normal;
        const Vec3 slip = relative + approach * met.normal;
        if (const double speed = slip.norm(); speed > 0) {
          const double stops = speed / (w + body->inverse_mass(point, slip / speed, interval.t1()));
          impulse -= std::min(body->friction * pressed, stops) / speed * slip;
        }
        to.velocities[i] += w * impulse;
        body->push(point, -impulse, interval.t1());
      }
    });
  return touched;
}

int leave_bodies(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                 const State& from, State& to, Work& work) {
  const double dt = interval.dt();
  int touched = 0;
  for (MovableSolid* body : inputs.bodies)
    each_touched(params, *body, interval, from, to.positions, [&](std::uint32_t i, const SweptSample& met) {
      if (touched++ == 0) sum_stiffness(model, params, work.vertex_stiffness);
      const double w =
          work.kinematic[i] != 0 ? 0 : 1 / (model.masses[i] + dt * dt * work.vertex_stiffness[i]);
      const double w_body = body->inverse_mass(to.positions[i], met.normal, interval.t1());
      const double deeper = met.start_distance - met.distance;  // than at the start of the step
      const double way = std::min(-met.distance, std::max(0.0, deeper) + kWayOut * dt);
      to.positions[i] += w / (w + w_body) * way * met.normal;
      body->shift(-w_body / (w + w_body) * way * met.normal, interval.t1());
    });
  return touched;
}

double body_step_limit(const Params& params, std::span<ports::MovableSolid* const> bodies,
                       const State& state) {
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

}  // namespace selkie::mass_spring
