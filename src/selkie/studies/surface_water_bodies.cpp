// Floating and falling bodies, slivers, and the reference solvers (SW-06, SW-09, SW-12, SW-32 … SW-34).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/fluids/surface_water/edge_flux.h"
#include "selkie/fluids/surface_water/kinetic.h"
#include "selkie/geometry/generators.h"
#include "selkie/geometry/shapes.h"
#include "selkie/studies/shallow_cases.h"
#include "selkie/studies/surface_water_cases.h"

namespace selkie::studies::surface_cases {
namespace {

namespace sw = selkie::surface_water;
constexpr double kGravity = 9.81, kFrame = 1.0 / 60;

// A ball or an upright box that moves up and down.
class Body final : public ports::MovableSolid {
 public:
  Vec3 center = Vec3::Zero(), speed = Vec3::Zero(), half = Vec3::Constant(0.2);
  bool ball = true;
  double mass = 1;

  ports::FieldSample sample(const Vec3& p, double) const override {
    const geometry::SurfaceDistance d =
        ball ? geometry::signed_distance(geometry::Ball{center, half.x()}, p)
             : geometry::signed_distance(geometry::Box{center - half, center + half}, p);
    return {d.distance, d.normal, speed};
  }
  ports::BoundingBall bounds(double, double) const override {
    return {center, ball ? half.x() : half.norm()};
  }
  ports::BoundingBall way() const override { return bounds(0, 0); }
  double size() const override { return half.minCoeff(); }
  Vec3 velocity() const override { return speed; }
  ports::SweptSample sweep(const Vec3&, double, const Vec3&, double, double) const override { return {}; }
  double inverse_mass(const Vec3&, const Vec3&, double) const override { return 1 / mass; }
  void push(const Vec3&, const Vec3& impulse, double) override { speed += impulse / mass; }
  void shift(const Vec3&, double) override {}

  // Falls freely, then meets the water.
  void advance(Water& water, double dt) {
    speed.y() -= kGravity * dt;
    const std::vector<ports::MovableSolid*> bodies{this};
    water.inputs.bodies = bodies;
    water.advance(dt);
    speed.x() = speed.z() = 0;
    center += dt * speed;
  }
};

// The upper side of a box, at y = 0, is a flat patch.
Water tank(double width, double depth, int divisions) {
  // High enough that the columns of the lower side stay away from what happens above.
  Water water{sw::make_model(
      geometry::box_surface(
          {.min = {-width, -60, -width}, .max = {width, 0, width}, .divisions = {divisions, 2, divisions}}),
      depth, 10, "tank")};
  water.set_depth([&](const Vec3&) { return depth; });
  return water;
}

// kg·m/s of the water along the flat patch, that is along x and z.
Vec3 momentum_of(const Water& water) {
  const sw::Complex& complex = water.model.complex;
  const sw::Metric& m = water.model.metric;
  Vec3 sum = Vec3::Zero();
  for (std::size_t f = 0; f < complex.face_count; ++f) {
    double depth = 0;
    for (std::size_t c = 0; c < 3; ++c) depth += water.state.depth[complex.vertex[c][f]] / 3;
    const Vec2 v = sw::vector_of(m, f, Vec2(water.state.rate_1[f], water.state.rate_2[f]));
    sum += 1000 * depth * m.area[f] * sw::frame_of(complex, m, water.state.positions, f).to_space(v);
  }
  return sum;
}

}  // namespace

Table floating_table() {
  Table table{"Bodies in the water", {"what", "measured", "expected", "error"}, {}};
  auto add = [&](const char* what, double measured, double expected, double tolerance) {
    const double error = std::abs(measured / expected - 1);
    table.rows.push_back({{what, number(measured), number(expected), number(error)}, error < tolerance});
  };
  {
    Water water = tank(2, 0.5, 80);
    Body ball;
    ball.mass = 500 * 4.0 / 3 * std::numbers::pi * 0.3 * 0.3 * 0.3, ball.half.setConstant(0.3);
    ball.center = Vec3(0.011, 0.1, 0.007);
    water.params.friction = 99;
    for (int s = 0; s < 1500; ++s) ball.advance(water, kFrame);
    double mean = 0, level = 0, area = 0;
    for (int s = 0; s < 300; ++s) ball.advance(water, kFrame), mean += ball.center.y() / 300;
    for (std::size_t v = 0; v < water.state.depth.size(); ++v) {
      const Vec3& x = water.model.rest[v];
      if (x.y() < -1e-9 || std::hypot(x.x(), x.z()) > 0.7 || std::hypot(x.x(), x.z()) < 0.4) continue;
      level += water.state.dual_area[v] * (water.state.depth[v] - 0.5), area += water.state.dual_area[v];
    }
    add("draft of a ball of half the density (m)", level / area - (mean - 0.3), 0.3, 0.01);
  }
  {
    Water water = tank(2, 12, 40);
    water.params.buoyancy = false, water.params.acceleration_limit = 0;
    Body rod;
    rod.ball = false, rod.half = Vec3(0.3, 40, 0.3), rod.mass = 120, rod.center = Vec3(0.013, 39.9, 0.017);
    for (int s = 0; s < 150; ++s) rod.advance(water, kFrame);
    add("terminal speed of a rod, no buoyancy (m/s)", -rod.speed.y(),
        std::sqrt(2 * rod.mass * kGravity / (1000 * 0.6 * 0.6)), 0.01);
  }
  {
    Water water = tank(2, 0.5, 40);
    Body ball;
    ball.center = Vec3(0.02, 0.05, 0.01), ball.speed = Vec3(2, -1, 0.5), ball.mass = 10;
    water.params.buoyancy = false;
    const Vec3 before = ball.speed;
    const std::vector<ports::MovableSolid*> bodies{&ball};
    water.inputs.bodies = bodies;
    // So short a step that the water has not moved on: its momentum is that of the start's depths. What the
    // ball gives straight down the bottom takes.
    water.advance(1e-6);
    const Vec3 given = ball.mass * (before - ball.speed), gained = momentum_of(water);
    add("the water's momentum over what the ball gave, along x", gained.x(), given.x(), 1e-9);
    add("the same along z", gained.z(), given.z(), 1e-9);
  }
  table.note =
      "draft: from the level around the ball, 1 % asked; terminal speed √(2mg / CρA) with the rod's own 0.36 "
      "m²";
  return table;
}

Table sliver_table(int frames) {
  Table table{"A sphere with slivers",
              {"mesh", "triangles with an angle below 0.1°", "frames", "least depth (m)", "largest (m)"},
              {}};
  double range[2] = {0, 0};
  for (const bool slivers : {false, true}) {
    Water water{sw::make_model(slivers ? sliver_sphere(4, 0.0103) : sphere(4), 0.2, 10, "sphere")};
    water.set_depth(
        [](const Vec3& x) { return 0.2 + 0.05 * std::exp(-4 * (x - Vec3(0, 0, 1)).squaredNorm()); });
    std::size_t thin = 0;
    const sw::Metric& m = water.model.metric;
    for (std::size_t f = 0; f < m.area.size(); ++f)
      thin += std::min({m.angle[0][f], m.angle[1][f], m.angle[2][f]}) < 0.1 * std::numbers::pi / 180;
    double least = 1, most = 0;
    for (int s = 0; s < frames && water.ok; ++s) {
      water.advance(kFrame);
      for (const double d : water.state.depth) least = std::min(least, d), most = std::max(most, d);
    }
    range[slivers] = most - least;
    table.rows.push_back(
        {{slivers ? "slivers" : "clean",
          number(100.0 * static_cast<double>(thin) / static_cast<double>(m.area.size())) + " %",
          std::to_string(frames), number(least), number(most)},
         water.ok && (!slivers || range[1] <= 2 * range[0])});
  }
  table.note = "the range may at most double";
  return table;
}

Table dam_table(const std::vector<int>& cells) {
  Table table{
      "Kinetic finite volumes: dam breaks along a cylinder of 20 m, L1 error of the depth in m² at 2 s",
      {"right depth (m)", "cells", "L1", "specification, in one dimension", "least depth"},
      {}};
  const double published[2][3] = {{0.0167, 0.0098, 0.0058}, {0.0202, 0.0129, 0.0080}};
  for (int dry = 0; dry < 2; ++dry)
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const int n = cells[k];
      const double ring = 20.0 / n, radius = 6 * ring / (2 * std::numbers::pi);
      const sw::Model model = sw::make_model(geometry::cylinder_surface({.start = {-10, 0, 0},
                                                                         .end = {10, 0, 0},
                                                                         .radius = radius,
                                                                         .around = 6,
                                                                         .along = n,
                                                                         .rings = 1}),
                                             0, 0, "cylinder");
      const shallow_cases::DamBreak exact(0.2, dry ? 0 : 0.1);
      const std::size_t count = model.complex.face_count;
      sw::KineticState state{Buffer<double>(count, 0), Buffer<Vec2>(count)}, next = state;
      std::vector<double> bottom(count, 0), middle(count);
      for (std::size_t f = 0; f < count; ++f) {
        for (std::size_t c = 0; c < 3; ++c) middle[f] += model.rest[model.complex.vertex[c][f]].x() / 3;
        state.depth[f] = middle[f] < 0 ? 0.2 : (dry ? 0.0 : 0.1);
      }
      double time = 0, least = 1;
      while (time < 2) {
        const double dt =
            std::min(2 - time, 0.9 * sw::kinetic_step_limit(model.complex, model.metric, kGravity, state));
        sw::kinetic_step(model.complex, model.metric, kGravity, bottom, dt, state, next);
        std::swap(state, next);
        time += dt;
      }
      double error = 0, around = 0;
      for (std::size_t f = 0; f < count; ++f) {
        least = std::min(least, state.depth[f]);
        if (std::abs(middle[f]) > 9.99) continue;  // caps
        error += model.metric.area[f] * std::abs(state.depth[f] - exact.depth(middle[f] / 2));
        around += model.metric.area[f];
      }
      error *= 20 / around;
      // Triangles carry the wave over slanted edges: half as much again as in one dimension is allowed.
      table.rows.push_back(
          {{dry ? "0" : "0.1", std::to_string(n), number(error), number(published[dry][k]), number(least)},
           error < 1.5 * published[dry][k] && least >= 0});
    }
  return table;
}

Table solver_table() {
  Table table{"Two solvers, one mode: period of l = 2 on the sphere (level 4) in s",
              {"solver", "period", "relative to exact"},
              {}};
  const double exact = 2 * std::numbers::pi / std::sqrt(kGravity * 0.2 * 6), dt = 1.0 / 180;
  Water water = sphere_water(4);
  const sw::EdgeFlux mesh = sw::make_edge_flux(water.model.complex, water.model.metric);
  std::vector<double> depth(water.model.complex.face_count), velocity(mesh.edges.size(), 0),
      mode(depth.size(), 0);
  for (std::size_t f = 0; f < depth.size(); ++f) {
    Vec3 middle = Vec3::Zero();
    for (std::size_t c = 0; c < 3; ++c) middle += water.model.rest[water.model.complex.vertex[c][f]] / 3;
    const double z = middle.normalized().z();
    mode[f] = 0.5 * (3 * z * z - 1), depth[f] = 0.2 + 1e-5 * mode[f];
  }
  auto amplitude = [&] {
    double sum = 0;
    for (std::size_t f = 0; f < depth.size(); ++f)
      sum += water.model.metric.area[f] * (depth[f] - 0.2) * mode[f];
    return sum;
  };
  std::vector<double> zeros;
  double before = amplitude(), time = 0;
  while (zeros.size() < 3 && time < 10) {
    sw::edge_flux_step(mesh, water.model.metric, kGravity, dt, depth, velocity);
    time += dt;
    const double now = amplitude();
    if (before * now < 0) zeros.push_back(time - dt * now / (now - before));
    before = now;
  }
  const double edges = zeros.size() < 3 ? 0 : zeros[2] - zeros[0];
  table.rows.push_back(
      {{"edge fluxes", number(edges), number(edges / exact - 1)}, std::abs(edges / exact - 1) < 3e-3});
  const double nodes = mode_period(4, 2, dt);
  table.rows.push_back(
      {{"leapfrog", number(nodes), number(nodes / exact - 1)}, std::abs(nodes / exact - 1) < 3e-3});
  table.note = "the edge-flux scheme needs acute triangles, which this sphere has";
  return table;
}

}  // namespace selkie::studies::surface_cases
