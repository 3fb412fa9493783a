// See contacts.h.
#include "selkie/solids/shape_matching/contacts.h"

#include <algorithm>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/ports/vertex_contact.h"

namespace selkie::shape_matching {
namespace {

using ports::ContactLaw;
using ports::ContactMotion;
using ports::FieldSample;
using ports::MovableSolid;
using ports::SweptSample;

constexpr std::size_t kBlock = 256;  // vertices per block of a loop
constexpr std::size_t kOwnBits = 31;

std::uint32_t bit_of(std::size_t collider) { return 1u << std::min(collider, kOwnBits); }

// Height that counts as touching: round-off leaves a resting vertex a little above the surface.
double touch_height(const Inputs& inputs, double dt) { return 1e-3 * dt * dt * inputs.gravity.norm(); }

// Calls meet(collider, what vertex i on its way to `end` meets, depth at the start) for each collider it
// touches.
template <class Meet>
bool each_met(const Model& model, const Inputs& inputs, Interval interval, std::size_t i, const Vec3& start,
              const Vec3& end, const Work& work, Meet&& meet) {
  const std::uint32_t body = model.body_of_vertex[i];
  const double thickness = model.radii[body];
  const double reach = thickness + touch_height(inputs, interval.dt());
  bool touches = false;
  for (std::size_t k = 0; k < inputs.colliders.size(); ++k) {
    if ((work.near_colliders[body] & bit_of(k)) == 0) continue;
    const FieldSample met =
        ports::sample_collider(inputs.colliders, k, {start, end, interval}, thickness, reach);
    if (!(met.distance <= reach)) continue;
    touches = true;
    meet(*inputs.colliders[k], met, ports::start_depth(met, start, end, interval.dt(), thickness));
  }
  return touches;
}

// Calls visit(vertex, what it met) for the vertices that end the step inside a solid or crossed it.
template <class Visit>
void each_touched(const Model& model, const MovableSolid& solid, Interval interval, const State& from,
                  const State& to, Visit&& visit) {
  const ports::BoundingBall bounds = solid.bounds(interval.t0(), interval.t1());
  for (std::uint32_t i = 0; i < model.vertex_count; ++i) {
    const double thickness = model.radii[model.body_of_vertex[i]];
    const Vec3 &x0 = from.positions[i], &x1 = to.positions[i];
    const double near = bounds.radius + 2 * thickness + (x1 - x0).norm();
    if ((x1 - bounds.center).squaredNorm() > near * near) continue;
    const SweptSample met = solid.sweep(x0, interval.t0(), x1, interval.t1(), thickness);
    if (met.distance < 0) visit(i, met);
  }
}

// N·s on a vertex of inverse mass w: approach stopped, slip slowed by friction.
Vec3 stopping_impulse(const MovableSolid& solid, const SweptSample& met, const Vec3& point, double time,
                      const Vec3& velocity, double w) {
  // The solid may have been pushed since by another vertex: ask again for its velocity.
  const Vec3 relative = velocity - solid.sample(point, time).velocity;
  const double approach = -relative.dot(met.normal);
  if (!(approach > 0)) return Vec3::Zero();
  const double pressed = approach / (w + solid.inverse_mass(point, met.normal, time));
  Vec3 impulse = pressed * met.normal;
  const Vec3 slip = relative + approach * met.normal;
  if (const double speed = slip.norm(); speed > 0) {
    const double stops = speed / (w + solid.inverse_mass(point, slip / speed, time));
    impulse -= std::min(solid.friction * pressed, stops) / speed * slip;
  }
  return impulse;
}

}  // namespace

void find_near_colliders(const Model& model, const Inputs& inputs, Interval interval, Work& work) {
  work.near_colliders.assign(model.body_count(), 0);
  parallel_for(
      model.body_count(),
      [&](std::size_t b) {
        // Rounds of the step may move a vertex on by about what the body is large.
        const double reach = 2 * work.bounds[b].radius + 2 * model.radii[b];
        for (std::size_t k = 0; k < inputs.colliders.size(); ++k)
          if (!(inputs.colliders[k]->sample(work.bounds[b].centre, interval.t1()).distance > reach))
            work.near_colliders[b] |= bit_of(k);
      },
      16);
}

void keep_out_of_colliders(const Model& model, const Inputs& inputs, Interval interval, const State& from,
                           Work& work) {
  if (inputs.colliders.empty()) return;
  const ProfileZone zone("shape_matching.colliders");
  parallel_for(
      model.vertex_count,
      [&](std::size_t i) {
        if (work.kinematic[i] != 0 || work.near_colliders[model.body_of_vertex[i]] == 0) return;
        const Vec3& start = from.positions[i];
        Vec3& p = work.predicted[i];
        each_met(model, inputs, interval, i, start, p, work,
                 [&](const ports::FieldSampler& collider, const FieldSample& met, double depth) {
                   const ContactLaw law{collider.friction, 0,
                                        model.radii[model.body_of_vertex[i]] -
                                            std::max(0.0, depth - kRestingSpeed * interval.dt()),
                                        0};
                   p = ports::resolve_contact(met, law, interval.dt(), start, {p, Vec3::Zero()}).position;
                 });
      },
      kBlock);
}

int settle_on_colliders(const Model& model, const Inputs& inputs, Interval interval, const State& from,
                        State& to, const Work& work) {
  if (inputs.colliders.empty()) return 0;
  const ProfileZone zone("shape_matching.colliders");
  const double dt = interval.dt(), fall = dt * inputs.gravity.norm();
  const double touched = sum_blocks(
      model.vertex_count,
      [&](std::size_t begin, std::size_t end) {
        double count = 0;
        for (std::size_t i = begin; i < end; ++i) {
          if (work.kinematic[i] != 0 || work.near_colliders[model.body_of_vertex[i]] == 0) continue;
          const Vec3& start = from.positions[i];
          ContactMotion motion{to.positions[i], to.velocities[i]};
          const bool touches =
              each_met(model, inputs, interval, i, start, motion.position, work,
                       [&](const ports::FieldSampler& collider, const FieldSample& met, double depth) {
                         const double radius = model.radii[model.body_of_vertex[i]];
                         const double left = std::max(0.0, depth - ports::kWayOut * dt);
                         motion = ports::resolve_contact(met, {collider.friction, 0, radius - left, 0}, dt,
                                                         start, motion);
                         // The rounds have stopped it already: its speed before them decides how it rebounds.
                         const double approach = -(from.velocities[i] - met.velocity).dot(met.normal);
                         if (collider.restitution > 0 && approach > 2 * fall)
                           motion.velocity += collider.restitution * approach * met.normal;
                       });
          to.positions[i] = motion.position;
          to.velocities[i] = motion.velocity;
          count += touches ? 1 : 0;
        }
        return count;
      },
      kBlock);
  return static_cast<int>(touched);
}

int push_solids(const Model& model, const Inputs& inputs, Interval interval, const State& from, State& to,
                const Work& work) {
  const double dt = interval.dt(), time = interval.t1();
  int touched = 0;
  for (MovableSolid* solid : inputs.bodies) {
    each_touched(model, *solid, interval, from, to, [&](std::uint32_t i, const SweptSample& met) {
      ++touched;
      const double w = work.kinematic[i] != 0 ? 0 : model.inverse_masses[i];
      const Vec3 point = to.positions[i] - met.distance * met.normal;
      const Vec3 impulse = stopping_impulse(*solid, met, point, time, to.velocities[i], w);
      to.velocities[i] += w * impulse;
      solid->push(point, -impulse, time);
    });
    each_touched(model, *solid, interval, from, to, [&](std::uint32_t i, const SweptSample& met) {
      const double w = work.kinematic[i] != 0 ? 0 : model.inverse_masses[i];
      const double w_solid = solid->inverse_mass(to.positions[i], met.normal, time);
      const double deeper =
          std::max(0.0, met.start_distance - met.distance);  // than at the start of the step
      const double way = std::min(-met.distance, deeper + ports::kWayOut * dt);
      to.positions[i] += w / (w + w_solid) * way * met.normal;
      solid->shift(-w_solid / (w + w_solid) * way * met.normal, time);
    });
  }
  return touched;
}

double body_step_limit(const Model& model, std::span<MovableSolid* const> bodies, const State& state) {
  constexpr double kShortest = 1e-3;  // s
  double limit = std::numeric_limits<double>::infinity();
  for (const MovableSolid* body : bodies) {
    const ports::BoundingBall way = body->way();
    double fastest = 0;
    for (std::size_t i = 0; i < state.positions.size(); ++i) {
      const double reach = way.radius + model.radii[model.body_of_vertex[i]];
      if ((state.positions[i] - way.center).squaredNorm() < reach * reach)
        fastest = std::max(fastest, (state.velocities[i] - body->velocity()).norm());
    }
    if (fastest > 0) limit = std::min(limit, std::max(kShortest, 0.5 * body->size() / fastest));
  }
  return limit;
}

}  // namespace selkie::shape_matching
