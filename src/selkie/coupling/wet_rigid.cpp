// See wet_rigid.h.
#include "selkie/coupling/wet_rigid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace selkie::coupling {

namespace {

// Closed curves, each point in one of them, without what round-off alone decides: segments shorter than
// `grain`, whose ends become one point, and curves that enclose less than `least_area`.
void drop_grains(double grain, double least_area, std::vector<Vec3>& points,
                 std::vector<geometry::Segment>& segments) {
  std::vector<std::uint32_t> same(points.size()), after(points.size()), numbers(points.size());
  for (std::uint32_t n = 0; n < same.size(); ++n) same[n] = n;
  auto first_of = [&](std::uint32_t n) {
    while (same[n] != n) n = same[n] = same[same[n]];
    return n;
  };
  for (const auto& [a, b] : segments) {
    const std::uint32_t from = first_of(a), to = first_of(b);
    if ((points[to] - points[from]).norm() < grain) same[std::max(from, to)] = std::min(from, to);
  }
  for (std::uint32_t n = 0; n < after.size(); ++n) after[n] = n;
  for (const auto& [a, b] : segments)
    if (first_of(a) != first_of(b)) after[first_of(a)] = first_of(b);
  std::vector<Vec3> kept;
  segments.clear();
  for (std::uint32_t n = 0; n < after.size(); ++n) {
    if (after[n] == n) continue;
    std::vector<std::uint32_t> curve;  // taken apart as it is followed
    for (std::uint32_t at = n; after[at] != at; at = std::exchange(after[at], at)) curve.push_back(at);
    double area = 0;
    for (std::size_t k = 0; k < curve.size(); ++k) {
      const Vec3 a = points[curve[k]] - points[n], b = points[curve[(k + 1) % curve.size()]] - points[n];
      area += 0.5 * (a.x() * b.y() - a.y() * b.x());
    }
    if (std::abs(area) < least_area) continue;
    for (const std::uint32_t at : curve)
      numbers[at] = static_cast<std::uint32_t>(kept.size()), kept.push_back(points[at]);
    for (std::size_t k = 0; k < curve.size(); ++k)
      segments.push_back({numbers[curve[k]], numbers[curve[(k + 1) % curve.size()]]});
  }
  points = std::move(kept);
}

// The curves in which a closed surface goes through the plane, the body on their left. A point is an edge
// that goes through it, and a triangle leads from the edge that goes down to the one that comes up: so every
// curve closes, and is turned the right way, however short its segments are.
void cut_by_plane(std::span<const Vec3> positions, std::span<const geometry::Triangle> triangles,
                  double plane, std::vector<Vec3>& points, std::vector<geometry::Segment>& segments) {
  std::map<std::array<std::uint32_t, 2>, std::uint32_t> numbers;  // of edges
  double size = 0;
  for (const Vec3& p : positions) size = std::max(size, (p - positions[0]).norm());
  auto point_on = [&](std::uint32_t a, std::uint32_t b) {
    if (a > b) std::swap(a, b);
    const auto [found, fresh] = numbers.try_emplace({a, b}, static_cast<std::uint32_t>(points.size()));
    if (fresh) {
      const Vec3 &x = positions[a], &y = positions[b];
      points.push_back(x + (plane - x.z()) / (y.z() - x.z()) * (y - x));
      points.back().z() = plane;
    }
    return found->second;
  };
  auto above = [&](std::uint32_t v) { return positions[v].z() >= plane; };
  for (const geometry::Triangle& t : triangles) {
    geometry::Segment ends{};
    bool goes_through = false;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t from = t[c], to = t[(c + 1) % 3];
      if (above(from) == above(to)) continue;
      ends[above(from) ? 0 : 1] = point_on(from, to);
      goes_through = true;
    }
    if (goes_through) segments.push_back(ends);
  }
  const double grain = 1e-9 * size;
  drop_grains(grain, grain * size, points, segments);
}

double volume_of(const geometry::TriangleMesh& mesh) {
  double sum = 0;
  for (const geometry::Triangle& t : mesh.triangles)
    sum += mesh.positions[t[0]].dot(mesh.positions[t[1]].cross(mesh.positions[t[2]]));
  return sum / 6;
}

}  // namespace

void WetRigid::place(std::vector<WetRigidBody> bodies, std::optional<double> plane) {
  bodies_ = std::move(bodies);
  held_ = {};
  radii_.clear(), positions_.clear(), triangles_.clear(), segments_.clear(), entries_.clear();
  body_of_point_.clear();
  depths_.assign(bodies_.size(), 1);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    radii_.push_back(contact::bounding_radius(bodies_[b].shape));
    if (plane)
      add_section(b, *plane);
    else
      add_space(b);
  }
  place_outline(plane.has_value());
  reduction_.resize(unknowns(), (plane ? 2 : 3) * static_cast<int>(positions_.size()));
  reduction_.setFromTriplets(entries_.begin(), entries_.end());
}

// In the plane the points of the sections move with their bodies.
void WetRigid::place_outline(bool flat) {
  flat_ = flat;
  outline_.reset();
  if (!flat || segments_.empty()) return;
  find_point_velocities();
  outline_ = std::make_unique<WetOutline>(positions_, segments_);
  outline_->move(positions_, point_velocities_);
}

void WetRigid::find_point_velocities() {
  point_velocities_.clear();
  for (std::size_t n = 0; n < positions_.size(); ++n) {
    const WetRigidBody& body = bodies_[body_of_point_[n]];
    const Vec3 v = body.velocity + body.spin.cross(positions_[n] - body.pose.position);
    point_velocities_.emplace_back(v.x(), v.y(), 0);
  }
}

void WetRigid::set_velocities(std::span<const double> unknowns) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (bodies_[b].inverse_mass == 0) continue;
    bodies_[b].velocity = Eigen::Map<const Vec3>(unknowns.data() + 6 * b);
    bodies_[b].spin = Eigen::Map<const Vec3>(unknowns.data() + 6 * b + 3);
  }
  if (!outline_) return;
  find_point_velocities();
  outline_->set_velocities(point_velocities_);
}

void WetRigid::add_space(std::size_t b) {
  const WetRigidBody& body = bodies_[b];
  const auto first = static_cast<std::uint32_t>(positions_.size());
  for (const Vec3& p : body.surface->positions) {
    const int row = 6 * static_cast<int>(b), column = 3 * static_cast<int>(positions_.size());
    const Vec3 arm = body.pose.axes * p;
    positions_.push_back(body.pose.position + arm);
    for (int axis = 0; axis < 3; ++axis) entries_.emplace_back(row + axis, column + axis, 1.0);
    // torque = arm × force
    for (int axis = 0; axis < 3; ++axis) {
      const int next = (axis + 1) % 3, last = (axis + 2) % 3;
      entries_.emplace_back(row + 3 + axis, column + last, arm[next]);
      entries_.emplace_back(row + 3 + axis, column + next, -arm[last]);
    }
  }
  for (const geometry::Triangle& t : body.surface->triangles)
    triangles_.push_back({first + t[0], first + t[1], first + t[2]});
}

void WetRigid::add_section(std::size_t b, double plane) {
  const WetRigidBody& body = bodies_[b];
  const auto first = static_cast<std::uint32_t>(positions_.size());
  std::vector<Vec3> placed, points;
  std::vector<geometry::Segment> segments;
  for (const Vec3& p : body.surface->positions) placed.push_back(body.pose.position + body.pose.axes * p);
  cut_by_plane(placed, body.surface->triangles, plane, points, segments);
  double area = 0;
  for (const auto& s : segments)
    area += 0.5 * (points[s[0]].x() * points[s[1]].y() - points[s[0]].y() * points[s[1]].x());
  if (!(area > 0)) return;  // beside the plane
  depths_[b] = volume_of(*body.surface) / area;
  for (const auto& s : segments) segments_.push_back({first + s[0], first + s[1]});
  for (const Vec3& x : points) {
    const int row = 6 * static_cast<int>(b), column = 2 * static_cast<int>(positions_.size());
    const Vec3 arm = x - body.pose.position;
    positions_.push_back(x), body_of_point_.push_back(b);
    for (int axis = 0; axis < 2; ++axis) entries_.emplace_back(row + axis, column + axis, 1.0);
    entries_.emplace_back(row + 5, column + 1, arm.x());
    entries_.emplace_back(row + 5, column, -arm.y());
  }
}

ports::FieldSample WetRigid::sample(const Vec3& point, double) const {
  if (outline_) return outline_->sample(point, 0);
  ports::FieldSample nearest;
  nearest.distance = std::numeric_limits<double>::max();
  if (flat_) return nearest;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const WetRigidBody& body = bodies_[b];
    const Vec3 arm = point - body.pose.position;
    if (arm.norm() - radii_[b] > nearest.distance) continue;
    const geometry::SurfaceDistance d = contact::distance(body.shape, body.pose.axes.transpose() * arm);
    if (d.distance >= nearest.distance) continue;
    nearest.distance = d.distance;
    nearest.normal = body.pose.axes * d.normal;
    nearest.velocity = body.velocity + body.spin.cross(arm - d.distance * nearest.normal);
  }
  return nearest;
}

void WetRigid::answer(double dt, std::span<const double> forces, std::span<double> changes) const {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Eigen::Map<const Vec3> force(forces.data() + 6 * b), torque(forces.data() + 6 * b + 3);
    Eigen::Map<Vec3>(changes.data() + 6 * b) = dt * depths_[b] * bodies_[b].inverse_mass * force;
    Eigen::Map<Vec3>(changes.data() + 6 * b + 3) = dt * depths_[b] * (bodies_[b].inverse_inertia * torque);
  }
  held_.project(changes);
}

// In a flat liquid joints, too, count per metre of depth: their impulses cancel per metre, as the system
// stays symmetric.
void WetRigid::hold(std::span<const RigidHold> holds) {
  std::vector<RigidWeight> weights;
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    weights.push_back({depths_[b] * bodies_[b].inverse_mass, depths_[b] * bodies_[b].inverse_inertia});
  held_.prepare(weights, holds);
}

}  // namespace selkie::coupling
