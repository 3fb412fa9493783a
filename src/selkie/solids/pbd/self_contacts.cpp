// See self_contacts.h.
#include "selkie/solids/pbd/self_contacts.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/solids/pbd/constraints.h"
#include "selkie/solids/pbd/crossing.h"
#include "selkie/solids/pbd/triangle_hash.h"

namespace selkie::pbd {
namespace {

constexpr std::size_t kBlock = 512;

double thickness_of(const Model& model, const Params& params) {
  return std::min(params.self_thickness, 0.5 * model.shortest_edge);
}

std::array<std::uint32_t, 4> corners_of(const Model& model, std::uint32_t vertex, std::uint32_t triangle) {
  const auto& [a, b, c] = model.triangles[triangle];
  return {vertex, a, b, c};
}
std::array<Vec3, 4> starts(const State& to, const std::array<std::uint32_t, 4>& corners) {
  return {to.positions[corners[0]], to.positions[corners[1]], to.positions[corners[2]],
          to.positions[corners[3]]};
}
std::array<Vec3, 4> ends(const Work& work, const std::array<std::uint32_t, 4>& corners) {
  return {work.points[corners[0]].head<3>(), work.points[corners[1]].head<3>(),
          work.points[corners[2]].head<3>(), work.points[corners[3]].head<3>()};
}

Foot foot_of(const std::array<Vec3, 4>& p) { return foot_on(p[0], p[1], p[2], p[3]); }
double sign(double x) { return x < 0 ? -1 : 1; }

// A contact if the vertex passes the triangle on its way or ends too near to it. The side is that of the
// start; a vertex that came round the rim without passing is where it is.
bool touches(const std::array<Vec3, 4>& start, const std::array<Vec3, 4>& end, double thickness,
             SelfContact& contact) {
  const Crossing crossing = find_crossing(start, end);
  const Foot before = foot_of(start), after = foot_of(end);
  contact.crossed = crossing.count > 0;
  contact.side = sign(contact.crossed || before.inside ? before.height : after.height);
  contact.weights = crossing.foot.weights;
  contact.normal = crossing.foot.normal;
  contact.rubbed.setZero();
  return contact.crossed || (after.inside && std::abs(after.height) < thickness);
}

// Calls visit(vertex, triangle, found list of the vertex' block) for all pairs whose ways come near.
template <class Visit>
void each_pair(const Model& model, double thickness, const State& to, Work& work, Visit&& visit) {
  build_hash(model, thickness, to.positions, work.points, work.hash);
  const std::size_t blocks = (model.vertex_count + kBlock - 1) / kBlock;
  work.self_found.resize(blocks);
  work.candidates.resize(blocks);
  parallel_blocks(model.vertex_count, kBlock, [&](std::size_t begin, std::size_t end) {
    std::vector<SelfContact>& found = work.self_found[begin / kBlock];
    std::vector<std::uint32_t>& near = work.candidates[begin / kBlock];
    found.clear();
    for (std::size_t i = begin; i < end; ++i) {
      triangles_near(model, work.hash, static_cast<std::uint32_t>(i), to.positions[i],
                     work.points[i].head<3>(), near);
      for (const std::uint32_t t : near) visit(static_cast<std::uint32_t>(i), t, found);
    }
  });
}

void project_height(double thickness, SelfContact& c, const std::array<Vec3, 4>& p, const Foot& foot,
                    Work& work) {
  std::array<Vec3, 4> g;
  double error = 0;
  if (foot.inside || !c.crossed) {
    error = triangle_constraint(p, c.side, thickness, g);
  } else {
    // Beside the triangle by now: relative to the point where it was met.
    g = {c.normal, -c.weights[0] * c.normal, -c.weights[1] * c.normal, -c.weights[2] * c.normal};
    error = -thickness;
    for (std::size_t k = 0; k < 4; ++k) error += c.side * g[k].dot(p[k]);
    for (Vec3& gradient : g) gradient *= c.side;
  }
  if (error >= 0) return;
  double weight = 0;
  for (std::size_t k = 0; k < 4; ++k) weight += work.points[c.corners[k]].w() * g[k].squaredNorm();
  if (!(weight > kTiny)) return;
  const double s = -error / weight;
  for (std::size_t k = 0; k < 4; ++k) {
    Vec4& point = work.points[c.corners[k]];
    point.head<3>() += s * point.w() * g[k];
  }
  c.pressed += s;
}

void project_friction(double friction, SelfContact& c, const State& to, const Foot& foot, Work& work) {
  const Vec3& b = foot.inside || !c.crossed ? foot.weights : c.weights;
  const Vec3& n = foot.inside || !c.crossed ? foot.normal : c.normal;
  const Vec4 factors(1, -b[0], -b[1], -b[2]);
  Vec3 slip = Vec3::Zero();
  double weight = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const double factor = factors[static_cast<Eigen::Index>(k)];
    const Vec4& point = work.points[c.corners[k]];
    slip += factor * (point.head<3>() - to.positions[c.corners[k]]);
    weight += factor * factor * point.w();
  }
  if (!(weight > kTiny)) return;
  slip -= slip.dot(n) * n;
  const Vec3 wanted = c.rubbed + slip / weight;
  const double length = wanted.norm(), limit = friction * c.pressed;
  const Vec3 rubbed = length <= limit ? wanted : Vec3(limit / length * wanted);
  for (std::size_t k = 0; k < 4; ++k) {
    Vec4& point = work.points[c.corners[k]];
    point.head<3>() -= factors[static_cast<Eigen::Index>(k)] * point.w() * (rubbed - c.rubbed);
  }
  c.rubbed = rubbed;
}

bool ends_beyond(const State& to, const Work& work, const std::array<std::uint32_t, 4>& corners) {
  return find_crossing(starts(to, corners), ends(work, corners)).count % 2 == 1;
}

void append_found(Work& work) {
  for (const std::vector<SelfContact>& found : work.self_found)
    for (const SelfContact& c : found) {
      const bool known = std::any_of(work.self_contacts.begin(), work.self_contacts.end(),
                                     [&](const SelfContact& other) { return other.corners == c.corners; });
      if (!known) work.self_contacts.push_back(c);
    }
}

}  // namespace

void find_self_contacts(const Model& model, const Params& params, const State& to, Work& work) {
  work.self_contacts.clear();
  if (!params.self_collision) return;
  const ProfileZone zone("pbd.self_contacts");
  const double thickness = thickness_of(model, params);
  each_pair(model, thickness, to, work,
            [&](std::uint32_t i, std::uint32_t t, std::vector<SelfContact>& found) {
              SelfContact contact;
              contact.corners = corners_of(model, i, t);
              if (touches(starts(to, contact.corners), ends(work, contact.corners), thickness, contact))
                found.push_back(contact);
            });
  for (const std::vector<SelfContact>& found : work.self_found)
    work.self_contacts.insert(work.self_contacts.end(), found.begin(), found.end());
}

void project_self_contacts(const Model& model, const Params& params, const State& to, Work& work) {
  if (work.self_contacts.empty()) return;
  const double thickness = thickness_of(model, params);
  for (SelfContact& c : work.self_contacts) {
    const std::array<Vec3, 4> p = ends(work, c.corners);
    const Foot foot = foot_of(p);
    if (!foot.inside && !c.crossed) continue;  // has left the triangle
    project_height(thickness, c, p, foot, work);
    if (c.pressed > 0 && params.self_friction > 0) project_friction(params.self_friction, c, to, foot, work);
  }
}

bool find_crossings(const Model& model, const Params& params, const State& to, Work& work) {
  if (!params.self_collision) return false;
  const double thickness = thickness_of(model, params);
  each_pair(model, thickness, to, work,
            [&](std::uint32_t i, std::uint32_t t, std::vector<SelfContact>& found) {
              SelfContact contact;
              contact.corners = corners_of(model, i, t);
              if (ends_beyond(to, work, contact.corners)) {
                touches(starts(to, contact.corners), ends(work, contact.corners), thickness, contact);
                found.push_back(contact);
              }
            });
  const bool any = std::any_of(work.self_found.begin(), work.self_found.end(),
                               [](const auto& found) { return !found.empty(); });
  append_found(work);
  return any;
}

void freeze_crossings(const Model& model, const Params& params, const State& to, Work& work) {
  constexpr int kMost = 30;
  for (int round = 0; round < kMost && find_crossings(model, params, to, work); ++round)
    for (const std::vector<SelfContact>& found : work.self_found)
      for (const SelfContact& c : found)
        for (const std::uint32_t v : c.corners)
          if (work.points[v].w() > 0) work.points[v].head<3>() = to.positions[v];
}

}  // namespace selkie::pbd
