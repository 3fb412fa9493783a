// Shape matching: what the goals reproduce (RT-34 … RT-36), and recovery from being pressed flat and turned
// inside out.
#include <algorithm>
#include <cmath>

#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/math/random_vector.h"
#include "selkie/math/rotation.h"
#include "selkie/solids/shape_matching/diagnostics.h"
#include "selkie/solids/shape_matching/matching.h"
#include "selkie/solids/shape_matching/step.h"
#include "selkie/studies/elasticity_cases.h"

namespace selkie::studies::elasticity_cases {
namespace {

namespace sm = shape_matching;

constexpr std::array kModes{sm::Mode::rigid, sm::Mode::linear, sm::Mode::quadratic};

std::string name_of(sm::Mode mode) {
  return std::string(describe(static_cast<sm::Mode*>(nullptr))[static_cast<std::size_t>(mode)]);
}

sm::Model block(const sm::ClusterOptions& options = {}) {
  const sm::BodyInput body =
      sm::from_tets(geometry::tet_box({Vec3::Zero(), Vec3(1, 0.8, 0.6), {3, 3, 3}}), 1000);
  return sm::build_model(std::span(&body, 1), options);
}

std::vector<Vec3> goals_of(const sm::Model& model, const sm::Params& params, std::span<const Vec3> p) {
  std::vector<Vec3> goals(p.size(), Vec3::Zero());
  for (std::size_t c = 0; c < model.cluster_count(); ++c) {
    sm::Mat39 quadratic = sm::Mat39::Zero();
    const sm::Fit fit = sm::fit_cluster(model, params, c, p, Mat3::Identity(), Mat3::Identity(), quadratic);
    for (const std::uint32_t v : model.vertices_of(c))
      goals[v] += sm::cluster_goal(model, params, c, v, fit, quadratic);
  }
  for (std::size_t v = 0; v < goals.size(); ++v) goals[v] /= static_cast<double>(model.clusters_of(v).size());
  return goals;
}

// Largest distance of a goal from its point for a map that the mode can show.
double reproduction_error(sm::Mode mode) {
  const sm::Model model = block();
  sm::Params params;
  params.mode = mode;
  params.beta = 1;
  Mat3 shear = Mat3::Identity();
  shear(0, 1) = 0.8, shear(2, 0) = -0.4;
  const Mat3 turn = rotation_from_vector(Vec3(0.7, -1.9, 0.4));
  std::vector<Vec3> p;
  for (Vec3 x : model.rest_positions) {
    if (mode == sm::Mode::linear) x = shear * x;
    if (mode == sm::Mode::quadratic)
      x = Vec3(x.x() + 0.2 * x.y() * x.y(), x.y() - 0.3 * x.x() * x.z(), x.z() + 0.15 * x.z() * x.z());
    p.push_back(turn * x);
  }
  const std::vector<Vec3> g = goals_of(model, params, p);
  double worst = 0;
  for (std::size_t i = 0; i < p.size(); ++i) worst = std::max(worst, (g[i] - p[i]).norm());
  return worst;
}

// Σ m (g − p) and Σ m p × (g − p) of a shaken body of overlapping clusters, over Σ m |g − p|.
std::array<double, 2> momentum_errors(sm::Mode mode) {
  const sm::Model model = block({.vertices = 20});
  sm::Params params;
  params.mode = mode;
  std::vector<Vec3> p = model.rest_positions;
  RandomStream random(5, 0);
  for (Vec3& x : p) x += random_vector(random, -0.3, 0.3);
  const std::vector<Vec3> g = goals_of(model, params, p);
  Vec3 push = Vec3::Zero(), twist = Vec3::Zero();
  double size = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    push += model.masses[i] * (g[i] - p[i]);
    twist += model.masses[i] * p[i].cross(g[i] - p[i]);
    size += model.masses[i] * (g[i] - p[i]).norm();
  }
  return {push.norm() / size, twist.norm() / size};
}

// Shape error after 5 s from the given start.
double recovered(const sm::Model& model, sm::Mode mode, std::span<const Vec3> start) {
  sm::Params params;
  params.mode = mode;
  sm::State state = sm::make_state(model), to = state;
  state.positions.copy_from(start.data(), start.size());
  sm::Work work;
  sm::Inputs inputs;
  inputs.gravity = Vec3::Zero();
  for (int n = 0; n < 300; ++n) {
    if (!sm::step(model, params, inputs, {n, n + 1, 1.0 / 60}, state, to, work).ok) return std::nan("");
    state = to;
  }
  return sm::diagnose(model, Vec3::Zero(), state).shape_error;
}

}  // namespace

Table matching_table() {
  Table table{"Shape matching: goals reproduce what the mode can show, and carry no momentum",
              {"mode", "map", "largest distance (m)", "Σm(g−p)", "Σm p×(g−p)"},
              {},
              "RT-34 … RT-36; a body 1 m long: round-off is some 1e-15 m, 1e-13 allowed for the 9×9 fit. "
              "Momenta of a shaken body of overlapping clusters, relative to Σm|g−p|."};
  const std::array maps{"rotation", "shear, det = 1", "quadratic"};
  for (std::size_t k = 0; k < kModes.size(); ++k) {
    const double error = reproduction_error(kModes[k]);
    const auto [push, twist] = momentum_errors(kModes[k]);
    table.rows.push_back({{name_of(kModes[k]), maps[k], number(error), number(push), number(twist)},
                          error < 1e-13 && push < 1e-13 && twist < 1e-13});
  }
  return table;
}

Table matching_recovery_table() {
  Table table{"Shape matching: shape error 5 s after being pressed flat or turned inside out",
              {"body", "start", "mode", "shape error", "allowed"},
              {},
              "Root mean square distance from the shape at rest over its size; 1 % is what RT-02 allows."};
  const sm::BodyInput torus = sm::from_triangles(
      geometry::torus_surface({.major_radius = 0.4, .minor_radius = 0.15, .divisions = {24, 12}}), 1000,
      0.01);
  const sm::BodyInput ball = sm::from_tets(geometry::tet_ball({.radius = 0.5, .divisions = 3}), 1000);
  const sm::Model ring = sm::build_model(std::span(&torus, 1)), solid = sm::build_model(std::span(&ball, 1));
  std::vector<Vec3> flat = ring.rest_positions, inverted = solid.rest_positions;
  for (Vec3& x : flat) x.y() = 0;
  for (Vec3& x : inverted) x = -x;
  for (const sm::Mode mode : kModes) {
    const double from_flat = recovered(ring, mode, flat), from_inverted = recovered(solid, mode, inverted);
    table.rows.push_back({{"torus", "height 0", name_of(mode), number(from_flat), "0.01"}, from_flat < 0.01});
    table.rows.push_back(
        {{"ball", "x → −x", name_of(mode), number(from_inverted), "0.01"}, from_inverted < 0.01});
  }
  return table;
}

}  // namespace selkie::studies::elasticity_cases
