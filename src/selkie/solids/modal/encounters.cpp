// Finding the encounters and moving the bodies; see encounters.h. Impulses are in encounter_solve.cpp.
#include "selkie/solids/modal/encounters.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/math/rotation.h"
#include "selkie/solids/modal/detail/meeting.h"
#include "selkie/solids/modal/skin.h"

namespace selkie::modal {
namespace {

using detail::Meet;

double reach_of(const Model& model, const State& state, std::size_t body) {
  double reach = model.radius;
  const std::span<const double> q = displacements(model, state, body);
  for (std::size_t k = 0; k < model.mode_count; ++k) reach += model.reach[k] * std::abs(q[k]);
  return reach;
}

// Pairs (low, high) whose balls, swept over the step, overlap; ascending.
void find_pairs(const Meet& m) {
  const std::size_t count = m.to.count();
  Meeting& work = m.work;
  work.reach.resize(count);
  work.order.resize(count);
  for (std::size_t b = 0; b < count; ++b) {
    work.reach[b] = reach_of(m.model, m.to, b) + m.touch + (m.to.positions[b] - m.from.positions[b]).norm();
    work.order[b] = static_cast<std::uint32_t>(b);
  }
  auto low = [&](std::uint32_t b) { return m.to.positions[b].x() - work.reach[b]; };
  std::sort(work.order.begin(), work.order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::pair(low(a), a) < std::pair(low(b), b); });
  work.pairs.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t a = work.order[i];
    const double end = m.to.positions[a].x() + work.reach[a];
    for (std::size_t j = i + 1; j < count && low(work.order[j]) <= end; ++j) {
      const std::uint32_t b = work.order[j];
      if ((m.to.positions[a] - m.to.positions[b]).norm() <= work.reach[a] + work.reach[b])
        work.pairs.push_back({std::min(a, b), std::max(a, b)});
    }
  }
  std::sort(work.pairs.begin(), work.pairs.end());
}

// Surfaces of all bodies that are near another one, at both ends of the step.
void skin_near(const Meet& m) {
  Meeting& work = m.work;
  work.place.assign(m.to.count(), UINT32_MAX);
  std::uint32_t places = 0;
  for (const auto& [a, b] : work.pairs)
    for (const std::uint32_t body : {a, b})
      if (work.place[body] == UINT32_MAX) work.place[body] = places++;
  work.start.resize(places * m.model.vertex_count);
  work.end.resize(places * m.model.vertex_count);
  work.skins.clear();
  for (std::size_t b = 0; b < work.place.size(); ++b) {
    if (work.place[b] == UINT32_MAX) continue;
    const std::size_t first = work.place[b] * m.model.vertex_count;
    work.skins.push_back({m.from.positions[b], orientation(m.from, b).toRotationMatrix(), 1,
                          displacements(m.model, m.from, b).data(), work.start.data() + first});
    work.skins.push_back({m.to.positions[b], orientation(m.to, b).toRotationMatrix(), 1,
                          displacements(m.model, m.to, b).data(), work.end.data() + first});
  }
  skin(m.model, work.skins);
}

// Where a point of b's surface stands against its rest shape, in the body frame.
Vec3 displacement_of(const Meet& m, std::size_t body, const geometry::Triangle& corners,
                     const Vec3& weights) {
  Vec3 sum = Vec3::Zero();
  const std::span<const double> q = displacements(m.model, m.to, body);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t k = 0; k < m.model.mode_count; ++k)
      sum += weights[static_cast<Eigen::Index>(c)] * q[k] * m.model.mode(k, corners[c]);
  return sum;
}

// What a vertex meets of the other body, in whose rest frame it goes from p to q.
struct Met {
  geometry::SurfacePoint at;
  Vec3 normal = Vec3::Zero();
  double depth = 0;        // m, at the end; negative: above the surface
  double start_depth = 0;  // m
};
bool find_met(const Meet& m, std::size_t other, const Vec3& p, const Vec3& q, Met& met) {
  const geometry::MeshDistance& shape = *m.model.shape;
  const std::span<const Vec3> points = shape.mesh().positions;
  const Vec3 way = q - p;
  const double length = way.norm();
  bool entered = false;
  if (length > 1e-9 * m.model.radius)
    if (const auto hit = m.model.tree.first_hit(points, p, way / length, length, geometry::Facing::any)) {
      const auto& [a, b, c] = shape.mesh().triangles[hit->triangle];
      const Vec3 normal = (points[b] - points[a]).cross(points[c] - points[a]).normalized();
      if (normal.dot(way) < 0) entered = true, met.at = *hit, met.normal = normal;
    }
  if (!entered) {
    const geometry::SurfaceDistance distance = shape.exact(q, met.at);
    if (distance.distance > m.touch) return false;
    met.normal = distance.normal;
  }
  const Vec3 surface =
      met.at.point + displacement_of(m, other, shape.mesh().triangles[met.at.triangle], met.at.weights);
  met.depth = met.normal.dot(surface - q);
  met.start_depth = met.normal.dot(surface - p);
  return met.depth > -m.touch;
}

void set_axes(const Vec3& normal, Encounter& e) {
  e.axes.col(0) = normal;
  e.axes.col(1) = any_perpendicular(normal);
  e.axes.col(2) = normal.cross(e.axes.col(1));
}

// Fills in what the solve needs of vertex `vertex` of a in b.
void add_encounter(const Meet& m, std::uint32_t a, std::uint32_t vertex, std::uint32_t b, const Met& met) {
  const Mat3 turned = orientation(m.to, b).toRotationMatrix();
  const Vec3& x = m.work.end[m.work.place[a] * m.model.vertex_count + vertex];
  Encounter e;
  e.a = a, e.b = b, e.vertex = vertex;
  e.corners = m.model.shape->mesh().triangles[met.at.triangle];
  e.weights = met.at.weights;
  const Vec3 normal = turned * met.normal;
  set_axes(normal, e);
  e.friction = m.params.friction;
  const Vec3 point = x + 0.5 * met.depth * normal;  // common to both, so that no torque is left over
  e.arm_a = point - m.to.positions[a];
  e.arm_b = point - m.to.positions[b];
  if (met.depth < 0) e.target = met.depth / m.h;
  // What came in goes out at once; of what was inside a little is kept, so that contacts do not come and go.
  const double slop = std::min(5e-4, 0.005 * m.model.radius), old = std::max(0.0, met.start_depth);
  const double fresh = std::max(0.0, met.depth - std::max(old, slop));
  e.push = fresh / m.h + std::min(m.params.push_out_speed, 0.2 * std::max(0.0, old - slop) / m.h);
  m.work.encounters.push_back(e);
}

void add_support(const Meet& m, const Support& support) {
  Encounter e;
  e.a = support.body, e.b = kNobody, e.vertex = support.vertex;
  e.friction = support.friction;
  set_axes(support.normal, e);
  e.arm_a = m.work.end[m.work.place[e.a] * m.model.vertex_count + e.vertex] - m.to.positions[e.a];
  m.work.encounters.push_back(e);
}

// Vertices of a in b: the deepest of each patch.
void find_encounters(const Meet& m, std::uint32_t a, std::uint32_t b) {
  const Mat3 back_t0 = orientation(m.from, b).conjugate().toRotationMatrix(),
             back_t1 = orientation(m.to, b).conjugate().toRotationMatrix();
  const double slack = m.touch + m.work.reach[b] - m.model.radius;  // also for what deforms b
  const geometry::BoundingBox box(m.model.box.min() - Vec3::Constant(slack),
                                  m.model.box.max() + Vec3::Constant(slack));
  std::array<Met, kPatches> deepest;
  std::array<std::int64_t, kPatches> vertex;
  vertex.fill(-1);
  const std::size_t first = m.work.place[a] * m.model.vertex_count;
  for (std::uint32_t i = 0; i < m.model.vertex_count; ++i) {
    const Vec3 p = back_t0 * (m.work.start[first + i] - m.from.positions[b]),
               q = back_t1 * (m.work.end[first + i] - m.to.positions[b]);
    if (!box.intersects(geometry::BoundingBox(p.cwiseMin(q), p.cwiseMax(q)))) continue;
    Met met;
    if (!find_met(m, b, p, q, met)) continue;
    const std::size_t patch = m.model.patch[i];
    if (vertex[patch] < 0 || met.depth > deepest[patch].depth) deepest[patch] = met, vertex[patch] = i;
  }
  for (std::size_t k = 0; k < kPatches; ++k)
    if (vertex[k] >= 0) add_encounter(m, a, static_cast<std::uint32_t>(vertex[k]), b, deepest[k]);
}

}  // namespace

int meet(const Model& model, const Params& params, const Vec3& gravity, double h,
         std::span<const std::vector<Support>> supports, const State& from, State& to, Meeting& work) {
  const ProfileZone zone("modal.meet");
  // A vertex that rests is found up to what it falls in a step or two above the surface.
  const double touch = params.contact_thickness + 1e-4 * model.radius + 2 * h * h * gravity.norm();
  const Meet m{model, params, h, touch, from, to, work};
  find_pairs(m);
  if (work.pairs.empty()) return 0;
  skin_near(m);
  work.encounters.clear();
  for (const auto& [a, b] : work.pairs) {
    find_encounters(m, a, b);
    find_encounters(m, b, a);
  }
  if (work.encounters.empty()) return 0;
  for (const std::vector<Support>& block : supports)
    for (const Support& support : block)
      if (work.place[support.body] != UINT32_MAX) add_support(m, support);
  detail::fill_rows(m);
  detail::stop_approach(m);
  detail::push_apart(m);
  return static_cast<int>(
      std::count_if(work.encounters.begin(), work.encounters.end(),
                    [](const Encounter& e) { return e.b != kNobody && e.impulse[0] > 0; }));
}

}  // namespace selkie::modal
