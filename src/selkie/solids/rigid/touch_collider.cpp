// Bodies against colliders, which are distance fields that may move. Points of the body follow their straight way
// through the field by conservative advancement: a distance can always be travelled safely. A collider that touches
// a body elsewhere than at corners, round parts or the nearest point is missed (the rim of a torus, say).
#include <algorithm>
#include <cmath>
#include <optional>

#include "selkie/solids/rigid/contacts.h"

namespace selkie::rigid {
namespace {

// Where a path first comes closer than `radius` to a surface.
struct Meeting {
  double time;  // s after the start
  double gap;   // m, left at that time; negative: overlap
  ports::FieldSample surface;
};

struct Probe {
  const ports::FieldSampler& collider;
  Interval interval;
  const contact::Pose& pose;
  Vec3 velocity, spin;
  double tolerance, fall;  // m: what counts as touching; what gravity adds to a straight path within the step
  bool corners = false;    // points are corners of a box
  contact::ManifoldGatherer gatherer = {};
  Vec3 surface_velocity = Vec3::Zero();
  double nearest = std::numeric_limits<double>::infinity();

  Vec3 velocity_of(const Vec3& arm) const { return velocity + spin.cross(arm); }

  // A path that grazes converges slowly and counts as a meeting after the last step.
  std::optional<Meeting> follow(const Vec3& start, const Vec3& v, double radius) const {
    constexpr int kMostSteps = 48;
    const double speed = v.norm() + collider.sample(start, interval.t0()).velocity.norm() + 1e-9;
    double time = 0;
    for (int n = 0;; ++n) {
      const ports::FieldSample surface = collider.sample(start + time * v, interval.t0() + time);
      const double gap = surface.distance - radius;
      if (gap <= tolerance + fall || n == kMostSteps) return Meeting{time, gap, surface};
      if (gap > speed * (interval.dt() - time)) return std::nullopt;
      time += gap / speed;
    }
  }

  // A corner from which an edge leads towards the surface: the corner at its end comes first, and would lose its
  // place among the four points of a thin card.
  bool behind_another(const Vec3& local, const Vec3& n) const {
    if (!corners) return false;
    const Vec3 slopes = pose.axes.transpose() * n;
    for (int k = 0; k < 3; ++k)
      if (std::copysign(1.0, local[k]) * slopes[k] > 0.5) return true;
    return false;
  }

  void point(const Vec3& local, double radius) {
    const Vec3 arm = pose.axes * local, start = pose.position + arm, v = velocity_of(arm);
    nearest = std::min(nearest, collider.sample(start, interval.t0()).distance - radius);
    const auto met = follow(start, v, radius);
    if (!met) return;
    const Vec3& n = met->surface.normal;
    if (met->gap > tolerance && behind_another(local, n)) return;
    // Distance along the normal that may still be used up before the surfaces meet.
    const double apart =
        met->time == 0 ? met->gap : std::max(0.0, -(v - met->surface.velocity).dot(n) * met->time + met->gap);
    const Vec3 on_a = start - radius * n;
    if (met->surface.velocity.norm() > surface_velocity.norm()) surface_velocity = met->surface.velocity;
    gatherer.add(n, {on_a, on_a - apart * n, apart});
  }
};

void probe_shape(const contact::Shape& shape, const Eigen::Isometry3d& place, Probe& probe) {
  switch (shape.kind) {
    case contact::Kind::ball: probe.point(place.translation(), shape.size.x()); return;
    case contact::Kind::capsule:
      for (const double side : {-1.0, 1.0})
        probe.point(place * Vec3(0, side * (shape.size.y() - shape.size.x()), 0), shape.size.x());
      return;
    case contact::Kind::box:
      for (int c = 0; c < 8; ++c)
        probe.point(place * Vec3(c & 1 ? shape.size.x() : -shape.size.x(), c & 2 ? shape.size.y() : -shape.size.y(),
                                 c & 4 ? shape.size.z() : -shape.size.z()),
                    0);
      return;
    case contact::Kind::cylinder: {
      contact::Face face;
      for (const double side : {-1.0, 1.0}) {
        contact::supporting_face(contact::make_convex(shape, {}), side * Vec3::UnitY(), face);
        for (int k = 0; k < face.count; ++k) probe.point(place * face.points[static_cast<std::size_t>(k)], 0);
      }
      return;
    }
    case contact::Kind::compound:
      for (const contact::Child& child : shape.form->children) probe_shape(child.shape, place * child.pose, probe);
      return;
    case contact::Kind::solid_mesh:
      for (const Vec3& p : shape.form->samples) probe.point(place * p, 0);
      return;
    default:
      for (const Vec3& p : shape.form->hull.points) probe.point(place * p, 0);
  }
}

// The point of the shape nearest to, or deepest in, a convex solid: projections to and fro, then downhill.
Vec3 deepest_point(const contact::Shape& shape, const Probe& probe) {
  auto into_shape = [&](const Vec3& p) {
    const Vec3 local = probe.pose.local(p);
    const auto d = contact::distance(shape, local);
    return probe.pose * (d.distance > 0 ? Vec3(local - d.distance * d.normal) : local);
  };
  auto sample = [&](const Vec3& p) { return probe.collider.sample(p, probe.interval.t0()); };
  Vec3 p = probe.pose.position;
  ports::FieldSample s = sample(p);
  for (int n = 0; n < 12; ++n) {
    p = into_shape(p - s.distance * s.normal);
    s = sample(p);
  }
  double pace = 0.5 * shape.size.maxCoeff();
  for (int n = 0; n < 16 && s.distance <= 0; ++n, pace *= 0.7) {
    const Vec3 next = into_shape(p - pace * s.normal);
    const ports::FieldSample there = sample(next);
    if (there.distance < s.distance) p = next, s = there;
  }
  return p;
}

}  // namespace

void touch_collider(const Inputs& inputs, Interval interval, const State& state, const Work& work, std::uint32_t body,
                    std::uint32_t index, std::vector<Touch>& touches) {
  const ports::FieldSampler& collider = *inputs.colliders[index];
  const contact::Shape& shape = work.shapes[body];
  const ports::FieldSample middle = collider.sample(state.positions[body], interval.t0());
  const double travel = work.reaches[body] + interval.dt() * (middle.velocity.norm() + interval.dt() * inputs.gravity.norm());
  if (middle.distance > contact::bounding_radius(shape) + travel) return;
  const double size = shape.size.minCoeff();
  // Paths are straight: what gravity adds to them within the step is met ahead.
  const double fall = interval.dt() * interval.dt() * inputs.gravity.norm();
  Probe probe{collider, interval, work.poses[body], state.velocities[body], work.spins[body],
              kTouchMargin * size, shape.kind == contact::Kind::box || shape.kind == contact::Kind::ball ? fall : 0};
  probe.corners = shape.kind == contact::Kind::box;
  probe_shape(shape, Eigen::Isometry3d::Identity(), probe);
  if (shape.kind != contact::Kind::ball && shape.kind != contact::Kind::compound &&
      shape.kind != contact::Kind::solid_mesh) {
    // Where an edge, a face or a mantle comes closer than any corner.
    const Vec3 deepest = deepest_point(shape, probe);
    probe.corners = false;
    if (collider.sample(deepest, interval.t0()).distance < probe.nearest - 1e-3 * size)
      probe.point(probe.pose.local(deepest), 0);
  }
  std::vector<contact::Manifold> manifolds;
  probe.gatherer.finish(manifolds);
  auto first = std::lower_bound(state.contact_pairs.begin(), state.contact_pairs.end(), kCollider + index,
                                [&](const TouchPair& t, std::uint32_t b) { return t[0] != body ? t[0] < body : t[1] < b; });
  auto last = first;
  while (last != state.contact_pairs.end() && (*last)[0] == body && (*last)[1] == kCollider + index) ++last;
  for (const contact::Manifold& m : manifolds) {
    Touch& touch = touches.emplace_back();
    touch.a = body, touch.b = kCollider + index, touch.count = m.count, touch.normal = m.normal;
    touch.surface_velocity = probe.surface_velocity;
    const Vec3 n = probe.pose.axes.transpose() * m.normal;
    std::copy_n(n.data(), 3, touch.memory.normal);
    for (int k = 0; k < m.count; ++k) {
      const contact::ManifoldPoint& p = m.points[static_cast<std::size_t>(k)];
      const Vec3 on_a = probe.pose.local(p.on_a);
      std::copy_n(on_a.data(), 3, touch.memory.on_a[k]);
      std::copy_n(p.on_b.data(), 3, touch.memory.on_b[k]);
      touch.separation[k] = p.separation;
    }
    inherit_forces(state, static_cast<std::size_t>(first - state.contact_pairs.begin()),
                   static_cast<std::size_t>(last - state.contact_pairs.begin()), 0.2 * size, touch);
  }
}

}  // namespace selkie::rigid
