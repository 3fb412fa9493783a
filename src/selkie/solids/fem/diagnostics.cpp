// Energies, momenta, volume and stress, summed over fixed blocks.
#include "selkie/solids/fem/diagnostics.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/solids/fem/elements.h"

namespace selkie::fem {
namespace {

double determinant(const Model& model, const Buffer<Vec3>& x, std::size_t e) {
  return model.dimension == 2 ? deformation_gradient<2>(model, x, e).determinant()
                              : deformation_gradient<3>(model, x, e).determinant();
}

// F with the third stretch of plane strain.
Mat3 solid_gradient(const Model& model, const Buffer<Vec3>& x, std::size_t e) {
  if (model.dimension == 3) return deformation_gradient<3>(model, x, e);
  Mat3 f = Mat3::Identity();
  f.topLeftCorner<2, 2>() = deformation_gradient<2>(model, x, e);
  return f;
}

double equivalent_stress(Law law, const Lame& constants, const Mat3& f) {
  const double j = std::max(std::abs(f.determinant()), 1e-6);
  const Mat3 cauchy = stress<3>(law, constants, f) * f.transpose() / j;
  const Mat3 deviator = cauchy - cauchy.trace() / 3 * Mat3::Identity();
  return std::sqrt(1.5 * deviator.squaredNorm());
}

}  // namespace

Diagnostics diagnose(const Model& model, const Params& params, const Vec3& gravity, const State& state) {
  const auto& x = state.positions;
  const auto& v = state.velocities;
  const auto& m = model.masses;
  const std::size_t vertices = model.vertex_count;
  auto sum_vector = [&](auto&& term) {
    Vec3 total;
    for (int c = 0; c < 3; ++c)
      total[c] = deterministic_sum(vertices, [&](std::size_t i) { return Vec3(term(i))[c]; });
    return total;
  };
  Diagnostics d;
  d.kinetic_energy =
      deterministic_sum(vertices, [&](std::size_t i) { return 0.5 * m[i] * v[i].squaredNorm(); });
  d.elastic_energy = elastic_energy(model, params, x);
  d.gravitational_energy =
      deterministic_sum(vertices, [&](std::size_t i) { return -m[i] * gravity.dot(x[i]); });
  d.volume = deformed_volume(model, x);
  d.momentum = sum_vector([&](std::size_t i) { return Vec3(m[i] * v[i]); });
  d.angular_momentum = sum_vector([&](std::size_t i) { return Vec3(m[i] * x[i].cross(v[i])); });
  d.centre_of_mass = sum_vector([&](std::size_t i) { return Vec3(m[i] * x[i]); }) / total_mass(model);
  d.inverted = static_cast<std::size_t>(deterministic_sum(
      model.element_count, [&](std::size_t e) { return determinant(model, x, e) > 0 ? 0.0 : 1.0; }));
  d.max_speed = deterministic_max(vertices, 0, [&](std::size_t i) { return v[i].norm(); });
  return d;
}

void vertex_stress(const Model& model, const Params& params, const Buffer<Vec3>& x,
                   std::span<double> result) {
  const Lame constants = lame(params.young, params.poisson);
  std::fill(result.begin(), result.end(), 0.0);
  for (std::size_t e = 0; e < model.element_count; ++e) {
    const double value = equivalent_stress(params.law, constants, solid_gradient(model, x, e));
    const double mass = model.density * model.volumes[e] / static_cast<double>(model.corner_count());
    for (std::size_t c = 0; c < model.corner_count(); ++c) result[model.corner(e, c)] += mass * value;
  }
  for (std::size_t i = 0; i < result.size(); ++i) result[i] *= model.inverse_masses[i];
}

}  // namespace selkie::fem
