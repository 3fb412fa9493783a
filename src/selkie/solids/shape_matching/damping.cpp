// See damping.h.
#include "selkie/solids/shape_matching/damping.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"

namespace selkie::shape_matching {
namespace {

// ω of least size with I ω = L: points on a line have no inertia about it.
Vec3 angular_velocity(const Mat3& inertia, const Vec3& angular_momentum) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia);
  Vec3 omega = Vec3::Zero();
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = eigen.eigenvectors().col(k);
    const double value = eigen.eigenvalues()[k];
    if (value > 1e-10 * eigen.eigenvalues()[2]) omega += axis.dot(angular_momentum) / value * axis;
  }
  return omega;
}

// The motion of a rigid body with the same masses and momenta.
struct RigidMotion {
  double mass = 0;  // kg
  Vec3 centre = Vec3::Zero(), velocity = Vec3::Zero(), spin = Vec3::Zero();
  Vec3 at(const Vec3& x) const { return velocity + spin.cross(x - centre); }
};
RigidMotion rigid_motion(const Model& model, std::size_t body, const State& to) {
  const std::uint32_t begin = model.body_begin[body], end = model.body_begin[body + 1];
  RigidMotion whole;
  for (std::uint32_t i = begin; i < end; ++i) {
    whole.mass += model.masses[i];
    whole.centre += model.masses[i] * to.positions[i];
    whole.velocity += model.masses[i] * to.velocities[i];
  }
  whole.centre /= whole.mass, whole.velocity /= whole.mass;
  Vec3 turning = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
  for (std::uint32_t i = begin; i < end; ++i) {
    const Vec3 r = to.positions[i] - whole.centre;
    turning += model.masses[i] * r.cross(to.velocities[i] - whole.velocity);
    inertia += model.masses[i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  whole.spin = angular_velocity(inertia, turning);
  return whole;
}

void damp_body(const Model& model, std::size_t body, double share, State& to, const Work& work) {
  const RigidMotion whole = rigid_motion(model, body, to);
  for (std::uint32_t i = model.body_begin[body]; i < model.body_begin[body + 1]; ++i)
    if (work.kinematic[i] == 0) to.velocities[i] += share * (whole.at(to.positions[i]) - to.velocities[i]);
}

// Share of a motion that is kept: uu = Σ m u·u, uv = Σ m u·v.
double kept_share(double uu, double uv, double mass) {
  if (!(uu > uv) || !(uu > mass * kLeap * kLeap)) return 1;
  return std::min(1.0, std::max(uv / uu, kLeap * std::sqrt(mass / uu)));
}

// `alone`: nothing outside touches it, so that its motion as a whole is what it was.
void bound_body(const Model& model, std::size_t body, const Vec3& fall, bool alone, const State& from,
                State& to) {
  const std::uint32_t begin = model.body_begin[body], end = model.body_begin[body + 1];
  double uu = 0, uv = 0, mass = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    mass += model.masses[i];
    uu += model.masses[i] * to.velocities[i].squaredNorm();
    uv += model.masses[i] * to.velocities[i].dot(from.velocities[i] + fall);
  }
  if (kept_share(uu, uv, mass) == 1) return;
  const RigidMotion whole = rigid_motion(model, body, to);
  double rigid_uu = 0, rigid_uv = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Vec3 u = whole.at(to.positions[i]);
    rigid_uu += model.masses[i] * u.squaredNorm();
    rigid_uv += model.masses[i] * u.dot(from.velocities[i] + fall);
  }
  const double kept = alone ? 1 : kept_share(rigid_uu, rigid_uv, mass),
               kept_deforming = kept_share(uu - rigid_uu, uv - rigid_uv, mass);
  for (std::uint32_t i = begin; i < end; ++i) {
    const Vec3 u = whole.at(to.positions[i]);
    to.velocities[i] = kept * u + kept_deforming * (to.velocities[i] - u);
  }
}

}  // namespace

void damp(const Model& model, const Params& params, double dt, State& to, const Work& work) {
  const ProfileZone zone("shape_matching.damping");
  const double share = -std::expm1(-params.damping * dt), kept = std::exp(-params.drag * dt);
  if (share > 0)
    parallel_for(
        model.body_count(), [&](std::size_t b) { damp_body(model, b, share, to, work); }, 4);
  if (params.drag > 0)
    parallel_for(model.vertex_count, [&](std::size_t i) {
      if (work.kinematic[i] == 0) to.velocities[i] *= kept;
    });
}

void bound_motion(const Model& model, const Inputs& inputs, double dt, bool crowd, const State& from,
                  State& to, const Work& work) {
  const ProfileZone zone("shape_matching.damping");
  parallel_for(
      model.body_count(),
      [&](std::size_t b) {
        bool left_alone = false;
        for (std::uint32_t i = model.body_begin[b]; i < model.body_begin[b + 1] && !left_alone; ++i)
          left_alone = work.kinematic[i] != 0 || (crowd && work.touching[i] != 0);
        if (!left_alone) bound_body(model, b, dt * inputs.gravity, work.near_colliders[b] == 0, from, to);
      },
      4);
}

}  // namespace selkie::shape_matching
