// [RT-16] Points carried by tets: affine motions to round-off, inside and outside of the body.
#include "selkie/geometry/skinning.h"

#include <gtest/gtest.h>

#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/geometry/closed_surface.h"
#include "selkie/geometry/generators.h"
#include "selkie/geometry/tetrahedra/mesher.h"

namespace selkie::geometry {
namespace {

TEST(Skinning, AffineMotionsAreFollowedToRoundOff) {
  const TriangleMesh fine = icosphere({.divisions = 20});
  const TetMesh coarse = fill_surface(fine, Mesher::bcc, 8);
  const Skin skin = make_skin(coarse, fine.positions);
  RandomStream random(31, 0);
  for (int n = 0; n < 10; ++n) {
    Mat3 b;
    Vec3 c;
    for (double& entry : b.reshaped()) entry = random.uniform(-1, 1);
    for (double& entry : c) entry = random.uniform(-1, 1);
    std::vector<Vec3> moved = coarse.positions, carried(skin.size());
    for (Vec3& p : moved) p = b * p + c;
    apply(skin, moved, carried);
    for (std::size_t i = 0; i < carried.size(); ++i)
      ASSERT_LT((carried[i] - (b * fine.positions[i] + c)).norm(), 1e-12);
  }
}

TEST(Skinning, PointsInsideHaveNoNegativeWeightAndThoseOutsideGoToTheNearestTet) {
  const TetMesh cube = tet_box({.divisions = {2, 2, 2}});
  RandomStream random(32, 0);
  std::vector<Vec3> points;
  for (int n = 0; n < 500; ++n)
    points.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  const Skin skin = make_skin(cube, points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& w = skin.weights[i];
    EXPECT_NEAR(w[0] + w[1] + w[2] + w[3], 1, 1e-14);
    const bool inside = points[i].cwiseAbs().maxCoeff() <= 0.5;
    EXPECT_EQ(*std::min_element(w.begin(), w.end()) >= 0, inside);
    // The carrier touches the nearest point of the cube.
    const Vec3 nearest = points[i].cwiseMax(-0.5).cwiseMin(0.5);
    const Tet& t = skin.carriers[i];
    const auto at = barycentric_weights(
        {cube.positions[t[0]], cube.positions[t[1]], cube.positions[t[2]], cube.positions[t[3]]}, nearest);
    EXPECT_GE(*std::min_element(at.begin(), at.end()), -1e-12);
  }
}

TEST(Skinning, ThreadsDoNotMatterAndFiguresAreInterpolatedToo) {
  const TriangleMesh fine = torus_surface({});
  const TetMesh coarse = fill_surface(fine, Mesher::bcc, 14);
  set_thread_count(1);
  const Skin serial = make_skin(coarse, fine.positions);
  set_thread_count(2);
  const Skin parallel = make_skin(coarse, fine.positions);
  set_thread_count(0);
  EXPECT_EQ(serial.carriers, parallel.carriers);
  EXPECT_EQ(serial.weights, parallel.weights);
  std::vector<double> heights, carried(fine.positions.size());
  for (const Vec3& p : coarse.positions) heights.push_back(p.y());
  apply(serial, heights, carried);
  for (std::size_t i = 0; i < carried.size(); ++i) ASSERT_NEAR(carried[i], fine.positions[i].y(), 1e-13);
}

}  // namespace
}  // namespace selkie::geometry
