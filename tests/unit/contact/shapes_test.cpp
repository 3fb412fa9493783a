// Hulls, support functions, distances, rays and masses of shapes against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "selkie/contact/manifold.h"
#include "selkie/core/random.h"
#include "selkie/math/random_vector.h"
#include "selkie/math/rotation.h"

namespace selkie::contact {
namespace {

constexpr double kRoundOff = 1e-12;

Pose pose_at(const Vec3& position, const Vec3& turn = Vec3::Zero()) { return {position, rotation_from_vector(turn)}; }

std::vector<Vec3> box_corners(const Vec3& half) {
  std::vector<Vec3> corners;
  for (int c = 0; c < 8; ++c)
    corners.emplace_back(c & 1 ? half.x() : -half.x(), c & 2 ? half.y() : -half.y(), c & 4 ? half.z() : -half.z());
  return corners;
}

TEST(Hull, OfABoxHasSixFacesOfFourCorners) {
  std::vector<Vec3> points = box_corners({1, 2, 3});
  points.emplace_back(0.2, 0.1, 0.3);   // inside
  points.emplace_back(1, 0.5, 0.5);     // on a face
  const auto hull = make_hull(points);
  ASSERT_TRUE(hull);
  EXPECT_EQ(hull->points.size(), 8u);
  ASSERT_EQ(hull->face_count(), 6u);
  for (std::size_t f = 0; f < 6; ++f) EXPECT_EQ(hull->face(f).size(), 4u);
  EXPECT_NEAR(geometry::volume(surface_of(*hull)), 48, 48 * kRoundOff);
}

TEST(Hull, OfFlatPointsDoesNotExist) {
  EXPECT_FALSE(make_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.5, 0}}));
  EXPECT_FALSE(make_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}}));
}

TEST(Hull, OfRandomPointsContainsThemAll) {
  RandomStream random(3, 4);
  std::vector<Vec3> points;
  for (int n = 0; n < 200; ++n)
    points.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  const auto hull = make_hull(points);
  ASSERT_TRUE(hull);
  for (std::size_t f = 0; f < hull->face_count(); ++f)
    for (const Vec3& p : points) EXPECT_LT(hull->normals[f].dot(p - hull->points[hull->face(f)[0]]), 1e-8);
}

// The expanding polytope and the separating axes must tell the same of two boxes.
TEST(Gap, OfTwoBoxesAgreesWithTheSeparatingAxes) {
  RandomStream random(5, 6);
  int apart = 0, overlap = 0;
  for (int n = 0; n < 400; ++n) {
    auto vector = [&](double s) { return random_vector(random, -s, s); };
    const Shape a{Kind::box, {0.5, 0.7, 0.4}, nullptr}, b{Kind::box, {0.3, 0.6, 0.8}, nullptr};
    const Pose pa = pose_at(vector(0.2), vector(2)), pb = pose_at(vector(1.4), vector(2));
    const Gap g = gap(make_convex(a, pa), make_convex(b, pb), 10);
    Manifold m;
    const bool touch = collide_boxes(a.size, pa, b.size, pb, 0, m);
    if (std::abs(g.distance) > 1e-6) {
      EXPECT_EQ(touch, g.distance < 0) << g.distance;
    }
    if (g.distance < -1e-6) {
      double deepest = 0;
      for (int k = 0; k < m.count; ++k) deepest = std::min(deepest, m.points[static_cast<std::size_t>(k)].separation);
      // Faces are favoured by a thousandth of the size over edges.
      EXPECT_NEAR(deepest, g.distance, 2e-3) << n;
      ++overlap;
    } else {
      EXPECT_NEAR((g.on_a - g.on_b).norm(), g.distance, 1e-9);
      ++apart;
    }
  }
  EXPECT_GT(apart, 50);
  EXPECT_GT(overlap, 50);
}

TEST(Gap, OfRoundShapesIsThatOfTheirCores) {
  const Shape ball{Kind::ball, Vec3::Constant(0.3), nullptr}, capsule{Kind::capsule, {0.2, 0.7, 0.2}, nullptr};
  const Gap g = gap(make_convex(ball, pose_at({1, 0.4, 0})), make_convex(capsule, pose_at(Vec3::Zero())), 5);
  EXPECT_NEAR(g.distance, 0.5, kRoundOff);
  EXPECT_NEAR((g.normal - Vec3::UnitX()).norm(), 0, kRoundOff);
  const Gap in = gap(make_convex(ball, pose_at({0.1, 0, 0})),
                     make_convex({Kind::box, Vec3(0.5, 2, 2), nullptr}, pose_at(Vec3::Zero())), 5);
  EXPECT_NEAR(in.distance, -0.7, 1e-6);
  EXPECT_NEAR((in.normal - Vec3::UnitX()).norm(), 0, 1e-6);
}

TEST(Manifold, ACubeOnItsCornerTouchesAPlaneAtOnePointAndFlatAtFour) {
  const Shape cube{Kind::box, Vec3::Constant(0.5), nullptr}, plane{Kind::plane, Vec3::Ones(), nullptr};
  std::vector<Manifold> found;
  collide(cube, pose_at({0, 0.5, 0}), plane, {}, 0.01, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, 4);
  const Mat3 on_corner = rotation_between(Vec3(1, 1, 1), Vec3(0, 1, 0));
  found.clear();
  collide(cube, {Vec3(0, std::sqrt(0.75), 0), on_corner}, plane, {}, 0.01, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, 1);
  EXPECT_NEAR(found[0].points[0].separation, 0, 1e-12);
}

TEST(Manifold, CrossedEdgesTouchAtOnePoint) {
  const double quarter = std::numbers::pi / 4;
  Manifold m;
  ASSERT_TRUE(collide_boxes({0.3, 0.1, 0.1}, pose_at({0, 0.27, 0}, {quarter, 0, 0}), {0.1, 0.1, 0.3},
                            pose_at(Vec3::Zero(), {0, 0, quarter}), 0, m));
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR((m.normal - Vec3::UnitY()).norm(), 0, kRoundOff);
  EXPECT_NEAR(m.points[0].separation, 0.27 - 0.2 * std::sqrt(2.0), kRoundOff);
  EXPECT_NEAR(std::abs(m.points[0].on_a.x()) + std::abs(m.points[0].on_a.z()), 0, kRoundOff);
}

TEST(Manifold, StackedBoxesTouchAtTheCornersOfWhatTheyShare) {
  Manifold m;
  ASSERT_TRUE(collide_boxes({0.5, 0.5, 0.5}, pose_at({0.3, 1, 0}), {0.5, 0.5, 0.5}, pose_at(Vec3::Zero()), 0.01, m));
  ASSERT_EQ(m.count, 4);
  for (const ManifoldPoint& p : m.points) {
    EXPECT_NEAR(p.on_a.y(), 0.5, kRoundOff);
    EXPECT_NEAR(std::abs(p.on_a.x() - 0.15), 0.35, kRoundOff);
    EXPECT_NEAR(std::abs(p.on_a.z()), 0.5, kRoundOff);
  }
}

TEST(Manifold, HullsOfBoxesTouchAsBoxesDo) {
  const auto form = hull_form(make_hull(box_corners(Vec3::Constant(0.5))).value());
  const Shape hull{Kind::hull, Vec3::Constant(0.5), form.get()};
  std::vector<Manifold> found;
  collide(hull, pose_at({0.2, 0.99, 0.1}, {0, 0.3, 0}), hull, pose_at(Vec3::Zero()), 0.01, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, 4);
  EXPECT_NEAR((found[0].normal - Vec3::UnitY()).norm(), 0, 1e-9);
  for (const ManifoldPoint& p : found[0].points) EXPECT_NEAR(p.separation, -0.01, 1e-9);
}

TEST(Sweep, ABallMeetsAThinWallWhereTheQuotientSays) {
  const Shape ball{Kind::ball, Vec3::Constant(0.05), nullptr}, wall{Kind::box, {0.005, 1, 1}, nullptr};
  const Sweep way{pose_at({-5, 0, 0}), {100, 0, 0}, Vec3::Zero()}, still{pose_at(Vec3::Zero()), Vec3::Zero(), Vec3::Zero()};
  const auto share = time_of_impact(ball, way, wall, still, 1e-4);
  ASSERT_TRUE(share);
  EXPECT_NEAR(*share, (5 - 0.055) / 100, 2e-6);
  const Sweep beside{pose_at({-5, 1.2, 0}), {100, 0, 0}, Vec3::Zero()};
  EXPECT_FALSE(time_of_impact(ball, beside, wall, still, 1e-4));
}

TEST(Sweep, ATurningRodMeetsWhatItSweepsOver) {
  const Shape rod{Kind::box, {1, 0.02, 0.02}, nullptr}, ball{Kind::ball, Vec3::Constant(0.1), nullptr};
  const Sweep turning{pose_at(Vec3::Zero()), Vec3::Zero(), {0, 0, std::numbers::pi / 2}};
  const Sweep still{pose_at({0.5, 0.7, 0}), Vec3::Zero(), Vec3::Zero()};
  const auto share = time_of_impact(rod, turning, ball, still, 1e-3);
  ASSERT_TRUE(share);
  EXPECT_GT(*share, 0.3);
  EXPECT_LT(*share, 0.65);
}

}  // namespace
}  // namespace selkie::contact
