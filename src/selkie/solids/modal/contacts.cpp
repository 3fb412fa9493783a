// Finding contacts; see contacts.h.
#include "selkie/solids/modal/contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "selkie/math/rotation.h"
#include "selkie/ports/vertex_contact.h"
#include "selkie/solids/modal/detail/body.h"

namespace selkie::modal {
namespace {

using detail::Body;
using lanes::all;
using lanes::Lanes;
using lanes::load;
using lanes::Mask;

// A vertex that rests is found up to round-off above the surface; gravity covers this in a thirtieth of a
// step.
double touching(const Params& params, const Inputs& inputs, double h) {
  return params.contact_thickness + 1e-3 * h * h * inputs.gravity.norm();
}

// What could come to touch when an impact turns the body within the step.
double margin_of(const Model& model, const Params& params, const Inputs& inputs, double h,
                 const FreeMotion& free) {
  return touching(params, inputs, h) + h * (free.velocity.norm() + free.spin.norm() * model.radius);
}

// False: no vertex touches.
bool find_near(const Body& b, const ports::FieldSampler& collider, double margin) {
  bool touches = false;
  b.work.near.clear();
  const double time = b.interval.t1(), touch = touching(b.params, b.inputs, b.h);
  for (std::uint32_t i = 0; i < b.model.vertex_count; ++i) {
    const double distance = collider.sample(b.work.surface[i], time).distance;
    if (!(distance <= margin)) continue;
    touches = touches || distance <= touch;
    b.work.near.push_back({i, distance});
  }
  return touches;
}

// Of the near vertices the deepest of each patch, which carry the body, and the outermost in fourteen
// directions of the body frame, on which it tips; what is still far from the collider counts less.
constexpr std::size_t kMostChosen = 2 * kTipAxes + kPatches;
using Chosen = std::array<std::uint32_t, kMostChosen>;
std::size_t choose(const Body& b, Chosen& chosen) {
  constexpr double kFar = 4, kNothing = -std::numeric_limits<double>::max();
  Lanes forth = all(kNothing), back = forth;
  Mask forth_best{}, back_best{};
  std::array<double, kPatches> depth;
  std::array<std::uint32_t, kPatches> deepest{};
  depth.fill(kNothing);
  for (const NearVertex& near : b.work.near) {
    const Lanes along = load(b.model.extents.data() + near.vertex * kLanes);
    const Lanes far = all(kFar * std::max(0.0, near.distance)), ahead = along - far, behind = -along - far;
    const Mask vertex = Mask{} + std::int64_t{near.vertex};
    forth_best = ahead > forth ? vertex : forth_best, forth = lanes::larger(ahead, forth);
    back_best = behind > back ? vertex : back_best, back = lanes::larger(behind, back);
    const std::size_t patch = b.model.patch[near.vertex];
    if (-near.distance > depth[patch]) depth[patch] = -near.distance, deepest[patch] = near.vertex;
  }
  std::size_t count = 0;
  auto take = [&](std::uint32_t vertex) {
    if (std::find(chosen.begin(), chosen.begin() + count, vertex) == chosen.begin() + count)
      chosen[count++] = vertex;
  };
  for (int a = 0; a < static_cast<int>(kTipAxes); ++a) {
    take(static_cast<std::uint32_t>(forth_best[a]));
    take(static_cast<std::uint32_t>(back_best[a]));
  }
  for (std::size_t p = 0; p < kPatches; ++p)
    if (depth[p] > kNothing) take(deepest[p]);
  return count;
}

// Where a vertex begins and ends its free motion.
struct FreePath {
  Vec3 start, end;
};
FreePath path_of(const Body& b, std::uint32_t vertex) {
  return {b.from.positions[b.index] +
              b.start_rotation * detail::local_position(b.model, b.work.start_q.data(), vertex),
          b.work.surface[vertex]};
}

Vec3 middle_arm(const Body& b, const FreePath& path) {
  return 0.5 * ((path.start - b.from.positions[b.index]) + (path.end - b.free.position));
}

// Fills what a contact is about from what the vertex met; `gap` (m) is what was between them at the start.
Contact& begin_contact(const Body& b, std::uint32_t vertex, const FreePath& path,
                       const ports::FieldSample& met, double gap, const ports::FieldSampler& solid) {
  Contact& c = b.work.contacts.emplace_back();
  c.vertex = vertex;
  c.axes.col(0) = met.normal;
  c.axes.col(1) = any_perpendicular(met.normal);
  c.axes.col(2) = met.normal.cross(c.axes.col(1));
  c.arm = middle_arm(b, path);
  c.velocity = c.axes.transpose() * ((path.end - path.start) / b.h - met.velocity);
  c.carried = c.axes.transpose() * met.velocity;
  c.friction = solid.friction;
  const double approach = -c.velocity.x();
  if (approach > 2 * b.h * b.inputs.gravity.norm() && approach * b.h >= gap) c.bounce = solid.restitution;
  // What bounces is stopped at once, so that its whole momentum counts; all else may come as far as the
  // surface.
  if (!(c.bounce > 0)) c.target.x() = -std::max(0.0, gap) / b.h;
  // A little overlap is kept, so that resting contacts do not come and go; the rest is undone by and by.
  const double slop = std::min(5e-4, 0.005 * b.model.radius);
  c.push_target = std::min(b.params.push_out_speed, 0.2 * std::max(0.0, -gap - slop) / b.h);
  return c;
}

void add_contact(const Body& b, std::size_t collider, std::uint32_t vertex, double margin) {
  const FreePath path = path_of(b, vertex);
  const ports::FieldSample met = ports::sample_collider(
      b.inputs.colliders, collider, {path.start, path.end, b.interval}, b.params.contact_thickness, margin);
  const double gap = -ports::start_depth(met, path.start, path.end, b.h, b.params.contact_thickness);
  begin_contact(b, vertex, path, met, gap, *b.inputs.colliders[collider]);
  detail::finish_contact(b);
}

// The vertices that come into a solid on their way, those chosen among them, and their pieces of it.
void add_solid_contacts(const Body& b, std::size_t which) {
  const ports::MovableSolid& solid = *b.inputs.solids[which];
  const double t0 = b.interval.t0(), t1 = b.interval.t1(), thickness = b.params.contact_thickness;
  const ports::BoundingBall bounds = solid.bounds(t0, t1);
  b.work.near.clear();
  for (std::uint32_t i = 0; i < b.model.vertex_count; ++i) {
    const FreePath path = path_of(b, i);
    const double reach = bounds.radius + 2 * thickness + (path.end - path.start).norm();
    if ((path.end - bounds.center).squaredNorm() > reach * reach) continue;
    const double distance = solid.sweep(path.start, t0, path.end, t1, thickness).distance;
    if (distance <= 0) b.work.near.push_back({i, distance});
  }
  if (b.work.near.empty()) return;
  Chosen chosen;
  const std::size_t count = choose(b, chosen);
  for (std::size_t n = 0; n < count; ++n) {
    const FreePath path = path_of(b, chosen[n]);
    const ports::SweptSample met = solid.sweep(path.start, t0, path.end, t1, thickness);
    Contact& c = begin_contact(b, chosen[n], path, met, met.start_distance, solid);
    c.solid = static_cast<std::int32_t>(which);
    c.point = path.end - met.distance * met.normal;
    for (int a = 0; a < 3; ++a)
      c.yielding[a] = static_cast<double>(count) * solid.inverse_mass(c.point, c.axes.col(a), t1);
    detail::finish_contact(b);
  }
}

bool may_touch(const ports::MovableSolid& solid, const FreeMotion& free, double reach) {
  const ports::BoundingBall way = solid.way();
  return (way.center - free.position).norm() <= way.radius + reach;
}

// The held point follows its target with a lag and a capped speed: kinematic, hence the same for any mass,
// and it cannot overshoot (RT-48).
void add_hold(const Body& b) {
  constexpr double kLag = 0.03;  // s
  const HeldPoint held = held_point(b.model, b.from);
  FreePath path{Vec3::Zero(), Vec3::Zero()};
  const std::size_t numbers = 3 * b.model.padded_modes;
  b.work.hold_modes.assign(numbers, 0);
  for (std::size_t k = 0; k < 3; ++k) {
    const double weight = held.weights[static_cast<Eigen::Index>(k)];
    const FreePath corner = path_of(b, held.corners[k]);
    path.start += weight * corner.start, path.end += weight * corner.end;
    const double* phi = b.model.vertex_modes.data() + held.corners[k] * numbers;
    for (std::size_t n = 0; n < numbers; ++n) b.work.hold_modes[n] += weight * phi[n];
  }
  Vec3 wanted = (b.from.grab_target - path.start) / (b.h + kLag);
  if (const double speed = wanted.norm(); speed > b.params.grab_speed) wanted *= b.params.grab_speed / speed;
  Contact& c = b.work.contacts.emplace_back();
  c.held = true;
  c.arm = middle_arm(b, path);
  c.velocity = (path.end - path.start) / b.h;
  c.target = wanted;
  detail::finish_contact(b);
}

double reach_of(const Model& model, const BodyWork& work) {
  double reach = model.radius;
  for (std::size_t k = 0; k < model.mode_count; ++k) reach += model.reach[k] * std::abs(work.free_q[k]);
  return reach;
}

}  // namespace

bool near_a_collider(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                     const FreeMotion& free, const BodyWork& work) {
  const double reach = reach_of(model, work) + margin_of(model, params, inputs, interval.dt(), free);
  return std::any_of(inputs.colliders.begin(), inputs.colliders.end(),
                     [&](const auto* collider) {
                       return !(collider->sample(free.position, interval.t1()).distance > reach);
                     }) ||
         std::any_of(inputs.solids.begin(), inputs.solids.end(),
                     [&](const auto* solid) { return may_touch(*solid, free, reach); });
}

void detail::find_contacts(const Body& b) {
  if (static_cast<std::int64_t>(b.index) == b.from.grabbed_body) add_hold(b);
  const double margin = margin_of(b.model, b.params, b.inputs, b.h, b.free),
               reach = reach_of(b.model, b.work) + margin;
  for (std::size_t k = 0; k < b.inputs.colliders.size(); ++k) {
    if (b.inputs.colliders[k]->sample(b.free.position, b.interval.t1()).distance > reach) continue;
    if (!find_near(b, *b.inputs.colliders[k], margin)) continue;
    Chosen chosen;
    const std::size_t count = choose(b, chosen);
    for (std::size_t n = 0; n < count; ++n) add_contact(b, k, chosen[n], margin);
  }
  for (std::size_t k = 0; k < b.inputs.solids.size(); ++k)
    if (may_touch(*b.inputs.solids[k], b.free, reach)) add_solid_contacts(b, k);
}

}  // namespace selkie::modal
