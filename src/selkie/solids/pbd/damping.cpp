// See damping.h.
#include "selkie/solids/pbd/damping.h"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "selkie/core/parallel.h"

namespace selkie::pbd {

RigidMotion rigid_motion(const Model& model, const State& state) {
  const std::size_t count = model.vertex_count;
  const auto& x = state.positions;
  const auto& v = state.velocities;
  const auto& m = model.masses;
  auto sum = [&](auto&& term) {
    Vec3 total;
    for (int c = 0; c < 3; ++c)
      total[c] = deterministic_sum(count, [&](std::size_t i) { return Vec3(term(i))[c]; });
    return total;
  };
  const double mass = total_mass(model);
  const Vec3 centre = sum([&](std::size_t i) -> Vec3 { return m[i] * x[i]; }) / mass;
  const Vec3 velocity = sum([&](std::size_t i) -> Vec3 { return m[i] * v[i]; }) / mass;
  const Vec3 turning = sum([&](std::size_t i) -> Vec3 { return m[i] * (x[i] - centre).cross(v[i]); });
  const Vec3 squares = sum([&](std::size_t i) -> Vec3 { return m[i] * (x[i] - centre).cwiseAbs2(); });
  const Vec3 products = sum([&](std::size_t i) -> Vec3 {
    const Vec3 r = x[i] - centre;
    return m[i] * Vec3(r.y() * r.z(), r.z() * r.x(), r.x() * r.y());
  });
  Mat3 inertia;
  inertia << squares.y() + squares.z(), -products.z(), -products.y(), -products.z(),
      squares.z() + squares.x(), -products.x(), -products.y(), -products.x(), squares.x() + squares.y();
  // A straight rope has no inertia about itself: that axis is left alone.
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(inertia);
  Vec3 spin = Vec3::Zero();
  for (int c = 0; c < 3; ++c)
    if (const double moment = axes.eigenvalues()[c]; moment > 1e-12 * axes.eigenvalues()[2])
      spin += axes.eigenvectors().col(c).dot(turning) / moment * axes.eigenvectors().col(c);
  return {centre, velocity, spin};
}

void damp(const Model& model, double rate, double h, State& to) {
  const RigidMotion whole = rigid_motion(model, to);
  const double share = -std::expm1(-rate * h);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    if (to.pinned[i] == 0) to.velocities[i] += share * (whole.at(to.positions[i]) - to.velocities[i]);
  });
}

}  // namespace selkie::pbd
