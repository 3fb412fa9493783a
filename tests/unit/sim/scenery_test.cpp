// Colliders as drawables: the meshes lie on the shapes that bodies collide with, and move with them.
#include "selkie/sim/scenery.h"

#include <gtest/gtest.h>

namespace {

using namespace selkie;
using geometry::AnalyticShape;

sim::ColliderDescription collider(AnalyticShape shape) {
  sim::ColliderDescription description;
  description.shape = std::move(shape);
  return description;
}

TEST(Scenery, EveryVertexLiesOnTheShapeItStandsFor) {
  std::vector<sim::ColliderDescription> all;
  all.push_back(collider({.plane = geometry::Plane{{1, 2, 3}, {1, 2, -1}}}));
  all.push_back(collider({.ball = geometry::Ball{{1, 0, 0}, 0.3}}));
  all.push_back(collider({.box = geometry::Box{{0, 0, 0}, {1, 2, 3}}}));
  all.push_back(collider({.cylinder = geometry::Cylinder{{0, 0, 0}, {1, 1, 0}, 0.2}}));
  all.push_back(collider({.capsule = geometry::Capsule{{0, 0, 0}, {1, -1, 2}, 0.2}}));
  all.push_back(collider({.torus = geometry::Torus{}}));
  sim::Scenery scenery(all);
  const auto drawables = scenery.drawables(0);
  ASSERT_EQ(drawables.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    for (const Vec3& x : std::get<ports::TriangleSurface>(drawables[k].shape).positions)
      // Round-off of coordinates up to the 50 m of the plane's square.
      EXPECT_NEAR(geometry::signed_distance(*all[k].shape, x).distance, 0, 1e-12) << drawables[k].name;
}

TEST(Scenery, OnlyPlanesAreBackdrop) {
  sim::Scenery scenery(
      std::vector{collider({.plane = geometry::Plane{}}), collider({.ball = geometry::Ball{}})});
  const auto drawables = scenery.drawables(0);
  EXPECT_TRUE(drawables[0].backdrop);
  EXPECT_FALSE(drawables[1].backdrop);
}

TEST(Scenery, AMovingColliderIsDrawnWhereItIs) {
  sim::ColliderDescription ball = collider({.ball = geometry::Ball{{0, 0, 0}, 0.5}});
  ball.motion = sim::MotionFormulas{};
  ball.motion->translate = {"2*t", "0", "0"};
  sim::Scenery scenery(std::vector{ball});
  const std::vector<ports::Drawable> drawables = scenery.drawables(1.5);
  for (const Vec3& x : std::get<ports::TriangleSurface>(drawables[0].shape).positions)
    EXPECT_NEAR((x - Vec3(3, 0, 0)).norm(), 0.5, 1e-12);
}

}  // namespace
