// See diagnostics.h. Sums over fixed blocks.
#include "selkie/solids/pbd/diagnostics.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"

namespace selkie::pbd {
namespace {

struct Link {
  std::uint32_t a, b;
  double rest;
  bool used;
};
Link link_at(const Links& links, std::size_t lane) {
  const std::uint32_t* first = links.batch.corners.data() + lane / kLanes * 2 * kLanes + lane % kLanes;
  return {first[0], first[kLanes], links.rest[lane], links.batch.source[lane] != kNoConstraint};
}

}  // namespace

Diagnostics diagnose(const Model& model, const Params& params, const Vec3& gravity, const State& state) {
  const std::size_t vertices = model.vertex_count, lanes = model.stretch.rest.size();
  const auto& x = state.positions;
  const auto& v = state.velocities;
  const auto& m = model.masses;
  auto sum_vector = [&](auto&& term) {
    Vec3 total;
    for (int c = 0; c < 3; ++c)
      total[c] = deterministic_sum(vertices, [&](std::size_t i) { return Vec3(term(i))[c]; });
    return total;
  };
  auto stretch = [&](std::size_t lane) {  // m
    const Link link = link_at(model.stretch, lane);
    return link.used ? (x[link.a] - x[link.b]).norm() - link.rest : 0;
  };
  auto strain = [&](std::size_t lane) {
    const double rest = model.stretch.rest[lane];
    return rest > 0 ? stretch(lane) / rest : 0;
  };
  Diagnostics d;
  d.kinetic_energy =
      deterministic_sum(vertices, [&](std::size_t i) { return 0.5 * m[i] * v[i].squaredNorm(); });
  d.gravitational_energy =
      deterministic_sum(vertices, [&](std::size_t i) { return -m[i] * gravity.dot(x[i]); });
  if (params.method == Method::xpbd && params.stretch_compliance > 0)
    d.elastic_energy = deterministic_sum(
        lanes, [&](std::size_t k) { return 0.5 * stretch(k) * stretch(k) / params.stretch_compliance; });
  d.momentum = sum_vector([&](std::size_t i) { return m[i] * v[i]; });
  d.angular_momentum = sum_vector([&](std::size_t i) { return Vec3(m[i] * x[i].cross(v[i])); });
  d.max_stretch = std::max(0.0, deterministic_max(lanes, 0, strain));
  d.max_compression = std::max(0.0, deterministic_max(lanes, 0, [&](std::size_t k) { return -strain(k); }));
  d.max_speed = deterministic_max(vertices, 0, [&](std::size_t i) { return v[i].norm(); });
  d.volume = enclosed_volume(model, x);
  return d;
}

void vertex_strain(const Model& model, std::span<const Vec3> x, std::span<double> strain) {
  std::fill(strain.begin(), strain.end(), 0.0);
  for (std::size_t lane = 0; lane < model.stretch.rest.size(); ++lane) {
    const Link link = link_at(model.stretch, lane);
    if (!link.used || !(link.rest > 0)) continue;
    const double value = std::abs((x[link.a] - x[link.b]).norm() / link.rest - 1);
    for (const std::uint32_t i : {link.a, link.b}) strain[i] = std::max(strain[i], value);
  }
}

}  // namespace selkie::pbd
