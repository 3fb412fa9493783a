// Contacts with analytic colliders, pinned motion and the grab.
#include "selkie/solids/mass_spring/contacts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "selkie/geometry/shapes.h"
#include "selkie/ports/hand.h"
#include "selkie/solids/mass_spring/diagnostics.h"
#include "support/mass_spring_bodies.h"

namespace selkie::mass_spring {
namespace {

using testing::Body;
using testing::nth_step;

struct Plane final : ports::FieldSampler {
  Vec3 normal = Vec3::UnitY();
  Vec3 motion = Vec3::Zero();
  ports::FieldSample sample(const Vec3& p, double time) const override {
    return {normal.dot(p - time * motion), normal, motion};
  }
};
struct Ball final : ports::FieldSampler {
  Vec3 center = Vec3::Zero();
  double radius = 1;
  ports::FieldSample sample(const Vec3& p, double) const override {
    const Vec3 d = p - center;
    const double l = d.norm();
    return {l - radius, l > 0 ? Vec3(d / l) : Vec3(Vec3::UnitY()), Vec3::Zero()};
  }
};

struct Box final : ports::FieldSampler {
  geometry::AnalyticShape shape;
  Box(const Vec3& min, const Vec3& max) { shape.box = geometry::Box{min, max}; }
  ports::FieldSample sample(const Vec3& p, double) const override {
    const geometry::SurfaceDistance d = geometry::signed_distance(shape, p);
    return {d.distance, d.normal, Vec3::Zero()};
  }
  std::size_t sample_sides(const Vec3& p, double,
                           std::span<ports::FieldSample, kMostSides> sides) const override {
    const auto found = geometry::side_distances(shape, p);
    for (std::size_t k = 0; k < found.size(); ++k) sides[k] = {found[k].distance, found[k].normal};
    return found.size();
  }
};
// A floor that is suddenly 10 m higher.
struct JumpingFloor final : ports::FieldSampler {
  ports::FieldSample sample(const Vec3& p, double time) const override {
    return {p.y() + (time > 0 ? 0 : 10), Vec3::UnitY(), Vec3::Zero()};
  }
};

Body particle(const Vec3& x) {
  const std::vector<Vec3> rest = {x};
  Body body{build_model(rest, {}, std::vector<double>{2.0}), {}};
  body.state = make_state(body.model, rest);
  return body;
}

Inputs with(const ports::FieldSampler* const& collider) {
  Inputs inputs;
  inputs.colliders = std::span(&collider, 1);
  return inputs;
}

TEST(Contacts, AParticleComesToRestOnAPlaneWithEveryIntegrator) {
  Plane plane;
  const ports::FieldSampler* colliders[] = {&plane};
  Inputs inputs;
  inputs.colliders = colliders;
  for (const Integrator integrator : testing::kAllIntegrators) {
    Body body = particle(Vec3(0, 0.3, 0));
    Params p;
    p.integrator = integrator;
    p.contact_thickness = 0.01;
    testing::run(body, p, inputs, 0.01, 100, body.state);
    EXPECT_NEAR(body.state.positions[0].y(), 0.01, 1e-14) << name_of(integrator);
    EXPECT_NEAR(body.state.velocities[0].norm(), 0, 1e-14) << name_of(integrator);
  }
}

TEST(Contacts, FrictionHoldsOnASlopeBelowItsAngleAndSlidesAboveItByCoulombsLaw) {
  const double g = 9.81, h = 1e-3;
  for (const double degrees : {10.0, 16.0, 20.0, 35.0}) {
    const double angle = degrees * std::numbers::pi / 180;
    Plane plane;
    plane.friction = 0.3;  // holds up to 16.7°
    plane.normal = Vec3(std::sin(angle), std::cos(angle), 0);
    const ports::FieldSampler* colliders[] = {&plane};
    Inputs inputs;
    inputs.colliders = colliders;
    for (const Integrator integrator : testing::kAllIntegrators) {
      Body body = particle(Vec3::Zero());
      Params p;
      p.integrator = integrator;
      testing::run(body, p, inputs, h, 500, body.state);
      const Vec3 down(std::cos(angle), -std::sin(angle), 0);
      const double expected = std::max(0.0, g * (std::sin(angle) - 0.3 * std::cos(angle)));
      // The first steps differ by integrator in when they feel the plane: one part in 500.
      EXPECT_NEAR(body.state.velocities[0].dot(down) / 0.5, expected, 4e-3 * expected + 1e-12)
          << degrees << "° " << name_of(integrator);
      EXPECT_NEAR(body.state.positions[0].dot(down), 0.125 * expected, 6e-3 * expected + 1e-12)
          << degrees << "° " << name_of(integrator);
    }
  }
}

TEST(Contacts, RestitutionReversesTheApproachAndSlowImpactsDoNotBounce) {
  const ports::FieldSample floor{-0.001, Vec3::UnitY(), Vec3::Zero()};
  const ContactLaw law{.friction = 0, .restitution = 0.8, .thickness = 0, .slowest_bounce = 0.1};
  const auto fast = resolve_contact(floor, law, 0.01, Vec3(0, 0.01, 0), {Vec3(0, -0.001, 0), Vec3(1, -2, 0)});
  EXPECT_NEAR((fast.velocity - Vec3(1, 1.6, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR(fast.position.y(), 0, 1e-15);
  const auto slow = resolve_contact(floor, law, 0.01, Vec3(0, 0, 0), {Vec3(0, -0.001, 0), Vec3(0, -0.05, 0)});
  EXPECT_EQ(slow.velocity, Vec3::Zero());
}

TEST(Contacts, AMovingColliderCarriesWhatSticksToIt) {
  Plane belt;
  belt.friction = 0.5;
  belt.motion = Vec3(0.2, 0.1, 0);
  const ports::FieldSampler* colliders[] = {&belt};
  Inputs inputs;
  inputs.colliders = colliders;
  Body body = particle(Vec3::Zero());
  Params p;
  testing::run(body, p, inputs, 0.01, 200, body.state);
  EXPECT_NEAR((body.state.velocities[0] - belt.motion).norm(), 0, 1e-12);
  EXPECT_NEAR(body.state.positions[0].y(), 0.2, 1e-12);
}

TEST(Contacts, DeepPenetrationIsUndoneWithoutAddingVelocity) {
  Ball ball;
  const ports::FieldSampler* colliders[] = {&ball};
  Inputs inputs = testing::weightless();
  inputs.colliders = colliders;
  Body body = particle(Vec3(0.1, 0.2, -0.1));
  Params p;
  testing::run(body, p, inputs, 0.01, 1, body.state);
  EXPECT_NEAR(body.state.positions[0].norm(), 1, 1e-14);
  EXPECT_EQ(body.state.velocities[0], Vec3::Zero());
}

TEST(Contacts, AVertexInABoxOnTheFloorLeavesItSidewaysNotIntoTheFloor) {
  const Plane floor;
  const Box box(Vec3(0, 0, 0), Vec3(1, 1, 1));
  const ports::FieldSampler* colliders[] = {&floor, &box};
  Inputs inputs = testing::weightless();
  inputs.colliders = colliders;
  for (const Integrator integrator : testing::kAllIntegrators)
    for (const double height : {0.0, 0.05}) {
      Body body = particle(Vec3(0.2, height, 0.5));
      Params p;
      p.integrator = integrator;
      testing::run(body, p, inputs, 0.01, 1, body.state);
      EXPECT_NEAR((body.state.positions[0] - Vec3(0, height, 0.5)).norm(), 0, 1e-14) << name_of(integrator);
      EXPECT_EQ(body.state.velocities[0], Vec3::Zero());
    }
}

TEST(Contacts, InTheCornerOfTwoBoxesEachIsLeftByItsNearestFace) {
  const Box ground(Vec3(-5, -1, -5), Vec3(5, 0, 5)), wall(Vec3(0, 0, -5), Vec3(1, 2, 5));
  const ports::FieldSampler* colliders[] = {&ground, &wall};
  auto normal = [&](std::size_t which, const Vec3& point) {  // of a vertex that was there before
    return sample_collider(colliders, which, {point, point, nth_step(0.01)}, 0, 1e-6).normal;
  };
  EXPECT_EQ(normal(0, Vec3(0.01, -0.02, 0)), Vec3::UnitY()) << "the wall is left sideways: no bar";
  EXPECT_EQ(normal(1, Vec3(0.01, 0.005, 0)), -Vec3::UnitX()) << "down, which is nearer, is the ground";
  EXPECT_EQ(normal(0, Vec3(-0.01, -0.02, 0)), Vec3::UnitY());
}

TEST(Contacts, AVertexLeavesABoxByTheSideItEntered) {
  const Box box(Vec3(0, 0, 0), Vec3(1, 1, 1));
  const ports::FieldSampler* colliders[] = {&box};
  auto normal = [&](const Vec3& start, const Vec3& end) {
    return sample_collider(colliders, 0, {start, end, nth_step(0.01)}, 0, 1e-6).normal;
  };
  EXPECT_EQ(normal(Vec3(-0.1, 0.6, 0.5), Vec3(0.3, 0.8, 0.5)), -Vec3::UnitX()) << "the top is nearer";
  EXPECT_EQ(normal(Vec3(-0.1, 1.3, 0.5), Vec3(0.3, 0.8, 0.5)), Vec3::UnitY()) << "beside it first, then in";
  EXPECT_EQ(normal(Vec3(0.4, 0.8, 0.5), Vec3(0.3, 0.8, 0.5)), Vec3::UnitY()) << "inside all the time";
}

TEST(Contacts, AColliderThatJumpsPushesOutWithoutGivingVelocity) {
  const JumpingFloor floor;
  const ports::FieldSampler* colliders[] = {&floor};
  Inputs inputs = testing::weightless();
  inputs.colliders = colliders;
  for (const Integrator integrator : testing::kAllIntegrators) {
    Body body = particle(Vec3(0, -0.3, 0));
    Params p;
    p.integrator = integrator;
    testing::run(body, p, inputs, 0.01, 1, body.state);
    EXPECT_NEAR(body.state.positions[0].norm(), 0, 1e-14) << name_of(integrator);
    EXPECT_EQ(body.state.velocities[0], Vec3::Zero()) << name_of(integrator);
  }
}

TEST(Contacts, ASheetRestsOnABall) {
  geometry::SheetShape shape;
  shape.size = {2, 2};
  shape.divisions = {16, 16};
  shape.center = Vec3(0, 1.05, 0);
  const geometry::TriangleMesh mesh = geometry::sheet(shape);
  Body body{from_triangles(mesh, 0.2, 0.1), {}};
  body.state = make_state(body.model, mesh.positions);
  Ball ball;
  ball.friction = 0.6;
  const ports::FieldSampler* collider = &ball;
  Params p;
  p.stiffness = 200;
  p.contact_thickness = 0.01;
  p.drag = 1;
  testing::run(body, p, with(collider), 1.0 / 60, 180, body.state);
  const Diagnostics d = diagnose(body.model, p, Vec3(0, -9.81, 0), body.state);
  EXPECT_LT(d.max_speed, 0.5);
  EXPECT_GT(d.centre_of_mass.y(), -1);
  for (const Vec3& x : body.state.positions) EXPECT_GT(x.norm(), 1.01 - 1e-12);
}

TEST(Kinematics, DrivenPinsFollowTheirPathExactlyWithEveryIntegrator) {
  auto path = [](std::uint32_t vertex, double time) {
    return Vec3(static_cast<double>(vertex), std::sin(3 * time), 0.1 * time);
  };
  for (const Integrator integrator : testing::kAllIntegrators) {
    Body body = testing::chain(5);
    pin(body.state, 0);
    pin(body.state, 4);
    Params p;
    p.integrator = integrator;
    Inputs inputs;
    inputs.pinned_motion = path;
    State to = body.state;
    Work work;
    for (int n = 0; n < 20; ++n) {
      const Interval t = nth_step(1.0 / 256, n);
      ASSERT_TRUE(step(body.model, p, inputs, t, body.state, to, work).ok);
      EXPECT_EQ(to.positions[0], path(0, t.t1()));
      EXPECT_EQ(to.positions[4], path(4, t.t1()));
      EXPECT_LT((to.velocities[4] - (to.positions[4] - body.state.positions[4]) / t.dt()).norm(), 1e-12);
      body.state = to;
    }
  }
}

TEST(Kinematics, AGrabbedVertexReachesItsTargetNoFasterThanAllowed) {
  Body body = testing::chain(5);
  Params p;
  p.grab_speed = 2;
  grab(body.state, 2, Vec3(2, 1, 0));
  State start = body.state;
  testing::run(body, p, testing::weightless(), 0.01, 1, body.state);
  EXPECT_NEAR((body.state.positions[2] - start.positions[2]).norm(), 0.02, 1e-15);
  testing::run(body, p, testing::weightless(), 0.01, 60, body.state);
  EXPECT_NEAR((body.state.positions[2] - Vec3(2, 1, 0)).norm(), 0, 1e-12);
  release(body.state);
  testing::run(body, p, {}, 0.01, 30, body.state);
  EXPECT_LT(body.state.positions[2].y(), 1);
}

TEST(Contacts, ResolvedAfterTheStepLimitItByHalfASpringAlsoFromRest) {
  Body body = testing::chain(5);  // springs of 1 m
  Params p;
  p.integrator = Integrator::implicit_midpoint;
  const Vec3 gravity(0, -10, 0);
  EXPECT_DOUBLE_EQ(contact_step_limit(body.model, p, gravity, body.state), std::sqrt(0.1));  // ½ · 10 h² = ½
  body.state.velocities[3] = Vec3(2, 0, 0);
  EXPECT_DOUBLE_EQ(contact_step_limit(body.model, p, Vec3::Zero(), body.state), 0.25);
  const double h = contact_step_limit(body.model, p, gravity, body.state);
  EXPECT_NEAR(2 * h + 5 * h * h, 0.5, 1e-15);
  p.integrator = Integrator::implicit_euler;  // holds contacts inside
  EXPECT_EQ(contact_step_limit(body.model, p, gravity, body.state), std::numeric_limits<double>::infinity());
}

TEST(Kinematics, PinsAndTheHandDoNotForgetEachOther) {
  Body body = testing::chain(5);
  grab(body.state, 1, Vec3(2, 1, 0));
  body.state.pinned[2] = ports::kHeld;  // led along with vertex 1
  pin(body.state, 2);
  EXPECT_EQ(body.state.pinned[2], ports::kPinned | ports::kHeld);
  unpin(body.state, 2);
  EXPECT_EQ(body.state.pinned[2], ports::kHeld);
  pin(body.state, 2);
  release(body.state);
  EXPECT_EQ(body.state.pinned[2], ports::kPinned);
}

}  // namespace
}  // namespace selkie::mass_spring
