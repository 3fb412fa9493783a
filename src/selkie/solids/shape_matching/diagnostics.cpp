// See diagnostics.h.
#include "selkie/solids/shape_matching/diagnostics.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/solids/shape_matching/matching.h"

namespace selkie::shape_matching {

void vertex_errors(const Model& model, const State& state, std::span<double> errors) {
  Params rigid;
  rigid.mode = Mode::rigid;
  Mat39 none = Mat39::Zero();
  std::vector<Vec3> goals(model.vertex_count, Vec3::Zero());
  for (std::size_t c = 0; c < model.cluster_count(); ++c) {
    const Fit fit =
        fit_cluster(model, rigid, c, state.positions.span(), state.rotations[c], state.plastic[c], none);
    for (const std::uint32_t v : model.vertices_of(c))
      goals[v] += cluster_goal(model, rigid, c, v, fit, none);
  }
  for (std::size_t i = 0; i < model.vertex_count; ++i)
    errors[i] = (goals[i] / static_cast<double>(model.clusters_of(i).size()) - state.positions[i]).norm();
}

Diagnostics diagnose(const Model& model, const Vec3& gravity, const State& state) {
  const auto& x = state.positions;
  const auto& v = state.velocities;
  const auto& m = model.masses;
  const std::size_t count = model.vertex_count;
  auto sum_vector = [&](auto&& term) {
    Vec3 total;
    for (int c = 0; c < 3; ++c)
      total[c] = deterministic_sum(count, [&](std::size_t i) { return Vec3(term(i))[c]; });
    return total;
  };
  Diagnostics d;
  d.kinetic_energy = deterministic_sum(count, [&](std::size_t i) { return 0.5 * m[i] * v[i].squaredNorm(); });
  d.gravitational_energy = deterministic_sum(count, [&](std::size_t i) { return -m[i] * gravity.dot(x[i]); });
  d.momentum = sum_vector([&](std::size_t i) { return Vec3(m[i] * v[i]); });
  d.angular_momentum = sum_vector([&](std::size_t i) { return Vec3(m[i] * x[i].cross(v[i])); });
  d.max_speed = deterministic_max(count, 0, [&](std::size_t i) { return v[i].norm(); });
  std::vector<double> errors(count);
  vertex_errors(model, state, errors);
  const double squares = deterministic_sum(count, [&](std::size_t i) {
    const double error = errors[i] / model.clusters[model.clusters_of(i)[0]].size;
    return error * error;
  });
  d.shape_error = std::sqrt(squares / static_cast<double>(count));
  for (const Mat3& plastic : state.plastic)
    d.plastic_strain = std::max(d.plastic_strain, (plastic - Mat3::Identity()).norm());
  return d;
}

}  // namespace selkie::shape_matching
