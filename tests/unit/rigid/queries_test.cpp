// Masses, distances, rays: the closed forms of spheres and boxes (SW-47).
#include "selkie/solids/rigid/queries.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rigid_scenes.h"
#include "selkie/core/random.h"

namespace selkie::rigid {
namespace {

using test::ball_at;
using test::box_at;

constexpr double kRoundOff = 1e-12;

TEST(RigidState, MassAndInertiaFollowFromShapeAndDensity) {
  State state;
  add(state, ball_at(Vec3::Zero(), 0.3));
  add(state, box_at(Vec3::Zero(), {0.1, 0.2, 0.3}));
  const double ball = 1000 * 4.0 / 3 * std::numbers::pi * 0.027;
  EXPECT_NEAR(state.masses[0], ball, kRoundOff * ball);
  EXPECT_NEAR(state.inertias[0].x(), 0.4 * ball * 0.09, kRoundOff);
  EXPECT_NEAR(state.masses[1], 48, 48 * kRoundOff);  // 0.2 × 0.4 × 0.6 m³
  EXPECT_NEAR(state.inertias[1].x(), 48.0 / 12 * (0.16 + 0.36), kRoundOff);
}

TEST(RigidState, IdentitiesAreNotGivenOutAgainAfterClearing) {
  State state;
  add(state, ball_at(Vec3::Zero()));
  add(state, ball_at(Vec3::Zero()));
  clear(state);
  EXPECT_EQ(state.count(), 0u);
  add(state, ball_at(Vec3::Zero()));
  EXPECT_EQ(state.identities[0], 2u);
}

TEST(RigidQueries, ARayHitsABallWhereTheQuadraticSays) {
  State state;
  add(state, ball_at({0, 0, 5}, 1));
  const auto hit = ray_cast(Model{}, state, Vec3(0.6, 0, 0), Vec3(0, 0, 3));
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->distance, 5 - 0.8, kRoundOff);
  EXPECT_NEAR((hit->normal - Vec3(0.6, 0, -0.8)).norm(), 0, kRoundOff);
  EXPECT_FALSE(ray_cast(Model{}, state, Vec3(1.01, 0, 0), Vec3(0, 0, 1)));
  EXPECT_FALSE(ray_cast(Model{}, state, Vec3(0, 0, 0), Vec3(0, 0, -1))) << "behind the origin";
  EXPECT_NEAR(ray_cast(Model{}, state, Vec3(0, 0, 5), Vec3(1, 0, 0))->distance, 1, kRoundOff)
      << "from inside: the exit";
  EXPECT_FALSE(ray_cast(Model{}, state, Vec3::Zero(), Vec3::Zero()));
}

TEST(RigidQueries, ARayHitsATurnedBoxOnTheRightFace) {
  State state;
  Body box = box_at({0, 0, 4}, {1, 1, 1});
  box.orientation = Quat(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitY()));
  add(state, box);
  const auto edge = ray_cast(Model{}, state, Vec3::Zero(), Vec3(0, 0, 1));
  ASSERT_TRUE(edge);
  EXPECT_NEAR(edge->distance, 4 - std::sqrt(2.0), kRoundOff);
  const auto face = ray_cast(Model{}, state, Vec3(0.5, 0, 0), Vec3(0, 0, 1));
  ASSERT_TRUE(face);
  EXPECT_NEAR(face->distance, 4 - std::sqrt(2.0) + 0.5, kRoundOff);
  EXPECT_NEAR((face->normal - Vec3(1, 0, -1).normalized()).norm(), 0, kRoundOff);
}

TEST(RigidQueries, EveryRayHitLiesOnTheSurfaceAndNothingLiesBeforeIt) {
  State state;
  RandomStream random(1, 2);
  auto vector = [&](double size) {
    return Vec3(random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size));
  };
  for (int n = 0; n < 20; ++n) {
    Body body = n % 2 ? ball_at(vector(3), random.uniform(0.2, 0.6))
                      : box_at(vector(3), Vec3(0.2, 0.3, 0.5) * random.uniform(0.5, 1.5));
    body.orientation = Quat(Eigen::AngleAxisd(random.uniform(0, 3), vector(1).normalized()));
    add(state, body);
  }
  int hits = 0;
  for (int n = 0; n < 500; ++n) {
    const Vec3 origin = vector(6) + Vec3(0, 0, 10), direction = vector(3) - origin;
    const auto hit = ray_cast(Model{}, state, origin, direction);
    if (!hit) continue;
    ++hits;
    EXPECT_NEAR(distance_to(Model{}, state, hit->body, hit->point).distance, 0, 1e-9);
    for (double share = 0; share < 0.99; share += 0.01)
      for (std::size_t i = 0; i < state.count(); ++i)
        ASSERT_GT(distance_to(Model{}, state, i, origin + share * (hit->point - origin)).distance, -1e-9);
  }
  EXPECT_GT(hits, 50);
}

}  // namespace
}  // namespace selkie::rigid
