// See wet_rigid.h.
#include "selkie/coupling/wet_rigid.h"

#include <limits>

namespace selkie::coupling {

void WetRigid::place(std::vector<WetRigidBody> bodies) {
  bodies_ = std::move(bodies);
  radii_.clear(), positions_.clear(), triangles_.clear();
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const WetRigidBody& body = bodies_[b];
    radii_.push_back(contact::bounding_radius(body.shape));
    const auto first = static_cast<std::uint32_t>(positions_.size());
    for (const Vec3& p : body.surface->positions) {
      const int row = 6 * static_cast<int>(b), column = 3 * static_cast<int>(positions_.size());
      const Vec3 arm = body.pose.axes * p;
      positions_.push_back(body.pose.position + arm);
      for (int axis = 0; axis < 3; ++axis) entries.emplace_back(row + axis, column + axis, 1.0);
      // torque = arm × force
      for (int axis = 0; axis < 3; ++axis) {
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        entries.emplace_back(row + 3 + axis, column + last, arm[next]);
        entries.emplace_back(row + 3 + axis, column + next, -arm[last]);
      }
    }
    for (const geometry::Triangle& t : body.surface->triangles)
      triangles_.push_back({first + t[0], first + t[1], first + t[2]});
  }
  reduction_.resize(unknowns(), 3 * static_cast<int>(positions_.size()));
  reduction_.setFromTriplets(entries.begin(), entries.end());
}

ports::FieldSample WetRigid::sample(const Vec3& point, double) const {
  ports::FieldSample nearest;
  nearest.distance = std::numeric_limits<double>::max();
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
    Eigen::Map<Vec3>(changes.data() + 6 * b) = dt * bodies_[b].inverse_mass * force;
    Eigen::Map<Vec3>(changes.data() + 6 * b + 3) = dt * bodies_[b].inverse_inertia * torque;
  }
}

}  // namespace selkie::coupling
