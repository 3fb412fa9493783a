// See damping.h.
#include "selkie/solids/shape_matching/damping.h"

#include <Eigen/Eigenvalues>
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

void damp_body(const Model& model, std::size_t body, double share, State& to, const Work& work) {
  const std::uint32_t begin = model.body_begin[body], end = model.body_begin[body + 1];
  double mass = 0;
  Vec3 centre = Vec3::Zero(), velocity = Vec3::Zero();
  for (std::uint32_t i = begin; i < end; ++i) {
    mass += model.masses[i];
    centre += model.masses[i] * to.positions[i];
    velocity += model.masses[i] * to.velocities[i];
  }
  centre /= mass, velocity /= mass;
  Vec3 spin = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
  for (std::uint32_t i = begin; i < end; ++i) {
    const Vec3 r = to.positions[i] - centre;
    spin += model.masses[i] * r.cross(to.velocities[i] - velocity);
    inertia += model.masses[i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  const Vec3 omega = angular_velocity(inertia, spin);
  for (std::uint32_t i = begin; i < end; ++i)
    if (work.kinematic[i] == 0)
      to.velocities[i] += share * (velocity + omega.cross(to.positions[i] - centre) - to.velocities[i]);
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

}  // namespace selkie::shape_matching
