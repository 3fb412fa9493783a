// See inversion_guard.h. Volumes are computed four tetrahedra at a time; forces and tangents of the few that
// are squeezed are added one after the other in ascending order, so that bits depend on nothing else.
#include "selkie/solids/mass_spring/inversion_guard.h"

#include <algorithm>
#include <numbers>

#include "selkie/core/profile.h"
#include "selkie/solids/mass_spring/detail/lanes.h"

namespace selkie::mass_spring {
namespace {

using detail::all;
using detail::keep;
using detail::Lanes;
using detail::load;
using detail::Mask;

constexpr std::size_t kBlock = 2048;  // tetrahedra handed out together
constexpr Mask kXyz = {-1, -1, -1, 0};

inline Lanes turn_left(const Lanes& v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3); }   // y z x
inline Lanes turn_right(const Lanes& v) { return __builtin_shufflevector(v, v, 2, 0, 1, 3); }  // z x y

// The products whose sum is (e1 × e2)·e3, in three lanes.
inline Lanes determinant_terms(const double* x, const geometry::Tet& tet) {
  const Lanes origin = load(x + 3 * std::size_t{tet[0]});
  const Lanes e1 = load(x + 3 * std::size_t{tet[1]}) - origin;
  const Lanes e2 = load(x + 3 * std::size_t{tet[2]}) - origin;
  const Lanes e3 = load(x + 3 * std::size_t{tet[3]}) - origin;
  const Lanes turned_cross = e1 * turn_left(e2) - turn_left(e1) * e2;  // e1 × e2 as z x y
  return keep(kXyz, turned_cross * turn_right(e3));
}

// Writes the squeezed tetrahedra of [begin, end) to `out`; returns how many.
std::uint32_t scan(const InversionGuard& guard, const double* x, double threshold, std::size_t begin,
                   std::size_t end, std::uint32_t* out) {
  std::uint32_t count = 0;
  std::size_t t = begin;
  const geometry::Tet* tets = guard.tets.data();
  for (; t + 4 <= end; t += 4) {
    const Lanes ratio = load(guard.inverse_determinants.data() + t) *
                        detail::sums(determinant_terms(x, tets[t]), determinant_terms(x, tets[t + 1]),
                                     determinant_terms(x, tets[t + 2]), determinant_terms(x, tets[t + 3]));
    const Mask low = ratio < all(threshold);
    if ((low[0] | low[1] | low[2] | low[3]) == 0) continue;
    for (int k = 0; k < 4; ++k)
      if (low[k] != 0) out[count++] = static_cast<std::uint32_t>(t) + static_cast<std::uint32_t>(k);
  }
  for (; t < end; ++t) {
    const Lanes terms = determinant_terms(x, tets[t]);
    const double ratio = guard.inverse_determinants[t] * ((terms[0] + terms[1]) + terms[2]);
    if (ratio < threshold) out[count++] = static_cast<std::uint32_t>(t);
  }
  return count;
}

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

std::span<const std::uint32_t> find_squeezed(const Model& model, const Buffer<Vec3>& x, double threshold,
                                             Work& work) {
  const std::size_t count = model.guard.tets.size(), blocks = (count + kBlock - 1) / kBlock;
  work.squeezed.resize(count);
  work.squeezed_in_block.resize(blocks);
  // Each block writes to its own part of the list.
  parallel_blocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
    work.squeezed_in_block[begin / kBlock] =
        scan(model.guard, x.data()->data(), threshold, begin, end, work.squeezed.data() + begin);
  });
  std::size_t found = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::uint32_t* from = work.squeezed.data() + block * kBlock;
    if (const std::uint32_t n = work.squeezed_in_block[block]; n > 0) {
      std::copy(from, from + n, work.squeezed.data() + found);
      found += n;
    }
  }
  return work.squeezed.span().first(found);
}

void add_guard_forces(const Model& model, const Params& params, const Buffer<Vec3>& x, Buffer<Vec4>& f,
                      Work& work) {
  if (!has_guard(model, params)) return;
  const ProfileZone zone("mass_spring.guard");
  for (const std::uint32_t t : find_squeezed(model, x, params.inversion_threshold, work)) {
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
