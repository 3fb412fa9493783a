// Energies, momenta and strains, summed over fixed blocks.
#include "selkie/solids/mass_spring/diagnostics.h"

#include <algorithm>

#include "selkie/core/parallel.h"
#include "selkie/solids/mass_spring/altitude_springs.h"
#include "selkie/solids/mass_spring/inversion_guard.h"
#include "selkie/solids/mass_spring/spring_law.h"

namespace selkie::mass_spring {

Diagnostics diagnose(const Model& model, const Params& params, const Vec3& gravity, const State& state) {
  const std::size_t vertices = model.vertex_count, springs = model.spring_count();
  const auto& x = state.positions;
  const auto& v = state.velocities;
  const auto& m = model.masses;
  auto sum_vector = [&](auto&& term) {
    Vec3 total;
    for (int c = 0; c < 3; ++c)
      total[c] = deterministic_sum(vertices, [&](std::size_t i) { return Vec3(term(i))[c]; });
    return total;
  };
  auto length = [&](std::size_t s) { return (x[model.springs[s][1]] - x[model.springs[s][0]]).norm(); };
  auto strain = [&](std::size_t s) {
    return model.rest_lengths[s] > 0 ? length(s) / model.rest_lengths[s] - 1 : 0;
  };

  Diagnostics d;
  d.kinetic_energy =
      deterministic_sum(vertices, [&](std::size_t i) { return 0.5 * m[i] * v[i].squaredNorm(); });
  d.elastic_energy = deterministic_sum(springs, [&](std::size_t s) {
    return elastic_energy(params, params.stiffness * model.relative_stiffness[s], model.rest_lengths[s],
                          length(s));
  });
  d.elastic_energy += guard_energy(model, params, [&](std::uint32_t i) -> const Vec3& { return x[i]; });
  d.elastic_energy += altitude_energy(model, params, x);
  d.gravitational_energy =
      deterministic_sum(vertices, [&](std::size_t i) { return -m[i] * gravity.dot(x[i]); });
  d.momentum = sum_vector([&](std::size_t i) { return m[i] * v[i]; });
  d.angular_momentum = sum_vector([&](std::size_t i) { return Vec3(m[i] * x[i].cross(v[i])); });
  if (vertices > 0)
    d.centre_of_mass = sum_vector([&](std::size_t i) { return m[i] * x[i]; }) / total_mass(model);
  d.max_stretch = std::max(0.0, deterministic_max(springs, 0, strain));
  d.max_compression = std::max(0.0, deterministic_max(springs, 0, [&](std::size_t s) { return -strain(s); }));
  d.max_speed = deterministic_max(vertices, 0, [&](std::size_t i) { return v[i].norm(); });
  return d;
}

}  // namespace selkie::mass_spring
