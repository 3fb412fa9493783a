// Nearest points and rays of a tree of triangles, against all triangles one by one.
#include "selkie/geometry/triangle_tree.h"

#include <gtest/gtest.h>

#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"

namespace selkie::geometry {
namespace {

Vec3 random_vector(RandomStream& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

TEST(NearestOnTriangle, IsNoFartherThanAnyOtherPointOfIt) {
  RandomStream random(5, 1);
  for (int n = 0; n < 200; ++n) {
    const Vec3 a = random_vector(random, 1), b = random_vector(random, 1), c = random_vector(random, 1),
               p = random_vector(random, 2);
    const TrianglePoint found = nearest_on_triangle(a, b, c, p);
    EXPECT_GE(found.weights.minCoeff(), -1e-15);
    EXPECT_LT((found.weights[0] * a + found.weights[1] * b + found.weights[2] * c - found.point).norm(),
              1e-14);
    for (int k = 0; k < 50; ++k) {
      const double u = random.uniform(), v = random.uniform() * (1 - u);
      const Vec3 other = (1 - u - v) * a + u * b + v * c;
      EXPECT_GE((other - p).norm(), (found.point - p).norm() - 1e-14);
    }
  }
}

TEST(NearestOnTriangle, OfATriangleWithoutAreaIsOnItsLongestEdge) {
  const TrianglePoint found =
      nearest_on_triangle(Vec3::Zero(), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(1.5, 1, 0));
  EXPECT_LT((found.point - Vec3(1.5, 0, 0)).norm(), 1e-15);
}

TEST(TriangleTree, AgreesWithAllTrianglesAfterTheSurfaceWasBentAndRefitted) {
  TriangleMesh mesh = icosphere({.radius = 0.7, .divisions = 5});
  TriangleTree tree(mesh.positions, mesh.triangles);
  RandomStream random(5, 2);
  for (Vec3& x : mesh.positions) x += random_vector(random, 0.05) + Vec3(0.3 * x.y() * x.y(), 0, 0);
  tree.refit(mesh.positions);
  for (int n = 0; n < 300; ++n) {
    const Vec3 p = random_vector(random, 1), d = random_vector(random, 1).normalized();
    double least = 1e9, first = 1e9;
    for (const auto& [a, b, c] : mesh.triangles) {
      const Vec3 &x = mesh.positions[a], &y = mesh.positions[b], &z = mesh.positions[c];
      least = std::min(least, (nearest_on_triangle(x, y, z, p).point - p).norm());
      const Vec3 normal = (y - x).cross(z - x);
      Mat3 m;
      m << y - x, z - x, -d;
      const Vec3 uvs = m.inverse() * (p - x);
      if (normal.dot(d) > 0 && uvs.minCoeff() >= 0 && uvs[0] + uvs[1] <= 1) first = std::min(first, uvs[2]);
    }
    const auto nearest = tree.nearest(mesh.positions, p);
    ASSERT_TRUE(nearest);
    EXPECT_NEAR(nearest->distance, least, 1e-14);
    const auto hit = tree.first_hit(mesh.positions, p, d, 10, Facing::along);
    ASSERT_EQ(hit.has_value(), first < 10) << n;
    if (hit) {
      EXPECT_NEAR(hit->distance, first, 1e-12);
    }
  }
}

TEST(TriangleTree, ARayAlongAnAxisFromAFaceHitsThatFaceAtOnce) {
  const TriangleMesh mesh = box_surface({.divisions = {3, 3, 3}});
  const TriangleTree tree(mesh.positions, mesh.triangles);
  for (const Vec3& from : {Vec3(0.1, 0.5, 0.2), Vec3(0.5, 0.5, 0.5), Vec3(-0.5, 0.5, 0)}) {
    const auto hit = tree.first_hit(mesh.positions, from, Vec3::UnitY(), 10, Facing::along);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->distance, 0);
  }
  const auto through = tree.first_hit(mesh.positions, Vec3(0.1, -0.5, 0.2), Vec3::UnitY(), 10, Facing::along);
  ASSERT_TRUE(through);
  EXPECT_NEAR(through->distance, 1, 1e-15);
  EXPECT_FALSE(tree.first_hit(mesh.positions, Vec3(0.1, -0.5, 0.2), Vec3::UnitY(), 0.9, Facing::along));
}

TEST(TriangleTree, PassesOverTrianglesThatDoNotCount) {
  const TriangleMesh mesh = box_surface({.divisions = {1, 1, 1}});
  const TriangleTree tree(mesh.positions, mesh.triangles);
  const Vec3 p(0.1, 0.45, 0.1);
  const auto top = tree.nearest(mesh.positions, p);
  ASSERT_TRUE(top);
  EXPECT_NEAR(top->distance, 0.05, 1e-15);
  auto sides = [&](std::uint32_t t) {
    const auto& [a, b, c] = mesh.triangles[t];
    return std::abs(
               ((mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a])).y()) <
           0.1;
  };
  EXPECT_NEAR(tree.nearest(mesh.positions, p, 10, sides)->distance, 0.4, 1e-15);
}

}  // namespace
}  // namespace selkie::geometry
