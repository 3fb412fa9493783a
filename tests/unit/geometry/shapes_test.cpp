// Signed distances: exact values, and the eikonal equation |∇d| = 1 with the normal as gradient.
#include "selkie/geometry/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace selkie::geometry {
namespace {

// Central differences against the reported normal at points spread over a cube (golden-ratio sequence);
// points next to the medial axis, where the distance has a kink, are recognised by differences below one.
template <class Shape>
void expect_eikonal(const Shape& shape) {
  const double h = 1e-5;
  int smooth = 0;
  for (int i = 0; i < 500; ++i) {
    auto spread = [&](double step) { return 3 * std::fmod(0.5 + i * step, 1.0) - 1.5; };
    const Vec3 p(spread(0.8191725133961645), spread(0.6710436067037893), spread(0.5497004779019703));
    const SurfaceDistance at = signed_distance(shape, p);
    ASSERT_NEAR(at.normal.norm(), 1, 1e-14);
    Vec3 gradient;
    for (int k = 0; k < 3; ++k) {
      const Vec3 step = h * Vec3::Unit(k);
      gradient[k] =
          (signed_distance(shape, p + step).distance - signed_distance(shape, p - step).distance) / (2 * h);
    }
    if ((gradient - at.normal).norm() < 1e-8) ++smooth;  // error h² times third derivatives, plus ε/h
    // Stepping the whole distance along the normal must reach the surface, kink or not.
    EXPECT_NEAR(signed_distance(shape, p - at.distance * at.normal).distance, 0, 1e-13);
  }
  EXPECT_GE(smooth, 490);
}

TEST(SignedDistance, HasAUnitGradientEqualToItsNormal) {
  expect_eikonal(Plane{.point = Vec3(0.1, 0.2, 0.3), .normal = Vec3(1, 2, -3)});
  expect_eikonal(Ball{.center = Vec3(0.1, 0, 0.2), .radius = 0.7});
  expect_eikonal(Box{.min = Vec3(-0.5, -0.7, -0.2), .max = Vec3(0.6, 0.1, 0.9)});
  expect_eikonal(Cylinder{.start = Vec3(-0.4, -0.3, 0.1), .end = Vec3(0.5, 0.6, -0.2), .radius = 0.4});
  expect_eikonal(Capsule{.start = Vec3(-0.4, -0.3, 0.1), .end = Vec3(0.5, 0.6, -0.2), .radius = 0.4});
  expect_eikonal(Torus{.axis = Vec3(1, 1, 0), .major_radius = 0.8, .minor_radius = 0.3});
}

TEST(SignedDistance, HasExactValuesAtChosenPoints) {
  EXPECT_EQ(signed_distance(Plane{.normal = Vec3(0, 7, 0)}, Vec3(3, -2, 1)).distance, -2);
  EXPECT_EQ(signed_distance(Ball{.radius = 2}, Vec3(3, 0, 4)).distance, 3);
  const Box box{.min = Vec3(0, 0, 0), .max = Vec3(2, 2, 2)};
  EXPECT_EQ(signed_distance(box, Vec3(1, 1, 1.75)).distance, -0.25);
  EXPECT_EQ(signed_distance(box, Vec3(5, 6, 1)).distance, 5);
  EXPECT_EQ(signed_distance(box, Vec3(1, 2, 1)).distance, 0);
  EXPECT_EQ(signed_distance(box, Vec3(1, 2, 1)).normal, Vec3::UnitY());
  const Cylinder cylinder{.start = Vec3(0, 0, 0), .end = Vec3(0, 4, 0), .radius = 1};
  EXPECT_EQ(signed_distance(cylinder, Vec3(4, 8, 0)).distance, 5);
  EXPECT_EQ(signed_distance(cylinder, Vec3(0, 3.75, 0)).distance, -0.25);
  EXPECT_EQ(signed_distance(cylinder, Vec3(0.5, 2, 0)).distance, -0.5);
  const Capsule capsule{.start = Vec3(0, 0, 0), .end = Vec3(0, 4, 0), .radius = 1};
  EXPECT_EQ(signed_distance(capsule, Vec3(3, 8, 0)).distance, 4);
  EXPECT_EQ(signed_distance(capsule, Vec3(0.25, 2, 0)).distance, -0.75);
  const Torus torus{.major_radius = 4, .minor_radius = 1};
  EXPECT_EQ(signed_distance(torus, Vec3(0, 3, 0)).distance, 4);
  EXPECT_EQ(signed_distance(torus, Vec3(4, 0, 0)).distance, -1);
}

TEST(SignedDistance, GivesAUnitNormalEvenOnTheMedialAxis) {
  EXPECT_EQ(signed_distance(Ball{}, Vec3::Zero()).normal.norm(), 1);
  EXPECT_EQ(signed_distance(Box{}, Vec3::Zero()).normal.norm(), 1);
  EXPECT_EQ(signed_distance(Cylinder{}, Vec3::Zero()).normal.norm(), 1);
  EXPECT_NEAR(signed_distance(Capsule{}, Vec3::Zero()).normal.norm(), 1, 1e-15);
  EXPECT_NEAR(signed_distance(Torus{}, Vec3::Zero()).normal.norm(), 1, 1e-15);
  EXPECT_EQ(signed_distance(Torus{.major_radius = 1}, Vec3::UnitX()).normal.norm(), 1);
}

TEST(SignedDistance, OfAChoiceIsThatOfTheChosenShape) {
  const Vec3 p(0.3, 0.9, -0.2);
  EXPECT_EQ(signed_distance(AnalyticShape{.ball = Ball{}}, p).distance, signed_distance(Ball{}, p).distance);
  EXPECT_EQ(signed_distance(AnalyticShape{.torus = Torus{}}, p).distance,
            signed_distance(Torus{}, p).distance);
}

TEST(SideDistances, OfABoxAndACylinderAreThoseOfTheirFacesAndTheNearestIsTheShapesOwn) {
  AnalyticShape box, cylinder, ball;
  box.box = Box{Vec3(0, 0, 0), Vec3(1, 2, 3)};
  cylinder.cylinder = Cylinder{Vec3(0, 0, 0), Vec3(0, 2, 0), 1};
  ball.ball = Ball{Vec3(0, 0, 0), 1};
  const Vec3 point(0.3, 0.4, 0.5);
  for (const auto& [shape, count] : {std::pair(box, 6u), std::pair(cylinder, 3u), std::pair(ball, 1u)}) {
    const SideDistances sides = side_distances(shape, point);
    ASSERT_EQ(sides.size(), count);
    double nearest = -1e9;
    for (const SurfaceDistance& side : sides) {
      EXPECT_NEAR(side.normal.norm(), 1, 1e-15);
      EXPECT_LT(side.distance, 0);
      nearest = std::max(nearest, side.distance);
      // Where it leads to lies on the boundary or, beyond a neighbouring face, outside.
      EXPECT_GE(signed_distance(shape, point - side.distance * side.normal).distance, -1e-15);
    }
    EXPECT_NEAR(nearest, signed_distance(shape, point).distance, 1e-15);
  }
}

TEST(Region, ContainsItsInsideAndItsSurface) {
  const Region box{.box = Box{.min = Vec3(0, 0, 0), .max = Vec3(1, 0, 1)}};  // flat boxes pick a plane
  EXPECT_TRUE(contains(box, Vec3(0.5, 0, 1)));
  EXPECT_FALSE(contains(box, Vec3(0.5, 1e-9, 0.5)));
  const Region ball{.ball = Ball{.radius = 1}};
  EXPECT_TRUE(contains(ball, Vec3(1, 0, 0)));
  EXPECT_FALSE(contains(ball, Vec3(1, 0.1, 0)));
  const Region cylinder{.cylinder = Cylinder{}};
  EXPECT_TRUE(contains(cylinder, Vec3(0.1, 0.5, 0.1)));
  EXPECT_FALSE(contains(cylinder, Vec3(0.1, 0.51, 0.1)));
  const Region half_space{.half_space = Plane{.point = Vec3(0, 1, 0)}};
  EXPECT_TRUE(contains(half_space, Vec3(100, 1, 100)));
  EXPECT_FALSE(contains(half_space, Vec3(0, 1.1, 0)));
}

TEST(Shapes, RefuseContradictoryMembers) {
  EXPECT_EQ(validate(Plane{.normal = Vec3::Zero()}).at(0).member, "normal");
  EXPECT_EQ(validate(Box{.min = Vec3(1, 0, 0)}).at(0).member, "min");
  EXPECT_EQ(validate(Cylinder{.start = Vec3::Zero(), .end = Vec3::Zero()}).at(0).member, "end");
  EXPECT_EQ(validate(Torus{.minor_radius = 2}).at(0).member, "minor_radius");
  EXPECT_TRUE(validate(Torus{}).empty());
}

}  // namespace
}  // namespace selkie::geometry
