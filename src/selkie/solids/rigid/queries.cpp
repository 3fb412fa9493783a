// See queries.h.
#include "selkie/solids/rigid/queries.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "selkie/contact/manifold.h"
#include "selkie/core/check.h"

namespace selkie::rigid {

geometry::SurfaceDistance distance_to(const Model& model, const State& state, std::size_t i, const Vec3& point) {
  const contact::Pose pose = pose_of(state, i);
  geometry::SurfaceDistance d = contact::distance(shape_of(model, state, i), pose.local(point));
  d.normal = pose.axes * d.normal;
  return d;
}

Vec3 nearest_point(const Model& model, const State& state, std::size_t i, const Vec3& point) {
  const geometry::SurfaceDistance d = distance_to(model, state, i, point);
  return d.distance <= 0 ? point : Vec3(point - d.distance * d.normal);
}

std::size_t nearest_body(const Model& model, const State& state, const Vec3& point) {
  SELKIE_CHECK(state.count() > 0, "a body to be near to");
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  bool movable = false;
  for (std::size_t i = 0; i < state.count(); ++i) {
    const bool moves = is_dynamic(state, i);
    if (movable && !moves) continue;
    const double d = distance_to(model, state, i, point).distance;
    if (d < least || (moves && !movable)) least = d, best = i;
    movable = movable || moves;
  }
  return best;
}

void Lookup::update(const Model& model, const State& state) {
  model_ = &model, state_ = &state;
  // Views of the state may be written by anyone at any time: only what it holds tells whether the tree still fits.
  constexpr std::size_t kNumbers = 12;
  bool same = known_.size() == kNumbers * state.count();
  known_.resize(kNumbers * state.count());
  for (std::size_t i = 0; i < state.count(); ++i) {
    double now[kNumbers] = {static_cast<double>(state.shapes[i]), static_cast<double>(state.forms[i])};
    std::copy_n(state.positions[i].data(), 3, now + 2);
    std::copy_n(state.orientations[i].data(), 4, now + 5);
    std::copy_n(state.half_sizes[i].data(), 3, now + 9);
    same = same && std::equal(now, now + kNumbers, &known_[kNumbers * i]);
    std::copy_n(now, kNumbers, &known_[kNumbers * i]);
  }
  if (same) return;
  boxed_.clear(), planes_.clear(), boxes_.clear();
  for (std::uint32_t i = 0; i < state.count(); ++i) {
    if (shape_of(state, i) == Shape::plane) {
      planes_.push_back(i);
      continue;
    }
    boxed_.push_back(i);
    contact::Bounds box = contact::bounds(shape_of(model, state, i), pose_of(state, i));
    // Room for the rounding of whoever asks: flat meshes have flat boxes.
    const Vec3 room = Vec3::Constant(1e-9 * (bounding_radius(state, i) + state.positions[i].norm()));
    boxes_.push_back({box.low - room, box.high + room});
  }
  tree_.update(boxes_);
}

std::optional<RayHit> Lookup::ray_cast(const Vec3& origin, const Vec3& direction) const {
  const double length = direction.norm();
  if (!(length > 0)) return std::nullopt;
  const Vec3 d = direction / length;
  std::optional<RayHit> nearest;
  auto ask = [&](std::uint32_t i, double reach) {
    const contact::Pose pose = pose_of(*state_, i);
    const auto hit = contact::ray_cast(shape_of(*model_, *state_, i), pose.local(origin), pose.axes.transpose() * d);
    // The lower place wins among equals, in whatever order the tree offers them.
    if (!hit || hit->distance > reach || (nearest && hit->distance == reach && i > nearest->body)) return reach;
    nearest = RayHit{i, hit->distance, origin + hit->distance * d, pose.axes * hit->normal};
    return hit->distance;
  };
  double reach = std::numeric_limits<double>::infinity();
  for (const std::uint32_t i : planes_) reach = ask(i, reach);
  tree_.each_along(origin, d, reach, [&](std::uint32_t item, double so_far) { return ask(boxed_[item], so_far); });
  return nearest;
}

template <class Test>
std::vector<std::size_t> Lookup::each_near(const contact::Bounds& box, Test&& test) const {
  std::vector<std::size_t> found;
  for (const std::uint32_t i : planes_)
    if (test(i)) found.push_back(i);
  tree_.each_meeting(box, [&](std::uint32_t item) {
    if (test(boxed_[item])) found.push_back(boxed_[item]);
  });
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::size_t> Lookup::overlapping(const contact::Shape& shape, const contact::Pose& pose) const {
  std::vector<contact::Manifold> manifolds;
  return each_near(contact::bounds(shape, pose), [&](std::uint32_t i) {
    manifolds.clear();
    contact::collide(shape, pose, shape_of(*model_, *state_, i), pose_of(*state_, i), 0, manifolds);
    return !manifolds.empty();
  });
}

std::vector<std::size_t> Lookup::within(const Vec3& point, double radius) const {
  const Vec3 reach = Vec3::Constant(std::max(0.0, radius));
  return each_near({point - reach, point + reach},
                   [&](std::uint32_t i) { return distance_to(*model_, *state_, i, point).distance <= radius; });
}

std::optional<RayHit> ray_cast(const Model& model, const State& state, const Vec3& origin, const Vec3& direction) {
  Lookup lookup;
  lookup.update(model, state);
  return lookup.ray_cast(origin, direction);
}

std::vector<std::size_t> overlapping(const Model& model, const State& state, const contact::Shape& shape,
                                     const contact::Pose& pose) {
  Lookup lookup;
  lookup.update(model, state);
  return lookup.overlapping(shape, pose);
}

std::vector<std::size_t> within(const Model& model, const State& state, const Vec3& point, double radius) {
  Lookup lookup;
  lookup.update(model, state);
  return lookup.within(point, radius);
}

double depth_of(const State& state, std::size_t c) {
  const TouchPair pair = state.contact_pairs[c];
  TouchMemory m;
  std::memcpy(&m, state.contact_values[c].data(), sizeof m);
  const contact::Pose a = pose_of(state, pair[0]);
  const contact::Pose b = pair[1] < kCollider ? pose_of(state, pair[1]) : contact::Pose{};
  const Vec3 n = a.axes * Vec3(m.normal[0], m.normal[1], m.normal[2]);
  double deepest = -std::numeric_limits<double>::infinity();
  for (std::uint32_t k = 0; k < pair[2]; ++k) {
    const Vec3 on_a = a * Vec3(m.on_a[k][0], m.on_a[k][1], m.on_a[k][2]);
    const Vec3 on_b = b * Vec3(m.on_b[k][0], m.on_b[k][1], m.on_b[k][2]);
    deepest = std::max(deepest, (on_b - on_a).dot(n));
  }
  return deepest;
}

Diagnostics diagnose(const State& state, const Vec3& gravity) {
  Diagnostics d;
  for (std::size_t i = 0; i < state.count(); ++i) {
    if (!is_dynamic(state, i)) continue;
    const Vec3 p = state.masses[i] * state.velocities[i], spin = state.angular_momenta[i];
    d.kinetic_energy += 0.5 * p.dot(state.velocities[i]) + 0.5 * spin.dot(angular_velocity(state, i));
    d.gravitational_energy -= state.masses[i] * gravity.dot(state.positions[i]);
    d.momentum += p;
    d.angular_momentum += spin + state.positions[i].cross(p);
    d.max_speed = std::max(d.max_speed, state.velocities[i].norm());
    d.asleep += state.asleep[i];
  }
  for (std::size_t c = 0; c < state.contact_pairs.size(); ++c) d.deepest = std::max(d.deepest, depth_of(state, c));
  return d;
}

}  // namespace selkie::rigid
