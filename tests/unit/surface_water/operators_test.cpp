// Mesh, metric, operators: identities to round-off (SW-04 … SW-14).
#include "selkie/fluids/surface_water/operators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "selkie/core/error.h"
#include "selkie/core/random.h"
#include "selkie/fluids/surface_water/detail/vector_math.h"
#include "selkie/fluids/surface_water/state.h"
#include "selkie/geometry/generators.h"
#include "unit/surface_water/meshes.h"

namespace selkie::surface_water {
namespace {

using geometry::TriangleMesh;

TEST(SurfaceMesh, ConnectivityGivesTheEulerCharacteristicsOfTheSource) {
  const Model sphere = sphere_model(16);
  EXPECT_EQ(sphere.complex.vertex_count, 2562u);
  EXPECT_EQ(sphere.complex.face_count, 5120u);
  EXPECT_EQ(sphere.complex.euler_characteristic, 2);
  EXPECT_EQ(sphere.complex.component_count, 1u);
  const Model torus = make_model(geometry::torus_surface({.divisions = {48, 16}}), 0.2, 10, "torus");
  EXPECT_EQ(torus.complex.vertex_count, 768u);
  EXPECT_EQ(torus.complex.euler_characteristic, 0);
}

TEST(SurfaceMesh, FansGoRoundEachVertexOnce) {
  const Model model = sphere_model(4);
  const Complex& c = model.complex;
  for (std::uint32_t v = 0; v < c.vertex_count; ++v)
    for (std::uint32_t e = c.fan_begin[v]; e < c.fan_begin[v + 1]; ++e) {
      const std::uint32_t f = Corner::face(c.fan[e]), k = Corner::corner(c.fan[e]);
      EXPECT_EQ(c.vertex[k][f], v);
      const std::uint32_t next = e + 1 < c.fan_begin[v + 1] ? e + 1 : c.fan_begin[v];
      const std::uint32_t g = Corner::face(c.fan[next]), l = Corner::corner(c.fan[next]);
      EXPECT_EQ(c.vertex[last_corner(k)][f], c.vertex[next_corner(l)][g]) << "neighbours share an edge";
    }
}

void expect_refused(TriangleMesh mesh, const std::string& reason) {
  try {
    make_model(std::move(mesh), 0.2, 10, "mesh");
    FAIL() << "accepted: " << reason;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(SurfaceMesh, RefusesWhatWaterCannotLiveOnWithAReason) {
  const TriangleMesh ball = geometry::icosphere({.divisions = 2});
  TriangleMesh broken = ball;
  broken.triangles.pop_back();
  expect_refused(broken, "hole");
  broken = ball;
  broken.triangles.push_back({0, 1, static_cast<std::uint32_t>(broken.positions.size())});
  broken.positions.push_back(Vec3(3, 0, 0));
  expect_refused(broken, "edge");
  broken = ball;
  std::swap(broken.triangles[3][0], broken.triangles[3][1]);
  expect_refused(broken, "flipped");
  broken = ball;
  broken.positions.push_back(Vec3(5, 5, 5));
  expect_refused(broken, "unreferenced");
  broken = ball;
  broken.positions[4].x() = std::nan("");
  expect_refused(broken, "finite");
  broken = ball;  // two balls that touch in one vertex
  const auto first = static_cast<std::uint32_t>(broken.positions.size());
  std::uint32_t left = 0, right = 0;
  for (std::uint32_t v = 0; v < first; ++v) {
    if (ball.positions[v].x() < ball.positions[left].x()) left = v;
    if (ball.positions[v].x() > ball.positions[right].x()) right = v;
  }
  const Vec3 shift = ball.positions[right] - ball.positions[left];
  for (const Vec3& p : ball.positions) broken.positions.push_back(p + shift);
  for (const geometry::Triangle& t : ball.triangles) {
    geometry::Triangle moved;
    for (std::size_t c = 0; c < 3; ++c) moved[c] = t[c] == left ? right : t[c] + first;
    broken.triangles.push_back(moved);
  }
  // The vertex of the second ball that fell together with the first's is used by nothing now.
  std::swap(broken.positions[first + left], broken.positions.back());
  for (geometry::Triangle& t : broken.triangles)
    for (std::uint32_t& v : t)
      if (v == broken.positions.size() - 1 && v != first + left) v = first + left;
  broken.positions.pop_back();
  expect_refused(broken, "fan");
  expect_refused({}, "no triangles");
}

TEST(SurfaceMesh, RefusesAFrameWithOtherTriangles) {
  const TriangleMesh ball = geometry::icosphere({.divisions = 2});
  const Complex complex = make_complex(ball, "first");
  TriangleMesh frame = ball;
  require_same_topology(complex, frame, "frame");
  std::swap(frame.triangles[0], frame.triangles[1]);
  EXPECT_THROW(require_same_topology(complex, frame, "frame"), InputError);
  frame = ball;
  frame.positions.push_back(Vec3::Zero());
  EXPECT_THROW(require_same_topology(complex, frame, "frame"), InputError);
  frame = ball;
  frame.positions[0].y() = std::nan("");
  EXPECT_THROW(require_same_topology(complex, frame, "frame"), InputError);
}

TEST(VectorMath, AnglesAndCircularFunctionsAreGoodToAFewUnits) {
  for (int k = 0; k <= 4000; ++k) {
    const double angle = std::numbers::pi * k / 4000, s = std::sin(angle), c = std::cos(angle);
    EXPECT_NEAR(detail::corner_angle(2.5 * c, 2.5 * std::abs(s)), angle, 1e-15 * (1 + 2 * angle));
    const detail::CosSin both = detail::cos_sin(2 * angle);
    EXPECT_NEAR(both.cos, std::cos(2 * angle), 4e-16);
    EXPECT_NEAR(both.sin, std::sin(2 * angle), 4e-16);
  }
  EXPECT_NEAR(detail::corner_angle(1, 1e-9) / 1e-9, 1, 1e-15);
}

TEST(SurfaceMetric, DualAreasSumToTheAreaAndAnglesToHalfTurns) {
  const Model model = crumpled_model();
  const Metric& m = model.metric;
  double faces = 0, dual = 0;
  for (std::size_t f = 0; f < m.area.size(); ++f) {
    faces += m.area[f];
    EXPECT_NEAR(m.angle[0][f] + m.angle[1][f] + m.angle[2][f], std::numbers::pi, 1e-14);
  }
  for (const double a : m.dual_area) dual += a;
  EXPECT_NEAR(dual, faces, 1e-13 * faces);
}

TEST(SurfaceOperators, GradientIsExactForLinearFunctionsOnFlatTriangles) {
  const Model model = flat_model(8, 0.3);
  const Complex& c = model.complex;
  const Vec3 slope(0.7, 0, -1.3);
  std::vector<double> values;
  for (const Vec3& x : model.rest) values.push_back(slope.dot(x) + 0.4);
  for (std::size_t f = 0; f < c.face_count; ++f) {
    const Vec3 g = frame_of(c, model.metric, model.rest, f).to_space(gradient(c, model.metric, values, f));
    // Faces of the doubled sheet look up or down; the gradient is the same.
    EXPECT_NEAR((g - slope).norm(), 0, 1e-12);
  }
}

TEST(SurfaceOperators, GradientAndDivergenceAreAdjointAlsoOnSlivers) {
  for (const Model& model : {crumpled_model(), sliver_model()}) {
    const Complex& c = model.complex;
    const Metric& m = model.metric;
    std::vector<double> f(c.vertex_count), vx(c.face_count), vy(c.face_count), div(c.vertex_count),
        ones(c.vertex_count, 1);
    for (std::size_t v = 0; v < f.size(); ++v) f[v] = random_uniform(1, 2, v, -1, 1);
    for (std::size_t k = 0; k < vx.size(); ++k)
      vx[k] = random_uniform(1, 3, k, -1, 1), vy[k] = random_uniform(1, 4, k, -1, 1);
    divergence(c, m, vx, vy, div);
    double left = 0, right = 0, size = 0, whole = 0, whole_size = 0;
    for (std::size_t v = 0; v < f.size(); ++v) {
      left += m.dual_area[v] * f[v] * div[v], whole += m.dual_area[v] * div[v];
      whole_size += std::abs(m.dual_area[v] * div[v]);
    }
    for (std::size_t k = 0; k < vx.size(); ++k) {
      const double term = m.area[k] * Vec2(vx[k], vy[k]).dot(gradient(c, m, f, k));
      right -= term, size += std::abs(term);
      EXPECT_NEAR(gradient(c, m, ones, k).norm(), 0, 1e-15);
    }
    EXPECT_NEAR(left, right, 1e-14 * size * 10);
    EXPECT_NEAR(whole, 0, 1e-13 * whole_size);
  }
}

TEST(SurfaceOperators, LaplacianHasCotangentWeights) {
  const Model model = crumpled_model(0);
  const Complex& c = model.complex;
  const Metric& m = model.metric;
  std::vector<double> f(c.vertex_count), lap(c.vertex_count), cotan(c.vertex_count, 0);
  for (std::size_t v = 0; v < f.size(); ++v) f[v] = random_uniform(1, 2, v, -1, 1);
  laplacian(c, m, f, lap);
  double size = 0;
  for (std::size_t k = 0; k < c.face_count; ++k)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::uint32_t a = c.vertex[(j + 1) % 3][k], b = c.vertex[(j + 2) % 3][k];
      const double w = 0.5 / std::tan(m.angle[j][k]);
      cotan[a] += w * (f[b] - f[a]) / m.dual_area[a], cotan[b] += w * (f[a] - f[b]) / m.dual_area[b];
    }
  for (const double x : lap) size = std::max(size, std::abs(x));
  for (std::size_t v = 0; v < f.size(); ++v) EXPECT_NEAR(lap[v], cotan[v], 1e-12 * size);
}

// Rayleigh quotients of spherical harmonics on icospheres, levels 2 and 3 [SW-14].
TEST(SurfaceOperators, RayleighQuotientsAreThoseOfTheSpecification) {
  const double l2[] = {5.8658, 5.9660}, l3[] = {11.333, 11.829};
  for (int level = 2; level <= 3; ++level) {
    const Model model = make_model(recursive_sphere(level), 0.2, 10, "sphere");
    auto quotient = [&](auto&& harmonic) {
      const Complex& c = model.complex;
      std::vector<double> f, lap(c.vertex_count);
      for (const Vec3& x : model.rest) f.push_back(harmonic(x));
      laplacian(c, model.metric, f, lap);
      double top = 0, bottom = 0;
      for (std::size_t k = 0; k < c.face_count; ++k)
        top += model.metric.area[k] * gradient(c, model.metric, f, k).squaredNorm();
      for (std::size_t v = 0; v < f.size(); ++v) bottom += model.metric.dual_area[v] * f[v] * f[v];
      return top / bottom;
    };
    EXPECT_NEAR(quotient([](const Vec3& x) { return x.z(); }), 2, 1e-12);
    EXPECT_NEAR(quotient([](const Vec3& x) { return 3 * x.z() * x.z() - x.squaredNorm(); }), l2[level - 2],
                1e-4);
    EXPECT_NEAR(quotient([](const Vec3& x) { return x.z() * (5 * x.z() * x.z() - 3 * x.squaredNorm()); }),
                l3[level - 2], 1e-3);
  }
}

// Longest edge 1, height 1e-6: with the surrogate's area gradients stay bounded [SW-12].
TEST(SurfaceOperators, GradientsOfSliversAreBounded) {
  // Never above cot 10° over twice the least area sin² 10° / sin 160°, which is 64.3; unlimited it is 1e6.
  EXPECT_LT(largest_gradient(Vec3(0.5, 1e-6, 0)), 1.1);
  EXPECT_LT(largest_gradient(Vec3(1e-7, 1e-6, 0)), 30);
  EXPECT_LT(largest_gradient(Vec3(0.1, 1e-6, 0)), 64.4);
  const std::array<double, 3> limited = limited_angles({0.01, 0.02, std::numbers::pi - 0.03}, 0.1745);
  EXPECT_NEAR(limited[0], 0.1745, 1e-15);
  EXPECT_NEAR(limited[0] + limited[1] + limited[2], std::numbers::pi, 1e-14);
}

}  // namespace
}  // namespace selkie::surface_water
