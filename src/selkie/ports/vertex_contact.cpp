// Contact response per vertex. The displacement of the step is treated like the velocity: were only the
// velocity corrected, a vertex that should stick on a slope would creep by h²g sinθ every step.
#include "selkie/ports/vertex_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace selkie::ports {
namespace {

// Shortens a slip by at most `limit`: sticks if it can.
Vec3 after_friction(const Vec3& slip, double limit) {
  const double length = slip.norm();
  return length <= limit ? Vec3::Zero() : Vec3(slip * (1 - limit / length));
}

using Colliders = std::span<const FieldSampler* const>;
using Sides = std::array<FieldSample, FieldSampler::kMostSides>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool faces(const Vec3& normal, const Vec3& other) { return normal.dot(other) < -0.5; }

// A vertex that leaves a collider by `way` may come to stand against another one whose surface looks back at
// it. Then how far (negative: deep) it is inside that one, measured to a side by which it can leave it; minus
// infinity if it has none, infinity if nothing bars the way.
double room_beyond(const FieldSample& way, Colliders colliders, std::size_t leaves, const Vec3& point,
                   double time, double thickness, double reach) {
  const Vec3 outside = point + (thickness - way.distance) * way.normal;
  const double crack = reach + 1e-6 * std::abs(way.distance) + 1e-12 * outside.norm();  // too thin to be in
  double least = kInfinity;
  for (std::size_t k = 0; k < colliders.size(); ++k) {
    if (k == leaves) continue;
    const FieldSample other = colliders[k]->sample(outside, time);
    if (!(other.distance <= crack) || !faces(way.normal, other.normal)) continue;
    Sides sides;
    const std::size_t count = colliders[k]->sample_sides(outside, time, sides);
    double room = -kInfinity;
    for (const FieldSample& side : std::span(sides).first(count))
      if (!faces(way.normal, side.normal)) room = std::max(room, side.distance);
    least = std::min(least, room);
  }
  return least;
}

}  // namespace

FieldSample sample_collider(Colliders colliders, std::size_t which, const VertexPath& path, double thickness,
                            double reach) {
  const FieldSampler& collider = *colliders[which];
  const double t1 = path.interval.t1();
  const FieldSample nearest = collider.sample(path.end, t1);
  if (!(nearest.distance <= reach)) return nearest;
  Sides before, after;
  const std::size_t count = collider.sample_sides(path.end, t1, after);
  if (count == 1) return nearest;
  collider.sample_sides(path.start, path.interval.t0(), before);

  const double slack = reach - thickness + 1e-9 * (std::abs(nearest.distance) + path.end.norm());
  auto room = [&](const FieldSample& way) {
    return room_beyond(way, colliders, which, path.end, t1, thickness, reach);
  };
  const FieldSample *entered = nullptr, *shallowest = nullptr;
  bool nearest_was_outside = nearest.distance > 0;
  double latest = -1;
  for (std::size_t k = 0; k < count; ++k) {
    const double d0 = before[k].distance - thickness, d1 = after[k].distance - thickness;
    const bool was_outside = d0 >= -slack;
    if (was_outside && after[k].distance == nearest.distance) nearest_was_outside = true;
    if (room(after[k]) != kInfinity) continue;
    const double entry = d1 < d0 ? std::clamp(d0 / (d0 - d1), 0.0, 1.0) : 1;
    if (was_outside && entry > latest) latest = entry, entered = &after[k];
    if (!shallowest || after[k].distance > shallowest->distance) shallowest = &after[k];
  }
  const double beyond = room(nearest);
  if (beyond == kInfinity && (nearest_was_outside || !entered)) return nearest;
  if (entered) return *entered;
  // Of two colliders that bar each other's ways, the one with the shorter way round is left by that.
  return shallowest && shallowest->distance >= beyond ? *shallowest : nearest;
}

ContactMotion resolve_contact(const FieldSample& solid, const ContactLaw& law, double dt, const Vec3& start,
                              const ContactMotion& end) {
  const Vec3& n = solid.normal;
  ContactMotion result = end;

  // Displacement relative to the solid: out of it along n, slip reduced by what was pushed against.
  const double depth = std::max(0.0, law.thickness - solid.distance);
  const Vec3 moved = end.position - start - dt * solid.velocity;
  const double advance = -moved.dot(n);
  const Vec3 slip = moved + advance * n;
  const double pressed = std::clamp(advance, 0.0, depth);
  result.position += depth * n + (after_friction(slip, law.friction * pressed) - slip);

  // Velocity relative to the solid: no approach left, slip reduced by the normal impulse.
  const Vec3 relative = end.velocity - solid.velocity;
  const double approach = -relative.dot(n);
  if (approach <= 0) return result;
  const double bounce = approach > law.slowest_bounce ? law.restitution * approach : 0;
  const Vec3 sliding = relative + approach * n;
  result.velocity = solid.velocity + bounce * n + after_friction(sliding, law.friction * (approach + bounce));
  return result;
}

}  // namespace selkie::ports
