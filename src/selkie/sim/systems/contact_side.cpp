// See contact_side.h.
#include "selkie/sim/systems/contact_side.h"

#include <numeric>

namespace selkie::sim {

void ContactSurroundings::note(const Environment& environment, const Interval& interval,
                               double contact_thickness) {
  colliders.clear();
  for (const auto& collider : environment.colliders) colliders.push_back(collider.get());
  time = interval.t1();
  fall = environment.gravity.norm();
  thickness = contact_thickness;
}

void ContactSurroundings::find_held(std::span<const std::uint32_t> vertices, std::span<const Vec3> positions,
                                    std::span<const Vec3> velocities, double dt,
                                    std::vector<ports::HeldVertex>& held) const {
  held.clear();
  const double reach = thickness + 1e-3 * dt * dt * fall;  // as the solvers' own contacts
  for (const std::uint32_t v : vertices)
    for (const ports::FieldSampler* collider : colliders) {
      const ports::FieldSample met = collider->sample(positions[v], time);
      const Vec3 relative = velocities[v] - met.velocity;
      const double leaving = relative.dot(met.normal);
      if (!(met.distance <= reach) || leaving > 0.1 * dt * fall) continue;
      // What friction has brought to rest it will go on holding against what a contact adds in one step.
      const double slip = (relative - leaving * met.normal).norm();
      held.push_back({v, met.normal, collider->friction > 0 && slip <= dt * fall});
      break;
    }
}

std::vector<std::uint32_t> touching_vertices(std::size_t count, std::span<const geometry::Triangle> triangles,
                                             std::span<const geometry::Segment> outline) {
  std::vector<std::uint32_t> vertices;
  if (triangles.empty() && outline.empty()) {
    vertices.resize(count);
    std::iota(vertices.begin(), vertices.end(), 0u);
    return vertices;
  }
  std::vector<bool> used(count, false);
  if (outline.empty())
    for (const geometry::Triangle& t : triangles)
      for (const std::uint32_t v : t) used[v] = true;
  for (const geometry::Segment& s : outline)
    for (const std::uint32_t v : s) used[v] = true;
  for (std::uint32_t v = 0; v < count; ++v)
    if (used[v]) vertices.push_back(v);
  return vertices;
}

void hold_in_plane(std::vector<ports::HeldVertex>& held) {
  for (ports::HeldVertex& h : held) h.normal.z() = 0;
  std::erase_if(held, [](const ports::HeldVertex& h) { return h.normal.norm() < 1e-6; });
  for (ports::HeldVertex& h : held) h.normal.normalize();
}

}  // namespace selkie::sim
