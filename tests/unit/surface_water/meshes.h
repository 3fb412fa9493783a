// Meshes and runs that the tests of surface water share.
#pragma once

#include <cmath>
#include <map>

#include "selkie/core/random.h"
#include "selkie/fluids/surface_water/operators.h"
#include "selkie/fluids/surface_water/phases.h"
#include "selkie/geometry/generators.h"

namespace selkie::surface_water {

inline Model sphere_model(int divisions, double bottom = 0.2, double least_angle = 10) {
  return make_model(geometry::icosphere({.radius = 1, .divisions = divisions}), bottom, least_angle,
                    "sphere");
}

// The icosphere of the source: each level halves every edge and moves the new vertices onto the sphere.
inline geometry::TriangleMesh recursive_sphere(int level) {
  geometry::TriangleMesh mesh = geometry::icosphere({.radius = 1, .divisions = 1});
  for (int l = 0; l < level; ++l) {
    std::map<std::array<std::uint32_t, 2>, std::uint32_t> middle;
    std::vector<geometry::Triangle> finer;
    auto between = [&](std::uint32_t a, std::uint32_t b) {
      const auto [at, is_new] = middle.try_emplace({std::min(a, b), std::max(a, b)},
                                                   static_cast<std::uint32_t>(mesh.positions.size()));
      if (is_new) mesh.positions.push_back((mesh.positions[a] + mesh.positions[b]).normalized());
      return at->second;
    };
    for (const auto& [a, b, c] : mesh.triangles) {
      const std::uint32_t ab = between(a, b), bc = between(b, c), ca = between(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    mesh.triangles = finer;
  }
  return mesh;
}

// A sphere with every vertex moved along its radius and sideways by up to a quarter of an edge.
inline Model crumpled_model(double least_angle = 10) {
  geometry::TriangleMesh mesh = geometry::icosphere({.radius = 1, .divisions = 8});
  for (std::size_t v = 0; v < mesh.positions.size(); ++v)
    for (int d = 0; d < 3; ++d)
      mesh.positions[v][d] += random_uniform(7, v, static_cast<std::uint64_t>(d), -0.035, 0.035);
  return make_model(std::move(mesh), 0.2, least_angle, "crumpled");
}

// A sphere in which one vertex in forty has slid along an edge to within a 5e-4 part of its neighbour.
inline Model sliver_model(int divisions = 12) {
  geometry::TriangleMesh mesh = geometry::icosphere({.radius = 1, .divisions = divisions});
  const auto edges = geometry::unique_edges(mesh.triangles);
  std::vector<bool> used(mesh.positions.size(), false);
  for (std::size_t e = 0; e < edges.size(); e += 120) {
    const auto [a, b] = edges[e];
    if (used[a] || used[b]) continue;
    mesh.positions[a] = mesh.positions[b] + 5e-4 * (mesh.positions[a] - mesh.positions[b]);
    used[a] = used[b] = true;
  }
  return make_model(std::move(mesh), 0.2, 10, "slivers");
}

// A closed doubled sheet: two copies of an irregular grid, glued along the rim; folded along x = 0 by
// `angle` where asked for.
inline geometry::TriangleMesh doubled_sheet(int n, double irregular, double angle = 0) {
  geometry::TriangleMesh mesh;
  std::map<std::array<int, 3>, std::uint32_t> number;
  auto vertex = [&](int i, int j, int side) {
    const bool rim = i == 0 || j == 0 || i == n || j == n;
    const std::array<int, 3> key{i, j, rim ? 0 : side};
    const auto [at, is_new] = number.try_emplace(key, static_cast<std::uint32_t>(mesh.positions.size()));
    if (is_new) {
      double x = 2.0 * i / n - 1, z = 2.0 * j / n - 1;
      if (!rim && i != n / 2) {  // not on the fold
        const auto k = static_cast<std::uint64_t>((i * 1000 + j) * 2 + side);
        x += irregular * random_uniform(3, k, 0, -1, 1) / n,
            z += irregular * random_uniform(3, k, 1, -1, 1) / n;
      }
      mesh.positions.push_back(x > 0 ? Vec3(x * std::cos(angle), x * std::sin(angle), z) : Vec3(x, 0, z));
    }
    return at->second;
  };
  for (int side = 0; side < 2; ++side)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const std::uint32_t a = vertex(i, j, side), b = vertex(i + 1, j, side), c = vertex(i, j + 1, side),
                            d = vertex(i + 1, j + 1, side);
        // Diagonals that touch every corner of the sheet: otherwise a corner's edge would have four faces.
        const bool rising = (i < n / 2) == (j < n / 2);
        std::array<geometry::Triangle, 2> cell =
            rising ? std::array<geometry::Triangle, 2>{{{a, c, d}, {a, d, b}}}
                   : std::array<geometry::Triangle, 2>{{{a, c, b}, {b, c, d}}};
        for (geometry::Triangle& t : cell) {
          if (side == 1) std::swap(t[1], t[2]);
          mesh.triangles.push_back(t);
        }
      }
  return mesh;
}
inline Model flat_model(int n, double irregular, double angle = 0) {
  return make_model(doubled_sheet(n, irregular, angle), 0.2, 0, "sheet");
}

// Largest |∇φ| of the triangle (0,0,0), (1,0,0), apex, limited at 10°, read from a model of two of them.
inline double largest_gradient(const Vec3& apex) {
  geometry::TriangleMesh mesh;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), apex};
  mesh.triangles = {{0, 1, 2}};
  const Model model = make_model(mesh, 0.2, 10, "sliver", true);
  double largest = 0;
  for (std::uint32_t c = 0; c < 3; ++c)
    largest = std::max(largest, basis_gradient(model.metric, 0, c).norm());
  return largest;
}

// Water that is stepped on its own.
struct Pool {
  Model model;
  Params params = {};
  Inputs inputs = {};
  State state = make_state(model, 0.2);
  State from = state;
  Work work = {};
  Tick tick = 0;
  double time = 0;
  bool ok = true;
  StepReport report = {};

  void advance(double dt, int steps = 1) {
    for (int s = 0; s < steps && ok; ++s) {
      from = state;
      report = step(model, params, inputs, {tick, tick + 1, dt}, from, state, work);
      ok = report.ok;
      time += dt, ++tick;
    }
  }
  template <class Depth>
  void set_depth(Depth&& depth) {
    for (std::size_t v = 0; v < state.depth.size(); ++v) state.depth[v] = depth(model.rest[v]);
  }
  template <class Velocity>  // in space, made tangential
  void set_velocity(Velocity&& velocity) {
    for (std::size_t f = 0; f < model.complex.face_count; ++f) {
      Vec3 middle = Vec3::Zero();
      for (std::size_t c = 0; c < 3; ++c) middle += state.positions[model.complex.vertex[c][f]] / 3;
      const Frame frame = frame_of(model.complex, model.metric, state.positions, f);
      const Vec2 rates = rates_of(model.metric, f, frame.to_plane(velocity(middle)));
      state.rate_1[f] = rates[0], state.rate_2[f] = rates[1];
    }
  }
};

}  // namespace selkie::surface_water
