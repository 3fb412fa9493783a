// The oracles of RT-14: empty circumspheres, the hull's volume, faces shared by two.
#include "selkie/geometry/tetrahedra/delaunay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "selkie/core/error.h"
#include "selkie/core/random.h"
#include "selkie/geometry/predicates.h"
#include "selkie/math/random_vector.h"

namespace selkie::geometry {
namespace {

std::vector<Vec3> random_points(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, 0);
  std::vector<Vec3> points(count);
  for (Vec3& p : points) p = random_vector(random, 0, 1);
  return points;
}

void add_cube_corners(std::vector<Vec3>& points) {
  for (int c = 0; c < 8; ++c) points.emplace_back(c & 1, c >> 1 & 1, c >> 2);
}

double total_volume(const std::vector<Vec3>& points, const std::vector<Tet>& tets) {
  return volume(TetMesh{points, tets});
}

void expect_positive(const std::vector<Vec3>& x, const std::vector<Tet>& tets) {
  for (const Tet& t : tets) ASSERT_EQ(orient3d(x[t[0]], x[t[1]], x[t[2]], x[t[3]]), 1);
}

// Each face belongs to two tets, or to one on the hull: the others lie on one side of its plane.
void expect_conforming(const std::vector<Vec3>& x, const std::vector<Tet>& tets) {
  std::map<Triangle, int> uses;
  for (const Tet& t : tets)
    for (std::size_t i = 0; i < 4; ++i) {
      Triangle face = {t[(i + 1) % 4], t[(i + 2) % 4], t[(i + 3) % 4]};
      std::sort(face.begin(), face.end());
      ++uses[face];
    }
  for (const auto& [face, count] : uses) {
    ASSERT_LE(count, 2);
    if (count == 2) continue;
    bool below = false, above = false;
    for (const Vec3& p : x) {
      const int side = orient3d(x[face[0]], x[face[1]], x[face[2]], p);
      below |= side<0, above |= side> 0;
    }
    ASSERT_FALSE(below && above) << "an inner face without a neighbour";
  }
}

void expect_empty_spheres(const std::vector<Vec3>& x, const std::vector<Tet>& tets) {
  for (const Tet& t : tets)
    for (const Vec3& p : x) ASSERT_LE(in_sphere(x[t[0]], x[t[1]], x[t[2]], x[t[3]], p), 0);
}

TEST(Delaunay, FourPointsMakeOnePositiveTet) {
  const std::vector<Vec3> points = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
  const Delaunay result = delaunay(points);
  ASSERT_EQ(result.tets.size(), 1u);
  expect_positive(points, result.tets);
}

TEST(Delaunay, RandomPointsFillTheirHullWithEmptyCircumspheres) {
  std::vector<Vec3> points = random_points(300, 21);
  add_cube_corners(points);
  const Delaunay result = delaunay(points);
  EXPECT_TRUE(result.left_out.empty());
  expect_positive(points, result.tets);
  expect_conforming(points, result.tets);
  expect_empty_spheres(points, result.tets);
  EXPECT_NEAR(total_volume(points, result.tets), 1, 1e-12);
}

// Lattice points are cospherical eight by eight and coplanar by the hundred: the trap of RT-14.
TEST(Delaunay, LatticesAreMeshedWithoutFlatTets) {
  std::vector<Vec3> points;
  for (int i = 0; i < 216; ++i) points.emplace_back(i % 6, i / 6 % 6, i / 36);
  const Delaunay result = delaunay(points);
  expect_positive(points, result.tets);
  expect_conforming(points, result.tets);
  expect_empty_spheres(points, result.tets);
  EXPECT_NEAR(total_volume(points, result.tets), 125, 125 * 1e-12);
}

// Points of a sphere, of which every one lies on every circumsphere up to round-off.
TEST(Delaunay, PointsOnASphereFillTheirHull) {
  std::vector<Vec3> points = random_points(200, 22);
  for (Vec3& p : points) p = (2 * p - Vec3::Ones()).normalized();
  const Delaunay result = delaunay(points);
  expect_positive(points, result.tets);
  expect_conforming(points, result.tets);
  expect_empty_spheres(points, result.tets);
}

TEST(Delaunay, ALargeMeshHoldsTheVolumeAndNeighboursRespectEachOther) {
  std::vector<Vec3> points = random_points(20000, 23);
  add_cube_corners(points);
  const Delaunay result = delaunay(points);
  EXPECT_NEAR(total_volume(points, result.tets), 1, 1e-12);
  // Locally Delaunay at every face is Delaunay everywhere.
  std::map<Triangle, std::uint32_t> first;
  std::size_t checked = 0;
  for (std::uint32_t n = 0; n < result.tets.size(); ++n)
    for (std::size_t i = 0; i < 4; ++i) {
      const Tet& t = result.tets[n];
      Triangle face = {t[(i + 1) % 4], t[(i + 2) % 4], t[(i + 3) % 4]};
      std::sort(face.begin(), face.end());
      const auto [found, is_new] = first.try_emplace(face, n);
      if (is_new) continue;
      const Tet& o = result.tets[found->second];
      ASSERT_LE(in_sphere(points[o[0]], points[o[1]], points[o[2]], points[o[3]], points[t[i]]), 0);
      ++checked;
    }
  EXPECT_GT(checked, 200000u);
}

TEST(Delaunay, EqualPointsAreLeftOutAndNamed) {
  std::vector<Vec3> points = random_points(50, 24);
  points.push_back(points[7]);
  points.push_back(points[7]);
  const Delaunay result = delaunay(points);
  ASSERT_EQ(result.left_out.size(), 2u);
  for (const std::uint32_t p : result.left_out) EXPECT_EQ(points[p], points[7]);
}

TEST(Delaunay, PointsInAPlaneAreRefused) {
  std::vector<Vec3> points = random_points(50, 25);
  for (Vec3& p : points) p.z() = p.x();
  EXPECT_THROW(delaunay(points), InputError);
  for (Vec3& p : points) p.y() = p.z() = p.x();
  EXPECT_THROW(delaunay(points), InputError);
  EXPECT_THROW(delaunay(std::vector<Vec3>(3, Vec3::Zero())), InputError);
}

TEST(Delaunay, HilbertOrderKeepsNeighboursTogether) {
  const std::vector<Vec3> points = random_points(4096, 26);
  const std::vector<std::uint32_t> order = hilbert_order(points);
  std::vector<std::uint32_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], i);
  double length = 0;
  for (std::size_t i = 1; i < order.size(); ++i) length += (points[order[i]] - points[order[i - 1]]).norm();
  // A mean step near the mean spacing 1/16 (measured 0.068); at random it would be 0.66.
  EXPECT_LT(length / 4095, 0.09);
}

}  // namespace
}  // namespace selkie::geometry
