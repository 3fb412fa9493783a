// See inversion_guard.h. Forces and tangents of the few tetrahedra that are squeezed are added one after the
// other in ascending order, so that bits depend on nothing else.
#include "selkie/solids/mass_spring/inversion_guard.h"

#include <numbers>

#include "selkie/core/profile.h"

namespace selkie::mass_spring {
namespace {

// The matrix of v ↦ e × v.
Mat3 cross_matrix(const Vec3& e) {
  Mat3 m;
  m << 0, -e.z(), e.y(), e.z(), 0, -e.x(), -e.y(), e.x(), 0;
  return m;
}

// The blocks ∂²J/∂x_i∂x_j for i < j in the order 01, 02, 03, 12, 13, 23; those with i = j vanish.
std::array<Mat3, 6> volume_curvature(const InversionGuard& guard, std::size_t t, const Buffer<Vec3>& x) {
  const auto& [a, b, c, d] = guard.tets[t];
  const double factor = guard.inverse_determinants[t];
  const Vec3 e1 = factor * (x[b] - x[a]), e2 = factor * (x[c] - x[a]), e3 = factor * (x[d] - x[a]);
  return {cross_matrix(e2 - e3), cross_matrix(e3 - e1), cross_matrix(e1 - e2),
          cross_matrix(-e3),     cross_matrix(e2),      cross_matrix(-e1)};
}

}  // namespace

std::array<Vec3, 4> volume_gradients(const InversionGuard& guard, std::size_t t, const Buffer<Vec3>& x) {
  const auto& [a, b, c, d] = guard.tets[t];
  const Vec3 e1 = x[b] - x[a], e2 = x[c] - x[a], e3 = x[d] - x[a];
  const double factor = guard.inverse_determinants[t];
  const Vec3 g1 = factor * e2.cross(e3), g2 = factor * e3.cross(e1), g3 = factor * e1.cross(e2);
  return {-(g1 + g2 + g3), g1, g2, g3};
}

void add_guard_forces(const Model& model, const Params& params, const Buffer<Vec3>& x, Buffer<Vec4>& f,
                      Work& work, bool stayed) {
  if (!has_guard(model, params)) return;
  const ProfileZone zone("mass_spring.guard");
  for (const std::uint32_t t : find_squeezed(model, x, params.inversion_threshold, work, stayed)) {
    const double ratio = volume_ratio(model.guard, t, [&](std::uint32_t i) -> const Vec3& { return x[i]; });
    const double push =
        guard_stiffness(model, params, t) * guard_push(params, params.inversion_threshold - ratio);
    const std::array<Vec3, 4> gradients = volume_gradients(model.guard, t, x);
    for (std::size_t k = 0; k < 4; ++k) f[model.guard.tets[t][k]].head<3>() += push * gradients[k];
  }
}

void add_guard_tangent(const Model& model, const Params& params, const Buffer<Vec3>& x,
                       const TangentWeights& weights, Work& work) {
  if (!has_guard(model, params) || weights.stiffness == 0) return;
  linalg::BlockSparseSymmetric<3>& matrix = work.system->matrix;
  for (const std::uint32_t t : find_squeezed(model, x, params.inversion_threshold, work)) {
    const geometry::Tet& tet = model.guard.tets[t];
    const double k = weights.stiffness * guard_stiffness(model, params, t);
    const std::array<Vec3, 4> g = volume_gradients(model.guard, t, x);
    const double ratio = volume_ratio(model.guard, t, [&](std::uint32_t i) -> const Vec3& { return x[i]; });
    const double missing = params.inversion_threshold - ratio, pushed = guard_push(params, missing);
    const bool exact = weights.geometric == Geometric::exact;
    const double slope = !exact ? k * pushed / missing : pushed < missing ? 0 : k;
    const double push = exact ? k * pushed : 0;
    const double bound = weights.geometric == Geometric::absolute ? k * pushed : 0;
    const std::array<Mat3, 6> curvature = volume_curvature(model.guard, t, x);
    std::size_t pair = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      matrix.add_diagonal(tet[i], slope * g[i] * g[i].transpose());
      for (std::size_t j = i + 1; j < 4; ++j, ++pair) {
        matrix.add_edge(tet[i], tet[j], slope * g[i] * g[j].transpose() - push * curvature[pair]);
        if (bound == 0) continue;
        const Mat3 norm = bound * curvature[pair].norm() / std::numbers::sqrt2 * Mat3::Identity();
        matrix.add_diagonal(tet[i], norm);
        matrix.add_diagonal(tet[j], norm);
      }
    }
  }
}

}  // namespace selkie::mass_spring
