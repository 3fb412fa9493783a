// Position-based bodies: exact figures of the notes, residuals, static stretch, a hanging chain as a
// catenary, the global solver.
#include <algorithm>
#include <cmath>

#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/solids/pbd/constraints.h"
#include "selkie/solids/pbd/newton.h"
#include "selkie/solids/pbd/project.h"
#include "selkie/solids/pbd/step.h"
#include "selkie/studies/elasticity_cases.h"

namespace selkie::studies::elasticity_cases {
namespace {

using pbd::Corners;
using pbd::Model;
using pbd::Params;

// Projections of a body in a given pose.
struct Pose {
  Model model;
  pbd::Work work;
  Pose(Model made, const std::vector<Vec3>& positions) : model(std::move(made)) {
    pbd::State state = pbd::make_state(model);
    state.positions.copy_from(positions.data(), positions.size());
    pbd::predict(model, {}, {.gravity = Vec3::Zero()}, {0, 1, 1.0}, state, work);
  }
  void sweep(const Params& params, int times) {
    for (int n = 0; n < times; ++n) pbd::sweep(model, params, pbd::sweep_rule(params, 1), work);
  }
  Vec3 at(std::size_t i) const { return work.points[i].head<3>(); }
};

Params plain(int iterations = 1) {
  Params params;
  params.method = pbd::Method::pbd;
  params.iterations = iterations;
  params.bend_stiffness = 1;
  return params;
}

double distance_figure() {
  Pose pose(pbd::from_links({Vec3(0, 0, 0), Vec3(2, 0, 0)}, {1, 1.0 / 3}, {{0, 1}}, {1}),
            {Vec3(0, 0, 0), Vec3(2, 0, 0)});
  pose.sweep(plain(), 1);
  return (pose.at(0) - Vec3(0.25, 0, 0)).norm() + (pose.at(1) - Vec3(1.25, 0, 0)).norm();
}

// A hinge that starts far from its rest angle, after three projections (rad).
double hinge_figure() {
  const geometry::TriangleMesh mesh{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, 0.05, 1), Vec3(0.5, 0.02, -1)},
                                    {{0, 1, 2}, {1, 0, 3}}};
  Pose pose(pbd::from_triangles(mesh, 1, {pbd::Bending::dihedral, false}),
            {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, 0.3, 1), Vec3(0.5, 0.1, -1)});
  Params params = plain();
  params.stretch_stiffness = 0;
  pose.sweep(params, 3);
  Corners<double, 4> p, g;
  for (std::size_t i = 0; i < 4; ++i) p[i] = pbd::vector3(pose.at(i));
  return std::abs(pbd::signed_dihedral_constraint(p, pose.model.hinges.rest[0], g));
}

double volume_figure(double height, int sweeps) {
  const std::vector<Vec3> rest{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  std::vector<Vec3> squashed = rest;
  squashed[3].z() = height;
  Pose pose(pbd::from_tets({rest, {{0, 1, 2, 3}}}, 6), squashed);
  Params params = plain();
  params.stretch_stiffness = 0;
  pose.sweep(params, sweeps);
  return std::abs(6 * geometry::signed_volume(pose.at(0), pose.at(1), pose.at(2), pose.at(3)) - 1);
}

double residual_error(double stiffness) {
  double worst = 0;
  for (int n = 1; n <= 50; ++n) {
    Params params = plain(n);
    params.stretch_stiffness = stiffness;
    Pose pose(pbd::from_links({Vec3(0, 0, 0), Vec3(1, 0, 0)}, {1, 2}, {{0, 1}}),
              {Vec3(0, 0, 0), Vec3(1.2, 0.9, 0)});
    pose.sweep(params, n);
    worst = std::max(worst, std::abs((pose.at(0) - pose.at(1)).norm() - 1 - (1 - stiffness) * 0.5));
  }
  return worst;
}

// Runs until nothing moves; `h` is the step.
pbd::State settled(const Model& model, const Params& params, pbd::State state, double h, int steps) {
  pbd::State to = state;
  pbd::Work work;
  for (int n = 0; n < steps; ++n) {
    if (!pbd::step(model, params, {.gravity = Vec3(0, -10, 0)}, {n, n + 1, h}, state, to, work).ok) break;
    state = to;
  }
  return state;
}

Model hanging_chain(std::uint32_t links, double length, double mass, const Vec3& direction) {
  std::vector<Vec3> x;
  std::vector<geometry::Segment> pairs;
  for (std::uint32_t i = 0; i <= links; ++i) x.push_back(length / links * i * direction);
  for (std::uint32_t i = 0; i < links; ++i) pairs.push_back({i, i + 1});
  return pbd::from_links(x, std::vector<double>(links + 1, mass), pairs);
}

}  // namespace

Table position_figure_table() {
  Table table{
      "Position-based dynamics: figures of the notes (RT-28 … RT-33)",
      {"what", "error", "limit"},
      {},
      "Exact answers to rounding; hinge and volumes after the projections that the notes' formulas need."};
  auto row = [&](const std::string& what, double error, double limit) {
    table.rows.push_back({{what, number(error, 2), number(limit, 1)}, error <= limit});
  };
  row("distance, w = (1, 3)", distance_figure(), 1e-15);
  row("k′ for k = 0.5, 10 sweeps: 0.066967", std::abs(pbd::stiffness_per_iteration(0.5, 10) - 0.066967),
      5e-7);
  row("hinge after 3 projections, rad", hinge_figure(), 1e-8);
  row("volume of a squashed tetrahedron after 4", volume_figure(0.5, 4), 1e-11);
  row("volume of an inverted tetrahedron after 6", volume_figure(-0.5, 6), 1e-11);
  for (const double k : {0.1, 0.5, 0.9})
    row("residual less (1 − k) C₀, k = " + number(k) + ", 1 … 50 sweeps", residual_error(k), 1e-14);
  return table;
}

Table compliance_table() {
  constexpr std::uint32_t kLinks = 10;
  constexpr double kMass = 0.1, kCompliance = 1e-3, kLength = 1;
  Table table{"XPBD: stretch of a hanging chain of 10 links, 0.1 kg each, 1 mm/N",
              {"sweeps", "sub-steps", "stretch", "theory", "error"},
              {},
              "Link k carries the masses below it. Pass: within 1 % from 20 sweeps a step (of 1/60 s) on, in "
              "whatever way they are shared out between sweeps and sub-steps; fewer are reported."};
  double theory = 0;
  for (std::uint32_t k = 0; k < kLinks; ++k) theory += kCompliance * kMass * 10 * (kLinks - k);
  for (const auto& [iterations, substeps] :
       {std::pair{2, 1}, {5, 1}, {10, 1}, {20, 1}, {50, 1}, {200, 1}, {1, 20}, {2, 10}, {5, 20}}) {
    const Model model = hanging_chain(kLinks, kLength, kMass, -Vec3::UnitY());
    Params params;
    params.stretch_compliance = kCompliance;
    params.iterations = iterations;
    params.substeps = substeps;
    params.drag = 5;
    pbd::State state = pbd::make_state(model);
    pbd::pin(state, 0);
    state = settled(model, params, state, 1.0 / 60, 600);
    const double stretch = -state.positions[kLinks].y() - kLength, error = stretch / theory - 1;
    table.rows.push_back({{std::to_string(iterations), std::to_string(substeps), number(stretch, 5),
                           number(theory, 5), number(100 * error, 3) + " %"},
                          iterations * substeps < 20 || std::abs(error) < 0.01});
  }
  return table;
}

Table catenary_table() {
  Table table{"A chain of 40 rigid links between two pins: sag beside the catenary",
              {"length / span", "sag / span", "cosh", "error"},
              {},
              "a from L = 2a sinh(S/2a), sag a (cosh(S/2a) − 1). Pass: within 1 %."};
  constexpr std::uint32_t kLinks = 40;
  for (const double length : {1.1, 1.5, 2.0}) {
    double low = 1e-3, high = 1e3;  // of a; L falls with a
    for (int n = 0; n < 200; ++n) {
      const double a = std::sqrt(low * high);
      (2 * a * std::sinh(0.5 / a) > length ? low : high) = a;
    }
    const double sag = low * (std::cosh(0.5 / low) - 1);
    const Model model = hanging_chain(kLinks, length, 0.01, Vec3::UnitX());
    pbd::State state = pbd::make_state(model);
    // Starts as a wide V, so that both ends are in place and the links of their length.
    const double half = 0.5 * length, depth = std::sqrt(half * half - 0.25);
    for (std::uint32_t i = 0; i <= kLinks; ++i) {
      const double s = length * i / kLinks;
      state.positions[i] = s < half ? Vec3(0.5 * s / half, -depth * s / half, 0)
                                    : Vec3(1 - 0.5 * (length - s) / half, -depth * (length - s) / half, 0);
    }
    pbd::pin(state, 0);
    pbd::pin(state, kLinks);
    Params params;
    params.iterations = 20;
    params.substeps = 20;
    params.drag = 2;
    state = settled(model, params, state, 1.0 / 60, 400);
    const double found = -state.positions[kLinks / 2].y(), error = found / sag - 1;
    table.rows.push_back({{number(length), number(found, 5), number(sag, 5), number(100 * error, 3) + " %"},
                          std::abs(error) < 0.01});
  }
  return table;
}

Table global_solver_table() {
  Table table{
      "All constraints at once by Newton's method and the pseudo-inverse (RT-37)",
      {"iteration", "|C|", "order"},
      {},
      "A zigzag chain whose links are 2 % too long or too short. Pass: |C| < 1e-10; the order is that of "
      "the digits gained, 2 until rounding."};
  std::vector<Vec3> x;
  std::vector<geometry::Segment> links;
  std::vector<double> rest;
  for (std::uint32_t i = 0; i < 8; ++i) x.push_back(Vec3(i, i % 2, 0.3 * (i % 3)));
  for (std::uint32_t i = 0; i + 1 < x.size(); ++i) {
    links.push_back({i, i + 1});
    rest.push_back((x[i] - x[i + 1]).norm() * (i % 2 == 0 ? 1.02 : 0.98));
  }
  const Model model = pbd::from_links(x, std::vector<double>(x.size(), 1), links, rest);
  const pbd::NewtonReport report = pbd::solve_constraints(model, {}, model.inverse_masses, x);
  for (std::size_t n = 0; n < report.residuals.size(); ++n) {
    const double now = report.residuals[n];
    const bool second = n > 0 && now > 1e-13;
    const double before = n > 0 ? report.residuals[n - 1] : 1;
    table.rows.push_back(
        {{std::to_string(n), number(now, 3), second ? number(std::log(now) / std::log(before), 3) : ""},
         n + 1 < report.residuals.size() || report.converged});
  }
  return table;
}

}  // namespace selkie::studies::elasticity_cases
