// See contacts.h. Paths are followed by conservative advancement: a distance can always be travelled safely.
#include "selkie/solids/rigid/contacts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "selkie/core/profile.h"
#include "selkie/geometry/shapes.h"
#include "selkie/solids/rigid/queries.h"

namespace selkie::rigid {
namespace {

// Where a path first comes closer than `radius` to a surface.
struct Meeting {
  double time;  // s after the start
  double gap;   // m, left at that time; negative: overlap
  ports::FieldSample surface;
};

// `surface_at(τ)` samples the solid where the path is τ after its start; `speed` bounds the approach. A path
// that grazes converges slowly and counts as a meeting after the last step.
template <class SurfaceAt>
std::optional<Meeting> follow(double duration, double radius, double speed, double tolerance,
                              SurfaceAt&& surface_at) {
  constexpr int kMostSteps = 48;
  double time = 0;
  for (int n = 0;; ++n) {
    const ports::FieldSample surface = surface_at(time);
    const double gap = surface.distance - radius;
    if (gap <= tolerance || n == kMostSteps) return Meeting{time, gap, surface};
    if (gap > speed * (duration - time)) return std::nullopt;
    time += gap / speed;
  }
}

struct Finder {
  const Params& params;
  const Inputs& inputs;
  Interval interval;
  const State& state;
  std::vector<Contact>& contacts;

  double tolerance(std::size_t i) const { return 1e-5 * state.half_sizes[i].minCoeff(); }

  // Distance along the normal that may still be used up before the shapes meet.
  static double separation(const Meeting& met, const Vec3& relative_velocity) {
    return met.time == 0 ? met.gap
                         : std::max(0.0, -relative_velocity.dot(met.surface.normal) * met.time + met.gap);
  }

  void add_with_collider(std::size_t i, const ports::FieldSampler& collider, const Meeting& met,
                         const Vec3& velocity, const Vec3& arm) {
    Contact c;
    c.a = static_cast<std::uint32_t>(i);
    c.arm_a = arm;
    c.normal = met.surface.normal;
    c.separation = separation(met, velocity - met.surface.velocity);
    c.friction = collider.friction;
    c.restitution = std::max(collider.restitution, params.restitution);
    c.surface_velocity = met.surface.velocity;
    contacts.push_back(c);
  }

  // A point of body i on its straight way; `radius` is that of a ball around it.
  std::optional<Meeting> follow_point(const ports::FieldSampler& collider, std::size_t i, const Vec3& start,
                                      const Vec3& velocity, double radius) const {
    const double speed = velocity.norm() + collider.sample(start, interval.t0()).velocity.norm() + 1e-9;
    return follow(interval.dt(), radius, speed, tolerance(i), [&](double time) {
      return collider.sample(start + time * velocity, interval.t0() + time);
    });
  }

  void ball_with_collider(std::size_t i, const ports::FieldSampler& collider) {
    const double radius = state.half_sizes[i].x();
    const Vec3& velocity = state.velocities[i];
    if (const auto met = follow_point(collider, i, state.positions[i], velocity, radius))
      add_with_collider(i, collider, *met, velocity, -radius * met->surface.normal);
  }

  void box_with_collider(std::size_t i, const ports::FieldSampler& collider) {
    const double h = interval.dt();
    const ports::FieldSample middle = collider.sample(state.positions[i], interval.t0());
    const double fastest = state.velocities[i].norm() + middle.velocity.norm() +
                           state.angular_velocities[i].norm() * bounding_radius(state, i);
    if (middle.distance > bounding_radius(state, i) + h * fastest) return;
    const Mat3 axes = orientation(state, i).toRotationMatrix();
    const Vec3& half = state.half_sizes[i];
    // Corners.
    double least = std::numeric_limits<double>::infinity();
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 local(corner & 1 ? half.x() : -half.x(), corner & 2 ? half.y() : -half.y(),
                       corner & 4 ? half.z() : -half.z());
      const Vec3 arm = axes * local, start = state.positions[i] + arm;
      const Vec3 velocity = state.velocities[i] + state.angular_velocities[i].cross(arm);
      least = std::min(least, collider.sample(start, interval.t0()).distance);
      if (const auto met = follow_point(collider, i, start, velocity, 0))
        add_with_collider(i, collider, *met, velocity, arm);
    }
    // Where an edge or a face comes closer than any corner.
    const Vec3 deepest = deepest_point(i, collider, axes);
    const ports::FieldSample surface = collider.sample(deepest, interval.t0());
    if (surface.distance > least - 1e-3 * half.minCoeff()) return;
    const Vec3 arm = deepest - state.positions[i];
    const Vec3 velocity = state.velocities[i] + state.angular_velocities[i].cross(arm);
    if (const auto met = follow_point(collider, i, deepest, velocity, 0))
      add_with_collider(i, collider, *met, velocity, arm);
  }

  // The point of box i nearest to, or deepest in, a convex solid: projections to and fro, then downhill.
  Vec3 deepest_point(std::size_t i, const ports::FieldSampler& collider, const Mat3& axes) const {
    const Vec3& half = state.half_sizes[i];
    auto into_box = [&](const Vec3& p) {
      const Vec3 local = axes.transpose() * (p - state.positions[i]);
      return Vec3(state.positions[i] + axes * local.cwiseMax(-half).cwiseMin(half));
    };
    Vec3 p = state.positions[i];
    ports::FieldSample s = collider.sample(p, interval.t0());
    for (int n = 0; n < 12; ++n) {
      p = into_box(p - s.distance * s.normal);
      s = collider.sample(p, interval.t0());
    }
    double pace = 0.5 * half.maxCoeff();
    for (int n = 0; n < 16 && s.distance <= 0; ++n, pace *= 0.7) {
      const Vec3 next = into_box(p - pace * s.normal);
      const ports::FieldSample there = collider.sample(next, interval.t0());
      if (there.distance < s.distance) p = next, s = there;
    }
    return p;
  }

  void add_pair(std::size_t a, std::size_t b, const Touch& touch) {
    Contact c;
    c.a = static_cast<std::uint32_t>(a);
    c.b = static_cast<std::int32_t>(b);
    c.arm_a = touch.point - state.positions[a];
    c.arm_b = touch.point - state.positions[b];
    c.normal = touch.normal;
    c.separation = touch.separation;
    c.friction = params.friction;
    c.restitution = params.restitution;
    contacts.push_back(c);
  }

  // Ball a against body b (ball or box), seen from b, which is taken as not turning on the way.
  void ball_with_body(std::size_t a, std::size_t b) {
    const double radius = state.half_sizes[a].x();
    const Vec3 velocity = state.velocities[a] - velocity_at(state, b, state.positions[a]);
    const auto met = follow(interval.dt(), radius, velocity.norm() + 1e-9,
                            std::min(tolerance(a), tolerance(b)), [&](double time) {
                              const auto d = distance_to(state, b, state.positions[a] + time * velocity);
                              return ports::FieldSample{d.distance, d.normal, Vec3::Zero()};
                            });
    if (!met) return;
    const double apart = separation(*met, velocity);
    // The point between the surfaces when they meet, moved back to where a is now.
    const Vec3 point = state.positions[a] - (radius + 0.5 * std::min(0.0, apart)) * met->surface.normal;
    add_pair(a, b, {point, met->surface.normal, apart});
  }

  void pair(std::size_t a, std::size_t b) {
    const double reach = bounding_radius(state, a) + bounding_radius(state, b);
    const Vec3 d = state.positions[a] - state.positions[b];
    const double turn = state.angular_velocities[a].norm() * bounding_radius(state, a) +
                        state.angular_velocities[b].norm() * bounding_radius(state, b);
    const double travel = interval.dt() * ((state.velocities[a] - state.velocities[b]).norm() + turn);
    if (d.squaredNorm() > (reach + travel) * (reach + travel)) return;
    if (shape_of(state, a) == Shape::ball) return ball_with_body(a, b);
    if (shape_of(state, b) == Shape::ball) return ball_with_body(b, a);
    std::vector<Touch> touches;
    auto pose = [&](std::size_t i) {
      return BoxPose{state.positions[i], orientation(state, i).toRotationMatrix(), state.half_sizes[i]};
    };
    const double size = std::min(state.half_sizes[a].minCoeff(), state.half_sizes[b].minCoeff());
    touch_boxes(pose(a), pose(b), std::min(travel, size), touches);
    for (const Touch& touch : touches) add_pair(a, b, touch);
  }
};

}  // namespace

void find_contacts(const Params& params, const Inputs& inputs, Interval interval, const State& state,
                   std::vector<Contact>& contacts) {
  const ProfileZone zone("rigid.find_contacts");
  contacts.clear();
  Finder finder{params, inputs, interval, state, contacts};
  for (std::size_t i = 0; i < state.count(); ++i)
    for (const ports::FieldSampler* collider : inputs.colliders) {
      if (shape_of(state, i) == Shape::ball)
        finder.ball_with_collider(i, *collider);
      else
        finder.box_with_collider(i, *collider);
    }
  for (std::size_t a = 0; a < state.count(); ++a)
    for (std::size_t b = 0; b < a; ++b) finder.pair(a, b);
}

}  // namespace selkie::rigid
