// See rigid_answer.h.
#include "selkie/sim/systems/rigid_answer.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>

namespace selkie::sim {

RigidAnswer::Vec6 RigidAnswer::row(const Vec3& arm, const Vec3& direction) {
  Vec6 r;
  r << direction, arm.cross(direction);
  return r;
}

void RigidAnswer::prepare(std::span<const Vec3> positions, std::span<const double> inverse_masses,
                          std::span<const ports::HeldVertex> held) {
  positions_.assign(positions.begin(), positions.end());
  inverse_masses_.assign(inverse_masses.begin(), inverse_masses.end());
  held_of_.assign(positions.size(), -1);
  local_.clear();
  for (const ports::HeldVertex& h : held) {
    if (held_of_[h.vertex] >= 0) continue;
    held_of_[h.vertex] = static_cast<std::int32_t>(local_.size());
    local_.push_back(h.rests ? Mat3(Mat3::Zero()) : Mat3(Mat3::Identity() - h.normal * h.normal.transpose()));
  }
  for (std::size_t p = 0; p < parts_.size(); ++p) prepare_part(p, held);
}

void RigidAnswer::prepare_part(std::size_t p, std::span<const ports::HeldVertex> held) {
  const std::uint32_t begin = part_begin_[p], end = part_begin_[p + 1];
  Part& part = parts_[p];
  part = {};
  double mass = 0;
  bool pinned = false;
  for (std::uint32_t i = begin; i < end; ++i) {
    if (inverse_masses_[i] == 0) {
      pinned = true;
      continue;
    }
    mass += 1 / inverse_masses_[i];
    part.centre += positions_[i] / inverse_masses_[i];
  }
  if (pinned || stiff_[p] == 0 || end - begin < 2) return;
  part.whole = true;
  part.share = 1.0 / (end - begin);
  part.centre /= mass;
  Mat3 inertia = Mat3::Zero();
  for (std::uint32_t i = begin; i < end; ++i) {
    const Vec3 arm = positions_[i] - part.centre;
    inertia += (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose()) / inverse_masses_[i];
  }
  // A part on a line has no inertia about it, and is not turned about it either.
  inertia += 1e-9 * inertia.trace() * Mat3::Identity();
  part.answer.topLeftCorner<3, 3>() = Mat3::Identity() / mass;
  part.answer.bottomRightCorner<3, 3>() = inertia.inverse();
  // One collider after the other takes away the motion along its normal; what is left of a direction that
  // was taken before is nothing but round-off.
  for (const ports::HeldVertex& h : held) {
    if (h.vertex < begin || h.vertex >= end) continue;
    const Vec6 r = row(positions_[h.vertex] - part.centre, h.normal);
    const Vec6 moved = part.answer * r;
    const double along = r.dot(moved);
    if (along * mass > 1e-6) part.answer -= moved * moved.transpose() / along;
  }
}

void RigidAnswer::respond(std::span<const Vec3> impulses, std::span<Vec3> changes) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    const std::uint32_t begin = part_begin_[p], end = part_begin_[p + 1];
    Vec6 given = Vec6::Zero();
    for (std::uint32_t i = begin; i < end; ++i) {
      const Vec3& impulse = impulses[i];
      changes[i] = part.share * inverse_masses_[i] * impulse;
      if (const std::int32_t h = held_of_[i]; h >= 0)
        changes[i] = local_[static_cast<std::size_t>(h)] * changes[i];
      if (part.whole) {
        given.head<3>() += impulse;
        given.tail<3>() += (positions_[i] - part.centre).cross(impulse);
      }
    }
    if (!part.whole) continue;
    const Vec6 motion = (1 - part.share) * (part.answer * given);
    for (std::uint32_t i = begin; i < end; ++i)
      changes[i] += motion.head<3>() + motion.tail<3>().cross(positions_[i] - part.centre);
  }
}

}  // namespace selkie::sim
