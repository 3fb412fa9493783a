// Signed distance to closed meshes, against shapes whose distance is known.
#include "selkie/geometry/mesh_distance.h"

#include <gtest/gtest.h>

#include <limits>

#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"

namespace selkie::geometry {
namespace {

Vec3 random_point(RandomStream& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

TEST(MeshDistance, OfABoxIsThatOfTheBoxEverywhere) {
  const MeshDistance distance(
      box_surface({.min = {-0.5, -0.3, -0.2}, .max = {0.5, 0.3, 0.2}, .divisions = {3, 2, 2}}));
  const Box box{{-0.5, -0.3, -0.2}, {0.5, 0.3, 0.2}};
  RandomStream random(2, 3);
  for (int n = 0; n < 2000; ++n) {
    const Vec3 p = random_point(random, 1.2);
    const SurfaceDistance expected = signed_distance(box, p);
    const SurfaceDistance exact = distance.exact(p), found = distance.at(p);
    EXPECT_NEAR(exact.distance, expected.distance, 1e-14);
    // Trilinear values of a 1.5 m grid of 40 cells: off by at most h²/8 times the curvature of the distance,
    // which is below 1/distance, and by a cell's width times the jump of the normal inside (h·√2/2).
    EXPECT_NEAR(found.distance, expected.distance, 0.02);
    EXPECT_EQ(found.distance < 0, expected.distance < 0);
    if (std::abs(expected.distance) < 0.05) {
      EXPECT_EQ(found.distance, exact.distance);
    }
    EXPECT_NEAR(found.normal.norm(), 1, 1e-12);
  }
}

TEST(MeshDistance, OfAPointThatIsNotFiniteIsInfinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int cells : {0, 8}) {
    const MeshDistance distance(box_surface({}), cells);
    for (const Vec3& p : {Vec3(nan, 0, 0), Vec3(0, nan, 0), Vec3(nan, nan, nan)})
      EXPECT_EQ(distance.at(p).distance, std::numeric_limits<double>::infinity());
  }
}

TEST(MeshDistance, HasTheRightSignAtSharpEdgesAndCorners) {
  // A thin spike: nearest points are mostly its edges and its tip, where face normals alone would mislead.
  TriangleMesh spike{{{0, 0, 0}, {0.1, 0, 0}, {0, 0, 0.1}, {0.03, 1, 0.03}},
                     {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}};
  ASSERT_GT(volume(spike), 0);
  const MeshDistance distance(spike, 20);
  RandomStream random(2, 4);
  for (int n = 0; n < 1000; ++n) {
    const Vec3 p = Vec3(0.03, 1, 0.03) + random_point(random, 0.05);
    bool inside = true;
    for (const auto& [a, b, c] : spike.triangles) {
      const Vec3 normal =
          (spike.positions[b] - spike.positions[a]).cross(spike.positions[c] - spike.positions[a]);
      inside = inside && normal.dot(p - spike.positions[a]) < 0;
    }
    EXPECT_EQ(distance.exact(p).distance < 0, inside);
  }
}

TEST(MeshDistance, FarAwayIsExact) {
  const MeshDistance distance(icosphere({.radius = 0.5, .divisions = 6}));
  EXPECT_NEAR(distance.at({100, 0, 0}).distance, 99.5, 5e-3);  // faces of edge 0.1 m lie a²/6R inside the sphere
  EXPECT_LT((distance.at({0, -30, 0}).normal + Vec3::UnitY()).norm(), 1e-2);
}

}  // namespace
}  // namespace selkie::geometry
