// Identities of the operators, invariance under folding, holonomy, paths on flat meshes (SW-03, SW-10 …
// SW-22).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/core/random.h"
#include "selkie/fluids/surface_water/operators.h"
#include "selkie/fluids/surface_water/transport.h"
#include "selkie/geometry/creature.h"
#include "selkie/studies/surface_water_cases.h"

namespace selkie::studies::surface_cases {
namespace {

namespace sw = selkie::surface_water;

struct Identities {
  double constants = 0, total = 0, adjoint = 0, cotangent = 0;  // relative
};
Identities identities(const sw::Model& model) {
  const sw::Complex& c = model.complex;
  const sw::Metric& m = model.metric;
  std::vector<double> f(c.vertex_count), ones(c.vertex_count, 1), vx(c.face_count), vy(c.face_count),
      div(c.vertex_count), lap(c.vertex_count), cotan(c.vertex_count, 0);
  for (std::size_t v = 0; v < f.size(); ++v) f[v] = random_uniform(1, 2, v, -1, 1);
  for (std::size_t k = 0; k < vx.size(); ++k)
    vx[k] = random_uniform(1, 3, k, -1, 1), vy[k] = random_uniform(1, 4, k, -1, 1);
  sw::divergence(c, m, vx, vy, div);
  sw::laplacian(c, m, f, lap);
  Identities id;
  double sum = 0, sums = 0, left = 0, right = 0, terms = 0, largest = 0;
  for (std::size_t v = 0; v < f.size(); ++v) {
    const double term = m.dual_area[v] * div[v];
    sum += term, sums += std::abs(term), left += f[v] * term;
    largest = std::max(largest, std::abs(lap[v]));
  }
  for (std::size_t k = 0; k < vx.size(); ++k) {
    const double term = m.area[k] * Vec2(vx[k], vy[k]).dot(sw::gradient(c, m, f, k));
    right -= term, terms += std::abs(term);
    id.constants = std::max(id.constants, sw::gradient(c, m, ones, k).norm());
    for (std::size_t j = 0; j < 3; ++j) {
      const std::uint32_t a = c.vertex[(j + 1) % 3][k], b = c.vertex[(j + 2) % 3][k];
      const double w = 0.5 / std::tan(m.angle[j][k]);
      cotan[a] += w * (f[b] - f[a]) / m.dual_area[a], cotan[b] += w * (f[a] - f[b]) / m.dual_area[b];
    }
  }
  id.total = std::abs(sum) / sums, id.adjoint = std::abs(left - right) / terms;
  for (std::size_t v = 0; v < f.size(); ++v)
    id.cotangent = std::max(id.cotangent, std::abs(lap[v] - cotan[v]) / largest);
  return id;
}

}  // namespace

Table operator_table() {
  Table table{
      "Operators",
      {"mesh", "gradient of a constant", "sum of divergences", "adjointness", "Laplacian - cotangents"},
      {}};
  struct Case {
    const char* name;
    geometry::TriangleMesh mesh;
    double least_angle;
  };
  for (Case& c : std::vector<Case>{{"sphere, level 4", sphere(4), 10},
                                   {"animal", geometry::creature({.divisions = 30}), 0},
                                   {"animal, angles limited", geometry::creature({.divisions = 30}), 25},
                                   {"1 % slivers, limited", sliver_sphere(4, 0.01), 10}}) {
    const sw::Model model = sw::make_model(std::move(c.mesh), 0.2, c.least_angle, c.name);
    const Identities id = identities(model);
    // Limited angles make other weights than the true cotangents: nothing to compare with then.
    const bool limited = model.metric.limited_faces > 0;
    table.rows.push_back(
        {{c.name, number(id.constants), number(id.total), number(id.adjoint),
          limited ? "limited" : number(id.cotangent)},
         id.constants == 0 && id.total < 1e-14 && id.adjoint < 1e-13 && (limited || id.cotangent < 1e-12)});
  }
  table.note = "relative to the sums of absolute values; round-off asked";
  return table;
}

Table fold_table(int frames) {
  Table table{
      "A doubled sheet folded along its edges", {"fold", "frames", "largest difference of the depth"}, {}};
  auto run = [&](double angle) {
    Water water{sw::make_model(doubled_sheet(16, 0.3, angle), 0.2, 0, "sheet")};
    const sw::Model flat = sw::make_model(doubled_sheet(16, 0.3, 0), 0.2, 0, "sheet");
    for (std::size_t v = 0; v < water.state.depth.size(); ++v)
      water.state.depth[v] = 0.2 + 0.05 * std::exp(-6 * (flat.rest[v] - Vec3(0.3, 0, 0.2)).squaredNorm());
    water.advance(1.0 / 60, frames);
    return water;
  };
  const Water flat = run(0);
  for (const double degrees : {30.0, 90.0, 150.0}) {
    const Water folded = run(degrees * std::numbers::pi / 180);
    double largest = 0;
    for (std::size_t v = 0; v < flat.state.depth.size(); ++v)
      largest = std::max(largest, std::abs(flat.state.depth[v] - folded.state.depth[v]));
    table.rows.push_back({{number(degrees) + "°", std::to_string(frames), number(largest)},
                          flat.ok && folded.ok && largest <= 1e-14});
  }
  table.note = "with advection; no stage may see more than lengths and angles (1e-14 asked)";
  return table;
}

Table holonomy_table() {
  Table table{"A vector carried around a vertex",
              {"mesh", "vertices", "holonomy - angle deficit, largest (rad)"},
              {}};
  struct Case {
    const char* name;
    geometry::TriangleMesh mesh;
  };
  for (Case& c :
       std::vector<Case>{{"sphere, level 3", sphere(3)}, {"animal", geometry::creature({.divisions = 30})}}) {
    const sw::Model model = sw::make_model(std::move(c.mesh), 0.2, 10, c.name);
    double largest = 0;
    for (std::size_t v = 0; v < model.complex.vertex_count; ++v) {
      double deficit = 2 * std::numbers::pi;
      for (std::uint32_t e = model.complex.fan_begin[v]; e < model.complex.fan_begin[v + 1]; ++e)
        deficit -=
            model.metric
                .angle[sw::Corner::corner(model.complex.fan[e])][sw::Corner::face(model.complex.fan[e])];
      const double turn = sw::holonomy(model.complex, model.metric, model.rest, v);
      largest = std::max(largest, std::abs(std::remainder(turn - deficit, 2 * std::numbers::pi)));
    }
    table.rows.push_back(
        {{c.name, std::to_string(model.complex.vertex_count), number(largest)}, largest < 1e-12});
  }
  return table;
}

Table trace_table() {
  Table table{"Paths in a uniform flow on a flat irregular sheet",
              {"cells", "paths", "crossings", "largest error (m)"},
              {}};
  constexpr double kMiddle[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, kTime = 1.3;
  for (const int n : {8, 16, 32}) {
    Water water{sw::make_model(doubled_sheet(n, 0.5, 0), 0.2, 0, "sheet")};
    const Vec3 velocity(0.31, 0, -0.17);
    water.set_velocity([&](const Vec3&) { return velocity; });
    const sw::Complex& c = water.model.complex;
    std::vector<sw::FaceRates> rates(c.face_count);
    sw::interpolate_to_corners(c, water.model.metric, water.state.rate_1, water.state.rate_2, rates);
    double largest = 0;
    int paths = 0, crossings = 0;
    for (std::uint32_t f = 0; f < c.face_count; ++f) {
      Vec3 start = Vec3::Zero(), end = Vec3::Zero();
      for (std::size_t k = 0; k < 3; ++k) start += water.model.rest[c.vertex[k][f]] / 3;
      const Vec3 exact = start - kTime * velocity;
      if (std::max(std::abs(exact.x()), std::abs(exact.z())) > 0.99) continue;  // would go over the rim
      const sw::TraceEnd at = sw::trace(c, water.model.metric, rates, f, kMiddle, kTime);
      for (std::size_t k = 0; k < 3; ++k) end += at.beta[k] * water.model.rest[c.vertex[k][at.face]];
      largest = std::max(largest, (end - exact).norm());
      ++paths, crossings += at.crossings;
    }
    table.rows.push_back(
        {{std::to_string(n) + "² twice", std::to_string(paths), std::to_string(crossings), number(largest)},
         paths > 0 && crossings > paths && largest < 1e-12});
  }
  return table;
}

}  // namespace selkie::studies::surface_cases
