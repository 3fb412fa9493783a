// Projection of velocities, and open shares of cut faces.
#include "selkie/grid/projection.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "unit/grid/pressure_domains.h"

namespace selkie::grid {
namespace {

using namespace test;

TEST(SolidFractions, SharesOfALinearDistanceAreExact) {
  EXPECT_DOUBLE_EQ(open_edge(-1, 3), 0.75);
  EXPECT_DOUBLE_EQ(open_edge(0, -1), 0);
  EXPECT_DOUBLE_EQ(open_edge(0, 1), 1);
  // Half planes n·x = c of the unit square against the area by slicing.
  for (int trial = 0; trial < 200; ++trial) {
    const auto t = static_cast<std::uint64_t>(trial);
    const double nx = random_uniform(1, 1, t, -1, 1), ny = random_uniform(1, 2, t, -1, 1),
                 c = random_uniform(1, 3, t, -1, 1);
    auto phi = [&](double x, double y) { return nx * x + ny * y - c; };
    double area = 0;
    constexpr int kSlices = 2000;
    for (int s = 0; s < kSlices; ++s) {
      const double x = (s + 0.5) / kSlices;
      area += open_edge(phi(x, 0), phi(x, 1)) / kSlices;
    }
    // Midpoint rule on a function with kinks: second order but for two slices.
    EXPECT_NEAR(open_square(phi(0, 0), phi(1, 0), phi(1, 1), phi(0, 1)), area, 1e-3);
  }
  EXPECT_DOUBLE_EQ(open_square(1, -1, 1, -1), 0.75);  // mean zero: joined
  EXPECT_DOUBLE_EQ(open_square(1, -3, 1, -3), 0.0625);
}

// A container with a given distance to its wall (positive inside), filled up to y = level.
template <class T>
OwnedDomain<T> container(const Shape& shape, const std::function<double(const Vec3&)>& inside, double level,
                         bool clamp = true) {
  OwnedDomain<T> d(shape, kClosed);
  Buffer<T> nodes;
  sample_nodes<T>(shape, inside, nodes);
  open_fractions<T>(shape, view(shape, std::as_const(nodes)), {.clamp = clamp}, d.weight(), d.kind());
  d.has_surface = true;
  for_cells(shape, [&](int i, int j, int k) {
    const double phi = shape.position(Place::cell, i, j, k).y() - level;
    d.surface[static_cast<std::size_t>(shape.at(i, j, k))] = static_cast<T>(phi);
    if (phi >= 0 && d.kind()(i, j, k) == code_of(CellKind::fluid)) d.kind()(i, j, k) = code_of(CellKind::air);
  });
  return d;
}

TEST(Projection, WaterRestsInASphereWithTheExactHydrostaticPressure) {
  for (const int dims : {2, 3}) {
    const Shape shape(dims, {24, 24, 24}, 1.0 / 24);
    const Vec3 middle(0.5, 0.5, dims == 3 ? 0.5 : 0);
    const double level = 0.613, g_dt = 0.3;
    const OwnedDomain<double> d = container<double>(
        shape, [&](const Vec3& x) { return 0.41 - (x - middle).norm(); }, level);
    FaceField<double> u;
    u.assign(shape, 0.0);
    for (double& v : u.component[1]) v = -g_dt;
    Buffer<double> p(shape.size(), 0.0);
    ProjectionWork<double> work;
    const auto report = project<double, double>({.domain = d.domain()}, {.tolerance = 1e-11}, view(shape, u),
                                                view(shape, p), work);
    ASSERT_TRUE(report.ok()) << report.text();
    const PressureDomain<double> domain = d.domain();
    for_cells(shape, [&](int i, int j, int k) {
      if (domain.kinds(i, j, k) != code_of(CellKind::fluid)) return;
      const double depth = level - shape.position(Place::cell, i, j, k).y();
      const bool clamped = -domain.surface(i, j, k) < 2 * kSmallestTheta * shape.cell_size();
      if (!clamped) {
        EXPECT_NEAR(p[static_cast<std::size_t>(shape.at(i, j, k))], g_dt * depth / shape.cell_size(), 1e-8);
      }
      for (int axis = 0; axis < dims; ++axis)
        EXPECT_NEAR(u.component[static_cast<std::size_t>(axis)][static_cast<std::size_t>(shape.at(i, j, k))],
                    0, 1e-8);
    });
  }
}

template <class T>
double kinetic_energy(const OwnedDomain<T>& d, const FaceField<T>& u) {
  double sum = 0;
  const PressureDomain<T> domain = d.domain();
  for (int axis = 0; axis < d.shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    for_cells(d.shape, [&](int i, int j, int k) {
      const std::uint8_t* kind = &domain.kinds(i, j, k);
      const auto fluid = code_of(CellKind::fluid), solid = code_of(CellKind::solid);
      const std::uint8_t low = kind[-d.shape.stride(axis)];
      if ((kind[0] != fluid && low != fluid) || kind[0] == solid || low == solid) return;
      const double v = static_cast<double>(u.component[a][static_cast<std::size_t>(d.shape.at(i, j, k))]);
      sum += static_cast<double>(domain.open[a](i, j, k)) * v * v;
    });
  }
  return sum;
}

TEST(Projection, LeavesNoDivergenceIsIdempotentAndTakesEnergyAway) {
  for (const Shape& shape : {Shape(2, {40, 30, 1}, 0.1), Shape(3, {20, 18, 22}, 0.1)}) {
    const OwnedDomain<double> d = random_domain<double>(shape, 3, kOpenTop);
    FaceField<double> u = random_faces<double>(shape, 8);
    const ProjectionInputs<double> in{.domain = d.domain()};
    Buffer<double> p(shape.size(), 0.0);
    ProjectionWork<double> work;
    const double before = kinetic_energy(d, u);
    ASSERT_TRUE(
        (project<double, double>(in, {.tolerance = 1e-11}, view(shape, u), view(shape, p), work).ok()));
    EXPECT_LE(kinetic_energy(d, u), before);
    // Closed regions at rest stay compatible, so that nothing is left anywhere.
    EXPECT_LT(largest_imbalance<double>(in, view(shape, std::as_const(u))), 1e-8);
    const FaceField<double> once = u;
    (void)project<double, double>(in, {.tolerance = 1e-6}, view(shape, u), view(shape, p), work);
    for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dims()); ++a)
      for (std::size_t n = 0; n < shape.size(); ++n)
        ASSERT_NEAR(u.component[a][n], once.component[a][n], 1e-8);
  }
}

TEST(Projection, AMovingWallPushesTheFluidOutOfTheOpenSide) {
  const Shape shape(2, {8, 5, 1}, 0.5);
  OpenSides sides{};
  sides[0][1] = true;
  const OwnedDomain<float> d(shape, sides);
  FaceField<float> wall, u;
  wall.assign(shape, 0.0f);
  u.assign(shape, 0.0f);
  for (int j = 0; j < 5; ++j) view(shape, wall)[0](0, j, 0) = 2;
  Buffer<float> p(shape.size(), 0.0f);
  ProjectionWork<float> work;
  const ProjectionInputs<float> in{.domain = d.domain(), .solid_velocity = view(shape, std::as_const(wall))};
  ASSERT_TRUE((project<float, float>(in, {}, view(shape, u), view(shape, p), work).ok()));
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i <= 8; ++i) EXPECT_NEAR(view(shape, u)[0](i, j, 0), 2, 1e-5);
}

TEST(Projection, ASourceDrivesItsFluxThroughTheOpenSide) {
  const Shape shape(3, {12, 10, 9}, 0.25);
  const OwnedDomain<double> d(shape, kOpenTop);
  FaceField<double> u;
  u.assign(shape, 0.0);
  Buffer<double> p(shape.size(), 0.0), source(shape.size(), 0.0);
  source[static_cast<std::size_t>(shape.at(4, 3, 4))] = 6;
  ProjectionWork<double> work;
  const ProjectionInputs<double> in{.domain = d.domain(), .source = view(shape, std::as_const(source))};
  ASSERT_TRUE((project<double, double>(in, {.tolerance = 1e-10}, view(shape, u), view(shape, p), work).ok()));
  double out = 0;
  for (int k = 0; k < 9; ++k)
    for (int i = 0; i < 12; ++i) out += view(shape, u)[1](i, 10, k);
  EXPECT_NEAR(out, 6 * 0.25, 1e-8);  // ΣD Δx³ over faces of Δx²
}

TEST(Projection, AClosedBoxWithASourceIsRefusedWithTheReason) {
  const Shape shape(3, {10, 10, 10}, 0.1);
  const OwnedDomain<float> d(shape, kClosed);
  FaceField<float> u = random_faces<float>(shape, 3);
  const FaceField<float> before = u;
  Buffer<float> p(shape.size(), 0.0f), source(shape.size(), 0.0f);
  source[static_cast<std::size_t>(shape.at(5, 5, 5))] = 1;
  ProjectionWork<float> work;
  const ProjectionInputs<float> in{.domain = d.domain(), .source = view(shape, std::as_const(source))};
  const auto report = project<float, float>(in, {}, view(shape, u), view(shape, p), work);
  EXPECT_TRUE(report.refused);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.text().find("closed region"), std::string::npos);
  EXPECT_EQ(u.component[0], before.component[0]);
  // A sink of the same strength makes it solvable.
  source[static_cast<std::size_t>(shape.at(1, 2, 3))] = -1;
  EXPECT_TRUE((project<float, float>(in, {.tolerance = 1e-5}, view(shape, u), view(shape, p), work).ok()));
}

TEST(Projection, ANotANumberInTheVelocityIsReportedAndLeavesTheFieldAlone) {
  const Shape shape(3, {10, 10, 10}, 0.1);
  const OwnedDomain<float> d(shape, kOpenTop);
  FaceField<float> u = random_faces<float>(shape, 3);
  view(shape, u)[2](4, 4, 4) = std::numeric_limits<float>::quiet_NaN();
  const float other = view(shape, u)[0](4, 4, 4);
  Buffer<float> p(shape.size(), 0.0f);
  ProjectionWork<float> work;
  const auto report = project<float, float>({.domain = d.domain()}, {}, view(shape, u), view(shape, p), work);
  EXPECT_EQ(report.solve.reason, linalg::StopReason::not_finite);
  EXPECT_EQ(view(shape, u)[0](4, 4, 4), other);
}

TEST(Projection, FloatFieldsWithADoublePressureReachATighterBalance) {
  const Shape shape(2, {64, 64, 1}, 1.0 / 64);
  OwnedDomain<float> d(shape, kOpenTop);
  const ProjectionInputs<float> in{.domain = d.domain()};
  std::array<double, 2> left{};
  for (const bool wide : {false, true}) {
    FaceField<float> u;
    u.assign(shape, 0.0f);
    for (float& v : u.component[1]) v = -1;
    if (wide) {
      Buffer<double> p(shape.size(), 0.0);
      ProjectionWork<double> work;
      ASSERT_TRUE(
          (project<float, double>(in, {.tolerance = 1e-9}, view(shape, u), view(shape, p), work).ok()));
    } else {
      Buffer<float> p(shape.size(), 0.0f);
      ProjectionWork<float> work;
      (void)project<float, float>(in, {.tolerance = 1e-9}, view(shape, u), view(shape, p), work);
    }
    left[wide ? 1 : 0] = largest_imbalance<float>(in, view(shape, std::as_const(u)));
  }
  EXPECT_LT(left[1], 1e-6);
  EXPECT_LT(left[1], 0.2 * left[0]);
}

}  // namespace
}  // namespace selkie::grid
