// Bodies of every shape against one another: flat, one-sided and closed meshes, cylinders, compounds; and bullets of
// them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rigid_scenes.h"
#include "selkie/geometry/generators.h"
#include "selkie/solids/rigid/mass.h"
#include "selkie/solids/rigid/queries.h"

namespace selkie::rigid {
namespace {

using test::Arena;
using test::ball_at;
using test::box_at;

void add_plane(Arena& arena) {
  Body plane;
  plane.shape = Shape::plane;
  plane.half_size = Vec3::Ones(), plane.role = Role::fixed;
  add(arena.state, plane);
}

// The form joins the model; its axes must be principal.
Body body_of(Arena& arena, const std::shared_ptr<contact::Form>& form, const Vec3& position, Role role = Role::dynamic) {
  Body body;
  body.shape = form->kind;
  body.half_size = form->half_size, body.position = position, body.role = role;
  body.form = static_cast<std::int32_t>(arena.model.forms.size());
  arena.model.forms.push_back(form);
  if (role == Role::dynamic) {
    const MassProperties mass = mass_properties({form->kind, form->half_size, form.get()}, 1000);
    body.mass = mass.mass, body.inertia = mass.inertia.diagonal();
  }
  return body;
}

// A flat square of edge 4 m that looks up.
std::shared_ptr<contact::Form> flat(bool two_sided) {
  return contact::mesh_form(geometry::sheet({.size = {4, 4}, .divisions = {3, 3}}), two_sided);
}

std::shared_ptr<contact::Form> cube_mesh(double half) {
  return contact::solid_mesh_form(geometry::box_surface({Vec3::Constant(-half), Vec3::Constant(half), {2, 2, 2}}));
}

TEST(RigidMesh, AFlatOneHasTheMarginOfWhatComesNear) {
  Arena arena;
  arena.gravity.setZero();
  add(arena.state, body_of(arena, flat(false), Vec3::Zero(), Role::fixed));
  // Two thousandths of its half size above: within the margin of five.
  add(arena.state, box_at({0, 0.1002, 0}, Vec3::Constant(0.1)));
  ASSERT_TRUE(arena.step().ok);
  EXPECT_EQ(arena.state.contact_pairs.size(), 1u);
}

TEST(RigidMesh, AFlatOneCarriesWhatFallsOnItAndStopsBullets) {
  for (const double speed : {0.0, 50.0, 1e4}) {
    Arena arena;
    add(arena.state, body_of(arena, flat(false), Vec3::Zero(), Role::fixed));
    add(arena.state, box_at({0.1, 0.15 + 0.2 * speed / 60, 0.2}, Vec3::Constant(0.1), {0, -speed, 0}));
    ASSERT_TRUE(arena.run(2));
    EXPECT_NEAR(arena.state.positions[1].y(), 0.1, 1e-3) << speed;
    EXPECT_TRUE(arena.state.asleep[1]) << speed;
  }
}

TEST(RigidMesh, OneSidedStopsOnItsFrontTwoSidedOnBoth) {
  for (const bool two_sided : {false, true})
    for (const bool from_behind : {false, true}) {
      Arena arena;
      arena.gravity.setZero();
      add(arena.state, body_of(arena, flat(two_sided), Vec3::Zero(), Role::fixed));
      const double side = from_behind ? -1 : 1;
      add(arena.state, ball_at({0, 0.5 * side, 0}, 0.1, {0, -2 * side, 0}));
      ASSERT_TRUE(arena.run(1));
      const bool passed = side * arena.state.positions[1].y() < 0;
      EXPECT_EQ(passed, from_behind && !two_sided) << two_sided << from_behind;
    }
}

TEST(RigidMesh, ClosedOnesThatMoveStandOnPlanesBoxesAndOneAnother) {
  Arena arena;
  arena.params.substeps = 16;
  add_plane(arena);
  const auto cube = cube_mesh(0.1);
  add(arena.state, body_of(arena, cube, {0, 0.1, 0}));
  add(arena.state, body_of(arena, cube, {0.02, 0.3, 0}));        // mesh on mesh
  add(arena.state, box_at({0.02, 0.5, 0.01}, Vec3::Constant(0.1)));  // box on mesh
  add(arena.state, body_of(arena, cube, {0.02, 0.7, 0.01}));     // mesh on box
  ASSERT_TRUE(arena.run(4));
  for (std::size_t i = 1; i < 5; ++i) {
    // Springs of `contact_rate` under up to four cubes: each gives way by some 4 g / ω² = 0.07 mm.
    EXPECT_NEAR(arena.state.positions[i].y(), 0.2 * static_cast<double>(i) - 0.1, 5e-4) << i;
    EXPECT_GT(orientation(arena.state, i).toRotationMatrix()(1, 1), 0.999) << i;
    EXPECT_TRUE(arena.state.asleep[i]) << i;
  }
}

TEST(RigidMesh, AHollowOneHoldsWhatFallsIntoIt) {
  // A bowl: its signed distance knows the hollow, its hull does not.
  Arena arena;
  add_plane(arena);
  const auto ring = contact::solid_mesh_form(geometry::torus_surface({Vec3::Zero(), Vec3::UnitY(), 0.3, 0.1, {48, 24}}));
  add(arena.state, body_of(arena, ring, {0, 0.1, 0}));
  add(arena.state, ball_at({0.02, 0.6, 0}, 0.12));
  ASSERT_TRUE(arena.run(3));
  EXPECT_NEAR(arena.state.positions[2].y(), 0.12, 5e-3) << "through the hole, onto the floor";
  EXPECT_LT(std::hypot(arena.state.positions[2].x(), arena.state.positions[2].z()), 0.15);
}

TEST(RigidMesh, BulletsThatAreMeshesAreStopped) {
  const auto ball = contact::solid_mesh_form(geometry::icosphere({Vec3::Zero(), 0.02, 4}));
  for (const double spin : {0.0, 300.0})
    for (int wall = 0; wall < 4; ++wall) {
      Arena arena;
      arena.gravity.setZero();
      Body target = box_at(Vec3::Zero(), {0.005, 1, 1});
      target.role = Role::fixed;
      if (wall == 1) {  // a mesh that moves, too heavy to give way
        target = body_of(arena, contact::solid_mesh_form(geometry::box_surface(
                                    {Vec3(-0.005, -1, -1), Vec3(0.005, 1, 1), {1, 8, 8}})),
                         Vec3::Zero());
        target.mass *= 1e6, target.inertia *= 1e6;
      } else if (wall == 2) {
        target = body_of(arena, flat(true), Vec3::Zero(), Role::fixed);
        target.orientation = Quat(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitZ()));
      } else if (wall == 3) {
        target = Body{};
        target.shape = Shape::plane, target.half_size = Vec3::Ones(), target.role = Role::fixed;
        target.orientation = Quat(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitZ()));
      }
      add(arena.state, target);
      Body bullet = body_of(arena, ball, {-30, 0.1, 0.2});
      bullet.velocity = Vec3(1e4, 0, 0), bullet.angular_velocity = Vec3(0, spin, 0.5 * spin);
      add(arena.state, bullet);
      for (int n = 0; n < 20; ++n) ASSERT_TRUE(arena.step().ok);
      EXPECT_LT(arena.state.positions[1].x(), 0) << "wall " << wall << ", spin " << spin;
      // Corners of the mesh turn some of the impact into spin, and little of it back.
      EXPECT_GT(arena.state.positions[1].x(), spin > 0 ? -30 : -0.1) << "wall " << wall << ", spin " << spin;
    }
}

TEST(RigidMesh, ABulletThatIsAMeshFliesOnBesideTheWallAndThroughAHole) {
  const auto ball = contact::solid_mesh_form(geometry::icosphere({Vec3::Zero(), 0.02, 4}));
  for (const bool ring : {false, true}) {
    Arena arena;
    arena.gravity.setZero();
    Body target = box_at(Vec3::Zero(), {0.005, 1, 1});
    target.role = Role::fixed;
    if (ring)  // its hull has no hole
      target = body_of(arena, contact::solid_mesh_form(
                                  geometry::torus_surface({Vec3::Zero(), Vec3::UnitX(), 0.5, 0.1, {48, 24}})),
                       Vec3::Zero());
    add(arena.state, target);
    Body bullet = body_of(arena, ball, {-30, ring ? 0.1 : 1.1, 0});
    bullet.velocity = Vec3(1e4, 0, 0);
    add(arena.state, bullet);
    ASSERT_TRUE(arena.step().ok);
    EXPECT_NEAR(arena.state.velocities[1].x(), 1e4, 1e-6) << ring;
  }
}

Body cylinder_at(const Vec3& position, double radius, double half) {
  Body body;
  body.shape = Shape::cylinder;
  body.half_size = Vec3(radius, half, radius), body.position = position;
  return body;
}

TEST(RigidShapes, CylindersStandAndLieOnBodiesAndOneAnother) {
  Arena arena;
  add_plane(arena);
  add(arena.state, box_at({0, 0.1, 0}, {0.4, 0.1, 0.4}));
  add(arena.state, cylinder_at({0.2, 0.3, 0}, 0.1, 0.1));   // upright on the box
  add(arena.state, cylinder_at({0.2, 0.5, 0.01}, 0.1, 0.1));  // and on that one
  Body lying = cylinder_at({-0.2, 0.3, 0}, 0.1, 0.15);
  lying.orientation = Quat(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitX()));
  add(arena.state, lying);
  ASSERT_TRUE(arena.run(4));
  EXPECT_NEAR(arena.state.positions[2].y(), 0.3, 2e-3);
  EXPECT_NEAR(arena.state.positions[3].y(), 0.5, 2e-3);
  EXPECT_NEAR(arena.state.positions[4].y(), 0.3, 2e-3);
  EXPECT_LT(std::abs(arena.state.positions[4].x() + 0.2), 0.02) << "level ground: it does not roll";
  EXPECT_LT(diagnose(arena.state, arena.gravity).max_speed, 1e-3);
}

TEST(RigidShapes, ALyingCylinderRollsOnABoxWithoutSlipping) {
  Arena arena;
  arena.gravity = 9.81 * Vec3(0.2, -1, 0);
  Body desk = box_at({0, -0.5, 0}, {5, 0.5, 1});
  desk.role = Role::fixed;
  add(arena.state, desk);
  Body roll = cylinder_at({0, 0.1, 0}, 0.1, 0.2);
  roll.orientation = Quat(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitX()));
  add(arena.state, roll);
  ASSERT_TRUE(arena.run(1));
  // I = m r²/2: two thirds of the pull; the mantle is round for the contact, so within 1 %.
  EXPECT_NEAR(arena.state.velocities[1].x(), 2.0 / 3 * 0.2 * 9.81, 0.01 * 0.2 * 9.81);
}

TEST(RigidShapes, ACompoundStandsOnAllItsFeetAndCarriesOthers) {
  Arena arena;
  add_plane(arena);
  // A bench: a board on two feet; the middle of mass lies at the origin.
  auto part = [](const Vec3& half, const Vec3& at) {
    return contact::Child{{contact::Kind::box, half, nullptr}, Eigen::Isometry3d(Eigen::Translation3d(at))};
  };
  // Board of 0.8 × 0.1 × 0.2 and feet of 0.1 × 0.2 × 0.2: masses 4 : 1 : 1, middles 0.15 apart.
  const double low = -0.1, high = 0.05;
  const auto bench = contact::compound_form({part({0.4, 0.05, 0.1}, {0, high, 0}), part({0.05, 0.1, 0.1}, {-0.3, low, 0}),
                                             part({0.05, 0.1, 0.1}, {0.3, low, 0})},
                                            {});
  add(arena.state, body_of(arena, bench, {0, 0.2, 0}));
  add(arena.state, ball_at({0, 0.42, 0}, 0.1));
  add(arena.state, body_of(arena, bench, {0, 0.1 + 0.7, 0}));  // a second one falls on the first
  ASSERT_TRUE(arena.run(4));
  EXPECT_NEAR(arena.state.positions[1].y(), 0.2, 3e-3);
  EXPECT_GT(orientation(arena.state, 1).toRotationMatrix()(1, 1), 0.999);
  EXPECT_NEAR(arena.state.positions[3].y(), 0.5, 0.01) << "its feet stand on the board of the first";
  EXPECT_LT(diagnose(arena.state, arena.gravity).deepest, 2e-3);
  int feet = 0;
  for (const TouchPair& pair : arena.state.contact_pairs) feet += pair[0] == 0 && pair[1] == 1;
  EXPECT_EQ(feet, 2);
}

}  // namespace
}  // namespace selkie::rigid
