// Level sets: distances of known shapes and their order, a surface that stays, enclosed volume, curvature,
// extension along normals.
#include "selkie/grid/level_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "selkie/grid/extrapolate.h"
#include "selkie/grid/loops.h"

namespace selkie::grid {
namespace {

constexpr DistanceMethod kMethods[] = {DistanceMethod::closest, DistanceMethod::marching};

template <class T>
struct Field {
  Shape shape;
  Place place;
  Buffer<T> phi;
  DistanceWork<T> work;

  template <class Value>
  Field(const Shape& s, Place p, Value&& value) : shape(s), place(p) {
    fill(shape, place, phi, value);
  }
  DistanceReport distance(DistanceMethod method, double band = 6) {
    return redistance(shape, place, {method, band}, view(shape, phi), work);
  }
  View<const T> read() const { return view(shape, phi); }
  template <class Visit>
  void each(Visit&& visit) const {
    const Index n = shape.samples(place);
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i)
          visit(shape.position(place, i, j, k), double(view(shape, phi)(i, j, k)));
  }
};

Shape unit_box(int dims, int n) { return {dims, {n, n, n}, 1.0 / n}; }
const Vec3 kCentre(0.512, 0.487, 0.494);
Vec3 centre(int dims) { return dims == 3 ? kCentre : Vec3(kCentre.x(), kCentre.y(), 0); }

// A function that is zero on the ball and not at all a distance elsewhere.
double no_distance(const Vec3& x, const Vec3& c, double radius) {
  const double d = (x - c).norm() - radius;
  return 3 * d * (0.5 + 0.3 * std::sin(7 * x.x() + 2)) * std::exp(2 * d);
}

// Largest |error| within `band` cells of the surface.
template <class T>
double ball_error(int dims, int n, DistanceMethod method, Place place, double band) {
  const Vec3 c = centre(dims);
  Field<T> field(unit_box(dims, n), place, [&](const Vec3& x) { return no_distance(x, c, 0.3); });
  field.distance(method);
  double worst = 0;
  field.each([&](const Vec3& x, double value) {
    const double exact = (x - c).norm() - 0.3;
    if (std::abs(exact) < band / n) worst = std::max(worst, std::abs(value - exact));
  });
  return worst;
}

TEST(Redistance, DistancesOfABallAreOfSecondOrderFromAFunctionThatIsNone) {
  for (const DistanceMethod method : kMethods)
    for (const int dims : {2, 3})
      for (const Place place : {Place::cell, Place::node}) {
        const int n = dims == 2 ? 32 : 16;
        const double coarse = ball_error<double>(dims, n, method, place, 4),
                     fine = ball_error<double>(dims, 4 * n, method, place, 4);
        EXPECT_GT(std::log2(coarse / fine) / 2, 1.7)
            << dims << " " << int(method) << " " << coarse << " " << fine;
        EXPECT_LT(fine * 4 * n, 0.02) << "in cells";
      }
}

TEST(Redistance, FloatFollowsDoubleToItsPrecision) {
  for (const DistanceMethod method : kMethods)
    EXPECT_NEAR(ball_error<float>(3, 32, method, Place::cell, 4),
                ball_error<double>(3, 32, method, Place::cell, 4),
                1e-6);  // φ in float, rounded at 1e-7 and amplified by slopes below one
}

TEST(Redistance, ABoxKeepsItsCornersWithinAFractionOfACell) {
  for (const DistanceMethod method : kMethods)
    for (const int dims : {2, 3}) {
      const int n = dims == 2 ? 64 : 32;
      const Vec3 half(0.21, 0.27, dims == 3 ? 0.24 : 0), c = centre(dims);
      auto exact = [&](const Vec3& x) {
        Vec3 q = (x - c).cwiseAbs() - half;
        if (dims == 2) q.z() = -1;
        return q.cwiseMax(0).norm() + std::min(q.maxCoeff(), 0.0);
      };
      Field<double> field(unit_box(dims, n), Place::cell, [&](const Vec3& x) { return 2 * exact(x); });
      field.distance(method);
      double worst = 0, sum = 0;
      int count = 0;
      field.each([&](const Vec3& x, double value) {
        if (std::abs(exact(x)) > 4.0 / n) return;
        const double error = std::abs(value - exact(x)) * n;
        worst = std::max(worst, error), sum += error, ++count;
      });
      // Outside of edges the distance is round. There a piece of surface reaches past the edge by up to its
      // radius of 0.75 cells (measured 0.57 and 0.96 cells at the worst, 0.05 in the mean), and upwind
      // differences overestimate by half a cell per edge that meets (0.47 and 0.97, 0.09).
      EXPECT_LT(worst, dims == 2 ? 0.7 : 1.1) << dims;
      EXPECT_LT(sum / count, method == DistanceMethod::closest ? 0.06 : 0.12) << dims;
    }
}

TEST(Redistance, TheSurfaceStaysWhenItIsRepeated) {
  for (const int dims : {2, 3}) {
    const int n = dims == 2 ? 64 : 32;
    const Vec3 c = centre(dims);
    Field<double> field(unit_box(dims, n), Place::cell, [&](const Vec3& x) { return (x - c).norm() - 0.3; });
    const double before = enclosed_volume(field.shape, field.place, field.read());
    for (int repeat = 0; repeat < 50; ++repeat) field.distance(DistanceMethod::closest);
    const double after = enclosed_volume(field.shape, field.place, field.read());
    EXPECT_NEAR(after / before, 1, dims == 2 ? 2e-3 : 6e-3);
    double worst = 0;
    field.each([&](const Vec3& x, double value) {
      const double exact = (x - c).norm() - 0.3;
      if (std::abs(exact) < 1.0 / n) worst = std::max(worst, std::abs(value - exact) * n);
    });
    EXPECT_LT(worst, 0.12) << "cells after fifty times";  // measured 0.08
  }
}

// Displacement of the crossings along x by one redistancing of a distance, in cells: third order or better.
TEST(Redistance, MovesCrossingsByLessThanSecondOrder) {
  double moved[2];
  for (const int level : {0, 1}) {
    const int n = 32 << level;
    const Vec3 c = centre(2);
    Field<double> field(unit_box(2, n), Place::cell, [&](const Vec3& x) { return (x - c).norm() - 0.3; });
    const Buffer<double> old = field.phi;
    field.distance(DistanceMethod::closest);
    const auto a = view(field.shape, std::as_const(old)), b = field.read();
    double worst = 0;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i + 1 < n; ++i) {
        if ((a(i, j, 0) < 0) == (a(i + 1, j, 0) < 0)) continue;
        const double before = a(i, j, 0) / (a(i, j, 0) - a(i + 1, j, 0)),
                     after = b(i, j, 0) / (b(i, j, 0) - b(i + 1, j, 0));
        // Along a grid line that only grazes the surface a crossing says little.
        if (std::abs(a(i, j, 0) - a(i + 1, j, 0)) * n > 0.5)
          worst = std::max(worst, std::abs(after - before));
      }
    moved[level] = worst / n;
  }
  EXPECT_GT(std::log2(moved[0] / moved[1]), 2.5) << moved[0] << " " << moved[1];
  EXPECT_LT(moved[1] * 64, 2e-3);
}

TEST(Redistance, ClosestPointsAndMarchingAgree) {
  for (const int dims : {2, 3}) {
    const int n = dims == 2 ? 50 : 30;
    auto shape_of = [&](const Vec3& x) {  // two balls that nearly touch, and a wall film
      const Vec3 a(0.3, 0.5, dims == 3 ? 0.5 : 0), b(0.7, 0.52, dims == 3 ? 0.45 : 0);
      return std::min({(x - a).norm() - 0.17, (x - b).norm() - 0.2, x.y() - 0.07});
    };
    Field<double> closest(unit_box(dims, n), Place::cell, shape_of), marched = closest;
    closest.distance(DistanceMethod::closest), marched.distance(DistanceMethod::marching);
    double worst = 0;
    for (std::size_t e = 0; e < closest.phi.size(); ++e)
      worst = std::max(worst, std::abs(closest.phi[e] - marched.phi[e]) * n);
    // Apart where fronts meet, which upwind differences round off.
    EXPECT_LT(worst, 0.5) << "cells";
  }
}

TEST(Redistance, HasTheSameBitsForAnyNumberOfThreads) {
  const Vec3 c = centre(3);
  auto run = [&](int threads) {
    set_thread_count(threads);
    Field<float> field(unit_box(3, 40), Place::cell, [&](const Vec3& x) { return no_distance(x, c, 0.3); });
    field.distance(DistanceMethod::closest, 0);
    set_thread_count(0);
    return field.phi;
  };
  const Buffer<float> one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(5));
}

TEST(Redistance, WorksWhateverTheScratchHolds) {
  const Vec3 c = centre(3);
  for (const DistanceMethod method : kMethods) {
    Field<float> field(unit_box(3, 24), Place::cell, [&](const Vec3& x) { return no_distance(x, c, 0.3); });
    Field<float> other = field;
    field.distance(method);
    other.work.first.assign(other.shape.size(), std::numeric_limits<float>::quiet_NaN());
    other.work.marks.assign(other.shape.size(), 77);
    other.work.labels.assign(other.shape.size(), 77);
    other.distance(method);
    EXPECT_EQ(field.phi, other.phi);
  }
}

TEST(Redistance, WithoutASurfaceAllIsAtTheBand) {
  for (const DistanceMethod method : kMethods)
    for (const double sign : {-1.0, 1.0}) {
      Field<float> field(unit_box(3, 9), Place::cell, [&](const Vec3&) { return sign; });
      EXPECT_EQ(field.distance(method, 4).surface_samples, 0u);
      field.each([&](const Vec3&, double value) { EXPECT_FLOAT_EQ(float(value), float(sign * 4 / 9)); });
    }
}

TEST(Redistance, EndsAlsoWhenNumbersAreNotFinite) {
  for (const DistanceMethod method : kMethods) {
    Field<float> field(unit_box(3, 12), Place::cell, [](const Vec3& x) { return x.y() - 0.41; });
    for (int k = 3; k < 9; ++k)
      for (int j = 2; j < 8; ++j)
        for (int i = 3; i < 9; ++i)
          view(field.shape, field.phi)(i, j, k) = std::numeric_limits<float>::quiet_NaN();
    field.distance(method);
    EXPECT_NEAR(view(field.shape, field.phi)(0, 6, 0), 6.5f / 12 - 0.41f, 1e-5f) << "far from the trouble";
  }
}

TEST(Redistance, ReachesTheWholeGridWithoutABand) {
  for (const DistanceMethod method : kMethods)
    for (const int dims : {2, 3}) {
      Field<double> field(unit_box(dims, 37), Place::node,
                          [&](const Vec3& x) { return 5 * (x.x() - 0.113); });
      field.distance(method, 0);
      field.each([&](const Vec3& x, double value) { EXPECT_NEAR(value, x.x() - 0.113, 1e-12); });
    }
}

TEST(EnclosedVolume, OfAHalfSpaceIsExactUpToTheWalls) {
  for (const int dims : {2, 3})
    for (const Place place : {Place::cell, Place::node}) {
      const Vec3 n = Vec3(1, 2, dims == 3 ? -1.5 : 0).normalized();
      const double volume_of_box = 1;
      Field<double> field(unit_box(dims, 8), place, [&](const Vec3& x) { return n.dot(x - centre(dims)); });
      const double below = enclosed_volume(field.shape, place, field.read());
      for (double& value : field.phi) value = -value;
      EXPECT_NEAR(below + enclosed_volume(field.shape, place, field.read()), volume_of_box, 1e-13);
      Field<double> level(unit_box(dims, 8), place, [&](const Vec3& x) { return x.y() - 0.3137; });
      EXPECT_NEAR(enclosed_volume(level.shape, place, level.read()), 0.3137, 1e-13);
      EXPECT_NEAR(surface_area(level.shape, place, level.read()), 1, 1e-13);
    }
}

TEST(EnclosedVolume, OfABallAndItsSurfaceAreOfSecondOrder) {
  for (const int dims : {2, 3}) {
    const double r = 0.3, pi = std::numbers::pi;
    const double volume = dims == 2 ? pi * r * r : 4 * pi / 3 * r * r * r;
    const double area = dims == 2 ? 2 * pi * r : 4 * pi * r * r;
    double errors[2][2];
    for (const int level : {0, 1}) {
      Field<double> field(unit_box(dims, 16 << (2 * level)), Place::cell,
                          [&](const Vec3& x) { return (x - centre(dims)).norm() - r; });
      errors[level][0] = std::abs(enclosed_volume(field.shape, field.place, field.read()) - volume);
      errors[level][1] = std::abs(surface_area(field.shape, field.place, field.read()) - area);
    }
    EXPECT_GT(std::log2(errors[0][0] / errors[1][0]) / 2, 1.8);
    EXPECT_GT(std::log2(errors[0][1] / errors[1][1]) / 2, 1.8);
    EXPECT_LT(errors[1][0] / volume, 2e-3);
  }
}

TEST(Curvature, OfABallIsOfSecondOrder) {
  for (const int dims : {2, 3}) {
    double errors[2];
    for (const int level : {0, 1}) {
      const int n = 24 << level;
      const Vec3 c = centre(dims);
      Field<double> field(unit_box(dims, n), Place::cell,
                          [&](const Vec3& x) { return (x - c).norm() - 0.3; });
      Buffer<double> kappa(field.shape.size());
      curvature(field.shape, field.place, field.read(), 2, view(field.shape, kappa));
      errors[level] = 0;
      const Index s = field.shape.cells();
      for (int k = 0; k < s[2]; ++k)
        for (int j = 0; j < s[1]; ++j)
          for (int i = 0; i < s[0]; ++i) {
            const double f = field.read()(i, j, k);
            if (std::abs(f) > 2.0 / n) continue;
            const double exact = (dims - 1) / (0.3 + f);  // of the contour through the sample
            errors[level] =
                std::max(errors[level], std::abs(view(field.shape, kappa)(i, j, k) - exact) / exact);
          }
    }
    EXPECT_GT(std::log2(errors[0] / errors[1]), 1.8) << errors[0] << " " << errors[1];
    EXPECT_LT(errors[1], 0.01);
  }
}

TEST(Curvature, OfAPlaneAndAtAWallMetAtRightAnglesIsZero) {
  Field<double> field(unit_box(3, 12), Place::cell, [](const Vec3& x) { return x.y() - 0.41; });
  Buffer<double> kappa(field.shape.size(), 7.0);
  curvature(field.shape, field.place, field.read(), 3, view(field.shape, kappa));
  for (int k = 0; k < 12; ++k)
    for (int j = 0; j < 12; ++j)
      for (int i = 0; i < 12; ++i) EXPECT_NEAR(view(field.shape, kappa)(i, j, k), 0, 1e-12);
}

TEST(Curvature, OfTheSurfaceLiesBetweenThatOfItsNeighbours) {
  // Neighbours at distances −0.3 and 0.7 cells of a circle of radius 10 cells.
  EXPECT_NEAR(surface_curvature(-0.3, 0.7, 1 / 9.7, 1 / 10.7), 0.1, 2.5e-4);  // second order: 0.21 / 10³
}

TEST(Gradient, IsThatOfADistanceAndExactForPlanes) {
  const Shape shape = unit_box(3, 16);
  const Vec3 n = Vec3(1, -2, 0.5).normalized();
  Field<double> field(shape, Place::cell, [&](const Vec3& x) { return n.dot(x - kCentre); });
  const Lattice lattice(shape, Place::cell);
  for (const Vec3& x : {Vec3(0.5, 0.5, 0.5), Vec3(0.01, 0.99, 0.4), Vec3(0.97, 0.02, 0.03)})
    EXPECT_LT((gradient_at(field.read(), lattice, x) - n).norm(), 1e-12);
}

TEST(Extension, IsConstantAlongNormals) {
  for (const int dims : {2, 3}) {
    const int n = 40;
    const Shape shape = unit_box(dims, n);
    const Vec3 c = centre(dims);
    Field<double> field(shape, Place::cell, [&](const Vec3& x) { return (x - c).norm() - 0.25; });
    auto on_surface = [&](const Vec3& x) { return (x - c).normalized().dot(Vec3(0.6, 0.8, 0)); };
    Buffer<double> u;
    fill(shape, Place::face_x, u, on_surface);
    Buffer<std::uint8_t> known(shape.size(), kUnknown);
    const Index s = shape.samples(Place::face_x);
    for (int k = 0; k < s[2]; ++k)
      for (int j = 0; j < s[1]; ++j)
        for (int i = 0; i < s[0]; ++i) {
          const bool inside = (shape.position(Place::face_x, i, j, k) - c).norm() < 0.25;
          view(shape, known)(i, j, k) = inside ? kKnown : kUnknown;
          if (!inside) view(shape, u)(i, j, k) = 1e9;
        }
    ExtendWork work;
    extend_along_normals(shape, field.read(), 4, Place::face_x, known, u, work);
    double worst = 0;
    for (int k = 0; k < s[2]; ++k)
      for (int j = 0; j < s[1]; ++j)
        for (int i = 0; i < s[0]; ++i) {
          const Vec3 x = shape.position(Place::face_x, i, j, k);
          const double d = (x - c).norm() - 0.25;
          if (d > 3.0 / n) continue;
          ASSERT_EQ(view(shape, known)(i, j, k), kKnown);
          worst = std::max(worst, std::abs(view(shape, u)(i, j, k) - on_surface(x)));
        }
    EXPECT_LT(worst, 0.06);  // first order: half a cell along the surface is 0.05
  }
}

}  // namespace
}  // namespace selkie::grid
