// See state.h.
#include "selkie/fluids/surface_water/state.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/core/parallel.h"

namespace selkie::surface_water {

Model make_model(geometry::TriangleMesh mesh, double bottom, double least_angle_degrees,
                 const std::string& source, bool open) {
  Model model;
  make_complex(mesh, source, open);  // refuses with the numbers of the file
  const std::vector<geometry::Segment> edges = geometry::unique_edges(mesh.triangles);
  model.original = geometry::locality_order(mesh.positions.size(), edges);
  geometry::renumber(mesh, model.original);
  model.complex = make_complex(mesh, source, open);
  model.rest.copy_from(mesh.positions.data(), mesh.positions.size());
  model.bottom.assign(mesh.positions.size(), bottom);
  model.least_angle = least_angle_degrees * std::numbers::pi / 180;
  measure(model.complex, model.rest, model.least_angle, model.metric);
  return model;
}

State make_state(const Model& model, double depth) {
  State state;
  state.depth.assign(model.complex.vertex_count, depth);
  state.rate_1.assign(model.complex.face_count, 0);
  state.rate_2.assign(model.complex.face_count, 0);
  state.positions = model.rest;
  state.dual_area = model.metric.dual_area;
  return state;
}

double volume(const State& state) {
  return deterministic_sum(state.depth.size(),
                           [&](std::size_t v) { return state.dual_area[v] * state.depth[v]; });
}

Diagnostics diagnose(const Model& model, const Metric& m, const State& state) {
  const Complex& complex = model.complex;
  Diagnostics d;
  d.volume = volume(state);
  d.area = deterministic_sum(complex.vertex_count, [&](std::size_t v) { return state.dual_area[v]; });
  d.wet_area = deterministic_sum(complex.vertex_count,
                                 [&](std::size_t v) { return state.depth[v] > 0 ? state.dual_area[v] : 0; });
  d.potential = deterministic_sum(complex.vertex_count, [&](std::size_t v) {
    const double h = state.depth[v] - model.bottom[v];
    return 0.5 * state.dual_area[v] * h * h;
  });
  auto speed = [&](std::size_t f) { return vector_of(m, f, Vec2(state.rate_1[f], state.rate_2[f])).norm(); };
  auto mean_depth = [&](std::size_t f) {
    return (state.depth[complex.vertex[0][f]] + state.depth[complex.vertex[1][f]] +
            state.depth[complex.vertex[2][f]]) /
           3;
  };
  d.kinetic = deterministic_sum(complex.face_count, [&](std::size_t f) {
    const double s = speed(f);
    return 0.5 * m.area[f] * std::max(0.0, mean_depth(f)) * s * s;
  });
  // Speeds of dry faces mean nothing.
  d.top_speed = deterministic_max(complex.face_count, 0,
                                  [&](std::size_t f) { return mean_depth(f) > 0 ? speed(f) : 0; });
  d.deepest = deterministic_max(complex.vertex_count, 0, [&](std::size_t v) { return state.depth[v]; });
  d.shallowest = -deterministic_max(complex.vertex_count, 0, [&](std::size_t v) { return -state.depth[v]; });
  return d;
}

}  // namespace selkie::surface_water
