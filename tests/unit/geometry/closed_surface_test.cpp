// Inside by parity, distances, and self-intersections.
#include "selkie/geometry/closed_surface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/geometry/self_intersection.h"

namespace selkie::geometry {
namespace {

Vec3 random_in_box(RandomStream& random, double half) {
  return {random.uniform(-half, half), random.uniform(-half, half), random.uniform(-half, half)};
}

// [RT-13] The share of random points inside is that of the volumes: a binomial count, tested at four sigmas.
TEST(ClosedSurface, CountsInsideMatchTheVolumesOfSphereTorusAndShell) {
  auto count_matches = [](const TriangleMesh& mesh) {
    const ClosedSurface surface(mesh);
    RandomStream random(11, 0);
    const int total = 20000;
    int inside = 0;
    for (int n = 0; n < total; ++n) inside += surface.inside(random_in_box(random, 0.6));
    const double share = volume(mesh) / std::pow(1.2, 3);
    EXPECT_NEAR(inside, total * share, 4 * std::sqrt(total * share * (1 - share)));
  };
  count_matches(icosphere({.divisions = 6}));
  count_matches(torus_surface({}));
  count_matches(shell_surface({.thickness = 0.2}));
}

// Every lattice point of a cube's planes, edges and vertices: all rays start on or run past features.
TEST(ClosedSurface, PointsOnFeaturesCountAsInsideAndThoseBesideThemDoNot) {
  const TriangleMesh cube = box_surface({.divisions = {2, 2, 2}});
  const ClosedSurface surface(cube);
  for (int i = -4; i <= 4; ++i)
    for (int j = -4; j <= 4; ++j)
      for (int k = -4; k <= 4; ++k) {
        const bool expected = std::abs(i) <= 2 && std::abs(j) <= 2 && std::abs(k) <= 2;
        ASSERT_EQ(surface.inside(0.25 * Vec3(i, j, k)), expected) << i << ' ' << j << ' ' << k;
      }
  EXPECT_FALSE(surface.inside(Vec3(0.25, 0.25, std::nextafter(0.5, 1.0))));
  EXPECT_TRUE(surface.inside(Vec3(0.25, 0.25, std::nextafter(0.5, 0.0))));
}

TEST(ClosedSurface, SignedDistanceOfABoxIsThatOfItsShape) {
  const TriangleMesh cube = box_surface({.divisions = {3, 3, 3}});
  const ClosedSurface surface(cube);
  RandomStream random(12, 0);
  for (int n = 0; n < 2000; ++n) {
    const Vec3 p = random_in_box(random, 1);
    const Vec3 q = p.cwiseAbs() - Vec3::Constant(0.5);
    const double expected = -(q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0));
    ASSERT_NEAR(surface.signed_distance(p), expected, 1e-14);
    ASSERT_NEAR(surface.signed_distance(p, 0.1), std::clamp(expected, -0.1, 0.1), 1e-14);
  }
  EXPECT_FALSE(surface.closest(Vec3(2, 0, 0), 1.0));
  EXPECT_LT((surface.closest(Vec3(2, 0.1, 0.2), 2.0)->point - Vec3(0.5, 0.1, 0.2)).norm(), 1e-15);
}

TEST(ClosedSurface, ClosestPointsEqualABruteForceSearch) {
  const TriangleMesh mesh = torus_surface({.divisions = {20, 9}});
  const ClosedSurface surface(mesh);
  RandomStream random(13, 0);
  for (int n = 0; n < 300; ++n) {
    const Vec3 p = random_in_box(random, 0.8);
    double best = 1e9;
    for (const Triangle& t : mesh.triangles) {
      // Dense samples of the triangle bound the distance from above.
      const Vec3 q =
          closest_point_on_triangle(p, mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]);
      for (int i = 0; i <= 6; ++i)
        for (int j = 0; i + j <= 6; ++j) {
          const Vec3 s =
              (i * mesh.positions[t[0]] + j * mesh.positions[t[1]] + (6 - i - j) * mesh.positions[t[2]]) / 6;
          ASSERT_LE((q - p).norm(), (s - p).norm() + 1e-15);
        }
      best = std::min(best, (q - p).norm());
    }
    ASSERT_EQ(surface.closest(p)->distance, best);
  }
}

TEST(SelfIntersection, CleanSurfacesHaveNoneAndCrossingOnesNameTheFirstPair) {
  for (const TriangleMesh& mesh : {icosphere({.divisions = 5}), torus_surface({}), box_surface({}),
                                   cylinder_surface({}), shell_surface({}), ball_surface({})})
    EXPECT_EQ(find_self_intersections(mesh).pairs, 0u);

  TriangleMesh two = box_surface({.divisions = {1, 1, 1}});
  const TriangleMesh other =
      box_surface({.min = Vec3(0.1, 0.1, 0.1), .max = Vec3(0.9, 0.8, 0.7), .divisions = {1, 1, 1}});
  for (const Triangle& t : other.triangles) two.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  two.positions.insert(two.positions.end(), other.positions.begin(), other.positions.end());
  const SelfIntersections found = find_self_intersections(two);
  EXPECT_GT(found.pairs, 3u);
  EXPECT_LT(found.first[0], 12u);
  EXPECT_GE(found.first[1], 12u);
  set_thread_count(1);
  EXPECT_EQ(find_self_intersections(two).first, found.first);
  set_thread_count(0);
}

TEST(SelfIntersection, EveryWayToTouchIsSeen) {
  auto meet = [](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, const Vec3& e, const Vec3& f) {
    const TriangleMesh mesh{{a, b, c, d, e, f}, {{0, 1, 2}, {3, 4, 5}}};
    EXPECT_EQ(triangles_intersect(mesh, 0, 1), triangles_intersect(mesh, 1, 0));
    return triangles_intersect(mesh, 0, 1);
  };
  const Vec3 a(0, 0, 0), b(4, 0, 0), c(0, 4, 0);
  EXPECT_TRUE(meet(a, b, c, {1, 1, -1}, {1, 1, 1}, {2, 2, 5}));       // an edge passes through
  EXPECT_TRUE(meet(a, b, c, {1, 1, 0}, {1, 1, 1}, {2, 2, 5}));        // a corner touches
  EXPECT_TRUE(meet(a, b, c, {1, 1, 0}, {2, 1, 0}, {1, 2, 0}));        // one inside the other
  EXPECT_TRUE(meet(a, b, c, {-1, 1, 0}, {5, 1, 0}, {5, 1.5, 0}));     // flat, crossing
  EXPECT_FALSE(meet(a, b, c, {3, 3, 0}, {5, 3, 0}, {3, 5, 0}));       // flat, apart
  EXPECT_FALSE(meet(a, b, c, {1, 1, 1e-300}, {1, 1, 1}, {2, 2, 5}));  // above by next to nothing
  EXPECT_FALSE(meet(a, b, c, {3, 3, -1}, {3, 3, 1}, {5, 5, 0}));  // through the plane, beside the triangle

  auto joined = [](std::vector<Vec3> x, const Triangle& s, const Triangle& t) {
    return triangles_intersect({std::move(x), {s, t}}, 0, 1);
  };
  EXPECT_FALSE(joined({a, b, c, {4, 4, 1}}, {0, 1, 2}, {2, 1, 3}));               // an edge in common
  EXPECT_TRUE(joined({a, b, c, {1, 1, 0}}, {0, 1, 2}, {2, 1, 3}));                // folded back flat
  EXPECT_FALSE(joined({a, b, c, {-1, 0, 0}, {0, -1, 1}}, {0, 1, 2}, {0, 3, 4}));  // a corner in common
  EXPECT_TRUE(joined({a, b, c, {1, 1, -1}, {1, 1, 1}}, {0, 1, 2}, {0, 3, 4}));    // and cutting
}

}  // namespace
}  // namespace selkie::geometry
