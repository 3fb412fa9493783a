// See surface_water.h.
#include "selkie/studies/surface_water.h"

#include <fmt/format.h>

#include <map>

#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/studies/surface_water_cases.h"

namespace selkie::studies {
namespace surface_cases {

namespace sw = selkie::surface_water;

std::string number(double value) { return fmt::format("{:.5g}", value); }

geometry::TriangleMesh sphere(int level) {
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

geometry::TriangleMesh doubled_sheet(int n, double irregular, double angle) {
  geometry::TriangleMesh mesh;
  std::map<std::array<int, 3>, std::uint32_t> number_of;
  auto vertex = [&](int i, int j, int side) {
    const bool rim = i == 0 || j == 0 || i == n || j == n;
    const auto [at, is_new] =
        number_of.try_emplace({i, j, rim ? 0 : side}, static_cast<std::uint32_t>(mesh.positions.size()));
    if (is_new) {
      double x = 2.0 * i / n - 1, z = 2.0 * j / n - 1;
      if (!rim && i != n / 2) {
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
        // A diagonal that misses a corner of the sheet would give an edge four faces.
        const bool rising = (i < n / 2) == (j < n / 2);
        using Pair = std::array<geometry::Triangle, 2>;
        for (geometry::Triangle t : rising ? Pair{{{a, c, d}, {a, d, b}}} : Pair{{{a, c, b}, {b, c, d}}}) {
          if (side == 1) std::swap(t[1], t[2]);
          mesh.triangles.push_back(t);
        }
      }
  return mesh;
}

geometry::TriangleMesh sliver_sphere(int level, double share) {
  geometry::TriangleMesh mesh = sphere(level);
  const auto edges = geometry::unique_edges(mesh.triangles);
  std::vector<bool> used(mesh.positions.size(), false);
  // Each vertex that slides onto its neighbour leaves two needles; the others around it only grow.
  const double wanted = 0.5 * share * static_cast<double>(mesh.triangles.size());
  const std::size_t stride = edges.size() / static_cast<std::size_t>(std::ceil(wanted));
  for (std::size_t e = 0; e < edges.size(); e += stride) {
    const auto [a, b] = edges[e];
    if (used[a] || used[b]) continue;
    mesh.positions[a] = mesh.positions[b] + 1e-3 * (mesh.positions[a] - mesh.positions[b]);
    used[a] = used[b] = true;
  }
  return mesh;
}

void Water::advance(double dt, int steps) {
  for (int s = 0; s < steps && ok; ++s) {
    from = state;
    ok = sw::step(model, params, inputs, {tick, tick + 1, dt}, from, state, work).ok;
    time += dt, ++tick;
  }
}

Water sphere_water(int level) { return Water{sw::make_model(sphere(level), 0.2, 10, "sphere")}; }

double part(const Water& water, const std::vector<double>& function) {
  double top = 0, bottom = 0;
  for (std::size_t v = 0; v < function.size(); ++v) {
    top += water.state.dual_area[v] * (water.state.depth[v] - 0.2) * function[v];
    bottom += water.state.dual_area[v] * function[v] * function[v];
  }
  return top / bottom;
}

std::vector<double> harmonic(const Water& water, int degree) {
  std::vector<double> values;
  for (const Vec3& x : water.model.rest) {
    const double z = x.z();
    values.push_back(degree == 1   ? z
                     : degree == 2 ? 0.5 * (3 * z * z - 1)
                     : degree == 3 ? 0.5 * z * (5 * z * z - 3)
                                   : 0.125 * (35 * z * z * z * z - 30 * z * z + 3));
  }
  return values;
}

}  // namespace surface_cases

StudyResult surface_water(const StudyOptions& options) {
  using namespace surface_cases;
  StudyResult result;
  result.tables = {operator_table(),           mode_table({3, 4, 5, 6}), fold_table(300),  holonomy_table(),
                   acceleration_table({3, 4}), rotation_table(4),        mass_table(10000)};
  result.tables.push_back(integrator_table(options.plots ? &result.plots : nullptr));
  for (Table& table : std::vector<Table>{trace_table(), filling_table(), figure_table(), floating_table(),
                                         sliver_table(1000), dam_table({200, 400, 800}), solver_table()})
    result.tables.push_back(std::move(table));
  return result;
}

}  // namespace selkie::studies
