// Masses, distances, rays: the closed forms of spheres and boxes (SW-47).
#include "selkie/solids/rigid/queries.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "rigid_scenes.h"
#include "selkie/contact/manifold.h"
#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/math/random_vector.h"

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
    return random_vector(random, -size, size);
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

// Bodies of many shapes, a plane and a flat mesh among them.
struct Crowd {
  Model model;
  State state;
  RandomStream random{3, 5};

  Vec3 vector(double size) {
    return random_vector(random, -size, size);
  }
  Crowd() {
    model.forms = {contact::mesh_form(geometry::sheet({.size = {3, 3}, .divisions = {2, 2}}), true),
                   contact::solid_mesh_form(geometry::torus_surface({Vec3::Zero(), Vec3::UnitY(), 0.4, 0.15, {12, 8}}))};
    for (int n = 0; n < 300; ++n) {
      Body body;
      body.shape = std::array{Shape::ball, Shape::box, Shape::capsule, Shape::cylinder, Shape::solid_mesh}[n % 5];
      body.half_size = Vec3(0.2, 0.5, 0.2);
      body.position = vector(8), body.orientation = Quat(Eigen::AngleAxisd(random.uniform(0, 3), vector(1).normalized()));
      if (body.shape == Shape::solid_mesh) body.form = 1, body.mass = 1, body.inertia = Vec3::Ones(), body.half_size = model.forms[1]->half_size;
      add(state, body);
    }
    Body sheet{.shape = Shape::mesh, .half_size = model.forms[0]->half_size, .role = Role::fixed, .form = 0};
    add(state, sheet);
    Body plane{.shape = Shape::plane, .half_size = Vec3::Ones(), .position = Vec3(0, -9, 0), .role = Role::fixed};
    add(state, plane);
  }

  // Every body by itself.
  std::optional<RayHit> slow_ray(const Vec3& origin, const Vec3& direction) const {
    std::optional<RayHit> nearest;
    for (std::size_t i = 0; i < state.count(); ++i) {
      const contact::Pose pose = pose_of(state, i);
      const auto hit = contact::ray_cast(shape_of(model, state, i), pose.local(origin),
                                         pose.axes.transpose() * direction.normalized());
      if (hit && (!nearest || hit->distance < nearest->distance)) nearest = RayHit{i, hit->distance, {}, {}};
    }
    return nearest;
  }
};

TEST(RigidQueries, TheTreeFindsWhatAskingEveryBodyFinds) {
  Crowd crowd;
  Lookup lookup;
  int hits = 0;
  for (int round = 0; round < 3; ++round) {
    lookup.update(crowd.model, crowd.state);
    for (int n = 0; n < 300; ++n) {
      const Vec3 origin = crowd.vector(12), towards = n % 10 == 0 ? Vec3(Vec3::Unit(n % 3)) : crowd.vector(1);
      const auto found = lookup.ray_cast(origin, towards), slow = crowd.slow_ray(origin, towards);
      ASSERT_EQ(found.has_value(), slow.has_value());
      EXPECT_TRUE(!found || (found->body == slow->body && found->distance == slow->distance));
      hits += found.has_value();

      const double radius = crowd.random.uniform(0.1, 3);
      std::vector<std::size_t> near, under;
      const contact::Shape box{contact::Kind::box, Vec3::Constant(0.5 * radius), nullptr};
      const contact::Pose pose{0.5 * origin, Mat3::Identity()};
      std::vector<contact::Manifold> manifolds;
      for (std::size_t i = 0; i < crowd.state.count(); ++i) {
        if (distance_to(crowd.model, crowd.state, i, 0.5 * origin).distance <= radius) near.push_back(i);
        manifolds.clear();
        contact::collide(box, pose, shape_of(crowd.model, crowd.state, i), pose_of(crowd.state, i), 0, manifolds);
        if (!manifolds.empty()) under.push_back(i);
      }
      EXPECT_EQ(lookup.within(0.5 * origin, radius), near);
      EXPECT_EQ(lookup.overlapping(box, pose), under);
    }
    // Whoever writes to the state tells nobody: the next update must see it.
    for (std::size_t i = 0; i < 100; ++i) crowd.state.positions[i] = crowd.vector(8);
  }
  EXPECT_GT(hits, 300);
}

}  // namespace
}  // namespace selkie::rigid
