// Manufactured solutions of the projection study: u* = v + ∇p with v free of divergence and equal to the
// walls' velocity must give back p, up to a constant where nothing is open, and v.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "selkie/studies/projection_cases.h"

namespace selkie::studies::projection_cases {
namespace {

constexpr double kPi = std::numbers::pi;

struct Problem {
  std::string name;
  int dims;
  std::vector<int> sizes;
  Distance solid;    // empty: none
  Distance surface;  // empty: none
  std::function<double(const Vec3&)> pressure;
  std::function<Vec3(const Vec3&)> gradient;
};

// v of the manufactured flow: free of divergence and tangential at the sides of the unit cube.
Vec3 flow(const Vec3& x) {
  return {std::sin(kPi * x.x()) * std::cos(kPi * x.y()), -std::cos(kPi * x.x()) * std::sin(kPi * x.y()), 0};
}

struct Errors {
  double pressure = 0, velocity = 0, cut = 0;  // L2, L2, and largest at cut faces
};

Errors measure(const Problem& problem, int n) {
  Case<double> c(problem.dims, n, {});
  if (problem.solid) c.set_solid(problem.solid, false);
  if (problem.surface) c.set_surface(problem.surface);
  const double h = c.shape.cell_size();
  sample_face_velocity<double>(
      c.shape, [](const Vec3& x) { return flow(x); }, view(c.shape, c.solid_velocity));
  sample_face_velocity<double>(
      c.shape, [&](const Vec3& x) { return Vec3(flow(x) + problem.gradient(x)); }, view(c.shape, c.velocity));
  (void)c.run(1e-11);

  Errors e;
  double mean = 0, cells = 0, faces = 0;
  auto difference = [&](int i, int j, int k) {
    return c.pressure[static_cast<std::size_t>(c.shape.at(i, j, k))] * h -
           problem.pressure(c.shape.position(Place::cell, i, j, k));
  };
  for_cells(c.shape, [&](int i, int j, int k) {
    if (c.is_fluid(i, j, k)) mean += difference(i, j, k), ++cells;
  });
  mean = problem.surface ? 0 : mean / cells;
  for_cells(c.shape, [&](int i, int j, int k) {
    if (!c.is_fluid(i, j, k)) return;
    e.pressure += std::pow(difference(i, j, k) - mean, 2) / cells;
    for (int axis = 0; axis < problem.dims; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const auto at = static_cast<std::size_t>(c.shape.at(i, j, k));
      const double w = c.open.component[a][at];
      const Index low{i - (axis == 0), j - (axis == 1), k - (axis == 2)};
      if (w == 0 || !c.is_fluid(low[0], low[1], low[2])) continue;
      const double off =
          std::abs(c.velocity.component[a][at] - flow(c.shape.position(face_place(axis), i, j, k))[axis]);
      e.velocity += off * off, ++faces;
      if (w < 1) e.cut = std::max(e.cut, off);
    }
  });
  e.pressure = std::sqrt(e.pressure);
  e.velocity = std::sqrt(e.velocity / faces);
  return e;
}

std::vector<Problem> problems() {
  auto wave = [](const Vec3& x) { return std::cos(kPi * x.x()) * std::cos(2 * kPi * x.y()) + x.x() * x.y(); };
  auto wave_gradient = [](const Vec3& x) {
    return Vec3(-kPi * std::sin(kPi * x.x()) * std::cos(2 * kPi * x.y()) + x.y(),
                -2 * kPi * std::cos(kPi * x.x()) * std::sin(2 * kPi * x.y()) + x.x(), 0);
  };
  auto wave3 = [=](const Vec3& x) { return wave(x) + std::sin(2 * x.z() + x.x()); };
  auto wave3_gradient = [=](const Vec3& x) {
    const double c = std::cos(2 * x.z() + x.x());
    return Vec3(wave_gradient(x) + Vec3(c, 0, 2 * c));
  };
  auto ball = [](double z) { return [z](const Vec3& x) { return (x - Vec3(0.52, 0.47, z)).norm() - 0.23; }; };
  // A drop of radius 0.31 with p = (R² − r²)(1 + x), zero at its surface.
  const Vec3 middle(0.51, 0.48, 0);
  auto drop = [=](const Vec3& x) { return (x - middle).norm() - 0.31; };
  auto drop_pressure = [=](const Vec3& x) {
    return (0.31 * 0.31 - (x - middle).squaredNorm()) * (1 + x.x());
  };
  auto drop_gradient = [=](const Vec3& x) {
    return Vec3(-2 * (1 + x.x()) * (x - middle) + Vec3(0.31 * 0.31 - (x - middle).squaredNorm(), 0, 0));
  };
  const std::vector<int> flat{32, 64, 128, 256}, deep{16, 32, 64};
  return {{"2-D box", 2, flat, {}, {}, wave, wave_gradient},
          {"2-D, cut circle", 2, flat, ball(0), {}, wave, wave_gradient},
          {"2-D drop, ghost fluid", 2, flat, {}, drop, drop_pressure, drop_gradient},
          {"3-D box", 3, deep, {}, {}, wave3, wave3_gradient},
          {"3-D, cut sphere", 3, deep, ball(0.5), {}, wave3, wave3_gradient}};
}

}  // namespace

Table order_table() {
  Table table{"Order of manufactured solutions, double, fraction clamps off",
              {"problem", "cells", "p, L2", "order", "u, L2", "order", "u at cut faces, max", "order"},
              {},
              "Pass: the pressure's order in L2 is at least 1.95 at the finest pair (seen: 2.00 to 2.03). The velocity's orders "
              "are reported."};
  for (const Problem& problem : problems()) {
    Errors last;
    for (std::size_t s = 0; s < problem.sizes.size(); ++s) {
      const Errors e = measure(problem, problem.sizes[s]);
      auto order = [&](double before, double now) {
        return s == 0 || now == 0 ? std::string("-") : fmt::format("{:.2f}", std::log2(before / now));
      };
      const bool finest = s + 1 == problem.sizes.size();
      table.rows.push_back({{problem.name, fmt::format("{}", problem.sizes[s]), number(e.pressure),
                             order(last.pressure, e.pressure), number(e.velocity),
                             order(last.velocity, e.velocity), number(e.cut), order(last.cut, e.cut)},
                            !finest || std::log2(last.pressure / e.pressure) >= 1.95});
      last = e;
    }
  }
  return table;
}

}  // namespace selkie::studies::projection_cases
