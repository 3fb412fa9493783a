// Skeletons, the figure that has one, and letters.
#include "selkie/geometry/skeleton.h"

#include <gtest/gtest.h>

#include <numbers>

#include "selkie/core/error.h"
#include "selkie/geometry/creature.h"
#include "selkie/geometry/figure.h"
#include "selkie/geometry/mesh_check.h"

namespace selkie::geometry {
namespace {

// An arm of two bones along x; the elbow at x = 1.
Skeleton arm() {
  Skeleton skeleton;
  skeleton.joints = {{"shoulder", -1, {}}, {"elbow", 0, {Vec3(1, 0, 0)}}};
  bind_at_rest(skeleton);
  Channel bend;
  bend.joint = 1;
  bend.rotation_times = {0, 1};
  bend.rotations = {Quat::Identity(), Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()))};
  Channel lift;
  lift.joint = 0;
  lift.translation_times = {0, 2};
  lift.translations = {Vec3::Zero(), Vec3(0, 4, 0)};
  skeleton.clips = {{"bend", 2, {bend}}, {"lift", 2, {lift}}};
  return skeleton;
}

TEST(Skeleton, SkinnedPointsFollowTheirBones) {
  const Skeleton skeleton = arm();
  const std::vector<Vec3> rest{Vec3(0.5, 0, 0), Vec3(2, 0, 0)};
  const std::vector<SkinWeight> skin{{{0, 1, 0, 0}, {1, 0, 0, 0}}, {{1, 0, 0, 0}, {1, 0, 0, 0}}};
  std::vector<Vec3> moved(2);
  SkeletonWork work;
  auto at = [&](std::vector<double> weights, double time) {
    blend(skeleton, weights, time, work);
    skin_positions(skin, rest, work, moved);
  };
  at({0, 0}, 0.7);
  EXPECT_NEAR((moved[1] - rest[1]).norm(), 0, 1e-15) << "no weight: the rest pose";
  at({1, 0}, 1);
  EXPECT_NEAR((moved[1] - Vec3(1, 1, 0)).norm(), 0, 1e-14);
  EXPECT_NEAR((moved[0] - rest[0]).norm(), 0, 1e-15);
  at({1, 0}, 0.5);
  EXPECT_NEAR((moved[1] - Vec3(1 + std::sqrt(0.5), std::sqrt(0.5), 0)).norm(), 0, 1e-14)
      << "between two keys";
  at({1, 0}, 3);
  EXPECT_NEAR((moved[1] - Vec3(1, 1, 0)).norm(), 0, 1e-14) << "clips repeat";
  at({0, 1}, 1);
  EXPECT_NEAR((moved[1] - Vec3(2, 2, 0)).norm(), 0, 1e-14);
  at({1, 1}, 1);
  EXPECT_NEAR((moved[1] - Vec3(1 + std::sqrt(0.5), 1 + std::sqrt(0.5), 0)).norm(), 0, 1e-14)
      << "half of each";
}

TEST(Figure, IsAClosedBallWithWeightsThatSumToOne) {
  const Figure made = figure({.divisions = 29});
  EXPECT_TRUE(check_mesh(made.mesh, {.closed = true}).clean())
      << check_mesh(made.mesh, {.closed = true}).text();
  EXPECT_EQ(euler_characteristic(made.mesh), 2);
  EXPECT_EQ(made.skin.size(), made.mesh.positions.size());
  // The source's figure has 1346 vertices; ours is of that size to 2 %.
  EXPECT_NEAR(static_cast<double>(made.mesh.positions.size()), 1346, 0.02 * 1346);
  for (const SkinWeight& skin : made.skin)
    EXPECT_NEAR(skin.weights[0] + skin.weights[1] + skin.weights[2] + skin.weights[3], 1, 1e-14);
}

TEST(Figure, AtRestItsSkinIsItsMeshAndWalkingMovesItsFeet) {
  const Figure made = figure({.foot = {1, 0, 2}, .heading = 30});
  SkeletonWork work;
  std::vector<Vec3> moved(made.skin.size());
  blend(made.skeleton, {}, 0, work);
  skin_positions(made.skin, made.mesh.positions, work, moved);
  double rest = 0, walk = 0;
  for (std::size_t v = 0; v < moved.size(); ++v)
    rest = std::max(rest, (moved[v] - made.mesh.positions[v]).norm());
  EXPECT_LT(rest, 1e-13);
  blend(made.skeleton, std::vector<double>{1, 0}, 0.25, work);
  skin_positions(made.skin, made.mesh.positions, work, moved);
  for (std::size_t v = 0; v < moved.size(); ++v)
    walk = std::max(walk, (moved[v] - made.mesh.positions[v]).norm());
  EXPECT_GT(walk, 0.2);
  EXPECT_LT(walk, 1.2);
}

TEST(Letters, AreOneClosedPartEach) {
  const TriangleMesh mesh = letters({.depth = 0.32, .divisions = 15});
  EXPECT_TRUE(check_mesh(mesh, {.closed = true}).clean()) << check_mesh(mesh, {.closed = true}).text();
  EXPECT_EQ(euler_characteristic(mesh), 8);
  // The source's letters have 3832 vertices, its animal 2461; ours to 2 %.
  EXPECT_NEAR(static_cast<double>(mesh.positions.size()), 3832, 0.02 * 3832);
  EXPECT_NEAR(static_cast<double>(creature({.divisions = 28}).positions.size()), 2461, 0.02 * 2461);
  EXPECT_THROW(letters({.text = "WATER"}), InputError);
  EXPECT_THROW(letters({.text = " "}), InputError);
}

}  // namespace
}  // namespace selkie::geometry
