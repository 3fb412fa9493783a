// What a scene file may say of rigid bodies and the joints between them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/scene/body_description.h"
#include "selkie/solids/rigid/model.h"
#include "selkie/solids/rigid/params.h"

namespace selkie::scene {

struct RigidBall {
  double radius = 0.5;
};
constexpr auto describe(RigidBall*) { return Members{member("radius", &RigidBall::radius, "m", "radius").above(0)}; }

struct RigidBox {
  Vec3 size = Vec3::Ones();
};
constexpr auto describe(RigidBox*) { return Members{member("size", &RigidBox::size, "m", "lengths of its edges").above(0)}; }

struct RigidCapsule {
  double radius = 0.25, length = 0.5;
};
constexpr auto describe(RigidCapsule*) {
  return Members{member("radius", &RigidCapsule::radius, "m", "radius").above(0),
                 member("length", &RigidCapsule::length, "m", "of the straight part, along y").above(0)};
}

struct RigidCylinder {
  double radius = 0.25, length = 1;
};
constexpr auto describe(RigidCylinder*) {
  return Members{member("radius", &RigidCylinder::radius, "m", "radius").above(0),
                 member("length", &RigidCylinder::length, "m", "along y").above(0)};
}

// A surface of revolution about y; open unless the profile begins and ends on the axis.
struct LatheShape {
  std::vector<std::array<double, 2>> profile;
  int around = 48;
};
constexpr auto describe(LatheShape*) {
  using L = LatheShape;
  return Members{member("profile", &L::profile, "m",
                        "[radius, height] points; going up, the front looks away from the axis")
                     .required(),
                 member("around", &L::around, "", "divisions of the circle").between(3, 1e5).scaled()};
}
std::vector<Problem> validate(const LatheShape& lathe);

struct RigidSurface {
  std::optional<geometry::BoxShape> box;
  std::optional<geometry::IcosphereShape> icosphere;
  std::optional<geometry::CylinderShape> cylinder;
  std::optional<geometry::TorusShape> torus;
  std::optional<geometry::ShellShape> shell;
  std::optional<geometry::CreatureShape> creature;
  std::optional<geometry::SheetShape> sheet;
  std::optional<LatheShape> lathe;
  std::optional<std::string> file;
};
constexpr auto describe(RigidSurface*) {
  using S = RigidSurface;
  return Members{
      member("box", &S::box, "", "a box"),
      member("icosphere", &S::icosphere, "", "a sphere of nearly equal triangles"),
      member("cylinder", &S::cylinder, "", "a closed cylinder"),
      member("torus", &S::torus, "", "a ring"),
      member("shell", &S::shell, "", "a hollow ball with a thick wall"),
      member("creature", &S::creature, "", "a sitting animal with long ears"),
      member("sheet", &S::sheet, "", "a flat rectangle"),
      member("lathe", &S::lathe, "", "a surface of revolution: funnels, bowls"),
      member("file", &S::file, "", "a mesh beside the scene: .obj .ply .stl .gltf .glb"),
  };
}
static_assert(complete<RigidSurface>());
constexpr bool describes_one_of(RigidSurface*) { return true; }

struct RigidHull {
  std::vector<Vec3> points;
  std::optional<RigidSurface> surface;
};
constexpr auto describe(RigidHull*) {
  using H = RigidHull;
  return Members{member("points", &H::points, "m", "corners"),
                 member("surface", &H::surface, "", "or the vertices of a surface")};
}
std::vector<Problem> validate(const RigidHull& hull);

struct RigidMesh {
  RigidSurface surface;
  bool two_sided = false;
};
constexpr auto describe(RigidMesh*) {
  using M = RigidMesh;
  return Members{
      member("surface", &M::surface, "",
             "triangles; bodies that move need a closed surface, which acts by its signed distance")
          .required(),
      member("two_sided", &M::two_sided, "", "a fixed mesh stops bodies on both sides; false: on its front")};
}

struct RigidPart {
  std::optional<RigidBall> ball;
  std::optional<RigidBox> box;
  std::optional<RigidCapsule> capsule;
  std::optional<RigidCylinder> cylinder;
  std::optional<RigidHull> hull;
  Vec3 position = Vec3::Zero();
  Vec3 rotate = Vec3::Zero();
};
constexpr auto describe(RigidPart*) {
  using P = RigidPart;
  return Members{member("ball", &P::ball, "", "a ball"),
                 member("box", &P::box, "", "a box"),
                 member("capsule", &P::capsule, "", "a cylinder with round ends"),
                 member("cylinder", &P::cylinder, "", "a cylinder with flat ends"),
                 member("hull", &P::hull, "", "a convex hull"),
                 member("position", &P::position, "m", "of its middle in the body"),
                 member("rotate", &P::rotate, "degrees", "turned about x, then y, then z")};
}
std::vector<Problem> validate(const RigidPart& part);

struct RigidShape {
  std::optional<RigidBall> ball;
  std::optional<RigidBox> box;
  std::optional<RigidCapsule> capsule;
  std::optional<RigidCylinder> cylinder;
  std::optional<RigidHull> hull;
  std::optional<RigidMesh> mesh;
  std::optional<bool> plane;
  std::optional<std::vector<RigidPart>> compound;
};
constexpr auto describe(RigidShape*) {
  using S = RigidShape;
  return Members{member("ball", &S::ball, "", "a ball"),
                 member("box", &S::box, "", "a box"),
                 member("capsule", &S::capsule, "", "a cylinder with round ends"),
                 member("cylinder", &S::cylinder, "", "a cylinder with flat ends"),
                 member("hull", &S::hull, "", "a convex hull"),
                 member("mesh", &S::mesh, "", "a triangle mesh"),
                 member("plane", &S::plane, "", "true: all below its y axis; fixed bodies only"),
                 member("compound", &S::compound, "", "several convex parts in one body")};
}
static_assert(complete<RigidShape>());
constexpr bool describes_one_of(RigidShape*) { return true; }

struct RigidGrid {
  std::array<int, 3> count = {1, 1, 1};
  Vec3 spacing = Vec3::Ones();
  double jitter = 0;
  bool tumbled = false;
};
constexpr auto describe(RigidGrid*) {
  using G = RigidGrid;
  return Members{member("count", &G::count, "", "bodies along x, y and z").between(1, 1e5),
                 member("spacing", &G::spacing, "m", "from middle to middle; the grid is centred in x and z"),
                 member("jitter", &G::jitter, "m", "each is moved by up to this along x and z").at_least(0),
                 member("tumbled", &G::tumbled, "", "each is turned at random")};
}

struct RigidPyramid {
  int layers = 10;
  Vec3 spacing = Vec3(1.01, 1, 1.01);
  bool square = false;
};
constexpr auto describe(RigidPyramid*) {
  using P = RigidPyramid;
  return Members{member("layers", &P::layers, "", "of one body less each").between(1, 1e4).scaled(),
                 member("spacing", &P::spacing, "m", "from middle to middle"),
                 member("square", &P::square, "", "layers are squares; false: rows, a flat pyramid")};
}

struct RigidWall {
  std::array<int, 2> count = {8, 8};
  std::array<double, 2> spacing = {1, 0.5};
};
constexpr auto describe(RigidWall*) {
  using W = RigidWall;
  return Members{member("count", &W::count, "", "bricks along x and rows").between(1, 1e4).scaled(),
                 member("spacing", &W::spacing, "m", "from middle to middle; each second row is half a brick off")
                     .above(0)};
}

struct RigidRing {
  int count = 12;
  double angle = 360;
  Vec3 axis = Vec3::UnitZ();
  Vec3 center = Vec3::Zero();
};
constexpr auto describe(RigidRing*) {
  using R = RigidRing;
  return Members{member("count", &R::count, "", "bodies").between(1, 1e5),
                 member("angle", &R::angle, "degrees", "from the first to the one after the last"),
                 member("axis", &R::axis, "", "about which the first is turned"),
                 member("center", &R::center, "m", "a point of the axis")};
}
std::vector<Problem> validate(const RigidRing& ring);

struct RigidCopies {
  std::optional<RigidGrid> grid;
  std::optional<RigidPyramid> pyramid;
  std::optional<RigidWall> wall;
  std::optional<RigidRing> ring;
};
constexpr auto describe(RigidCopies*) {
  using C = RigidCopies;
  return Members{member("grid", &C::grid, "", "rows, columns and layers"),
                 member("pyramid", &C::pyramid, "", "each layer smaller by one"),
                 member("wall", &C::wall, "", "bricks in a running bond"),
                 member("ring", &C::ring, "", "turned about an axis: arches, circles")};
}
static_assert(complete<RigidCopies>());
constexpr bool describes_one_of(RigidCopies*) { return true; }
std::vector<Problem> validate(const RigidCopies& copies);

struct RigidKeyframe {
  double time = 0;
  Vec3 position = Vec3::Zero();
  Vec3 rotate = Vec3::Zero();
};
constexpr auto describe(RigidKeyframe*) {
  using K = RigidKeyframe;
  return Members{member("time", &K::time, "s", "when").required(),
                 member("position", &K::position, "m", "where").required(),
                 member("rotate", &K::rotate, "degrees", "turned about x, then y, then z")};
}

enum class RigidRole { dynamic, fixed, kinematic };
constexpr auto describe(RigidRole*) { return std::array<std::string_view, 3>{"dynamic", "fixed", "kinematic"}; }

struct RigidDescription {
  std::string name;
  RigidShape shape;
  RigidRole role = RigidRole::dynamic;
  Vec3 position = Vec3::Zero();
  Vec3 rotate = Vec3::Zero();
  std::optional<RigidCopies> copies;
  std::optional<double> density;
  std::optional<double> mass;
  Vec3 velocity = Vec3::Zero();
  Vec3 spin = Vec3::Zero();
  std::optional<double> friction;
  std::optional<double> sliding_friction;
  std::optional<double> friction_across;
  Vec3 grain = Vec3::Zero();
  std::optional<double> restitution;
  double rolling = 0;
  int group = 0;
  std::vector<int> ignores;
  std::optional<sim::MotionFormulas> motion;
  std::vector<RigidKeyframe> keyframes;
  std::vector<std::string> force, torque;
  bool asleep = false;
  Vec3 colour{0.62, 0.55, 0.45};
};
constexpr auto describe(RigidDescription*) {
  using R = RigidDescription;
  return Members{
      member("name", &R::name, "", "unique name: materials, joints, file stem").required(),
      member("shape", &R::shape, "", "its form").required(),
      member("role", &R::role, "", "dynamic: moved by forces; fixed: never; kinematic: follows motion or keyframes"),
      member("position", &R::position, "m", "where it (or the first, or the middle of the lowest row) is"),
      member("rotate", &R::rotate, "degrees", "turned about x, then y, then z"),
      member("copies", &R::copies, "", "more of the same"),
      member("density", &R::density, "kg/m³", "default 1000").above(0),
      member("mass", &R::mass, "kg", "of each; instead of density").above(0),
      member("velocity", &R::velocity, "m/s", "at the start"),
      member("spin", &R::spin, "rad/s", "angular velocity at the start"),
      member("friction", &R::friction, "",
             "Coulomb coefficient while sticking, default that of the solver; of two bodies the geometric mean holds")
          .at_least(0),
      member("sliding_friction", &R::sliding_friction, "", "coefficient while sliding; default: as while sticking")
          .at_least(0),
      member("friction_across", &R::friction_across, "", "coefficient across the grain; default: as along it")
          .at_least(0),
      member("grain", &R::grain, "", "direction in the body along which 'friction' holds; zero: all round"),
      member("restitution", &R::restitution, "", "share of the normal speed given back; of two the larger holds")
          .between(0, 1),
      member("rolling", &R::rolling, "m", "torque against rolling per newton of load; of two the larger holds")
          .at_least(0),
      member("group", &R::group, "", "number of its group").between(0, 31),
      member("ignores", &R::ignores, "", "groups that it does not touch").between(0, 31),
      member("motion", &R::motion, "", "kinematic: formulas, applied to where it starts"),
      member("keyframes", &R::keyframes, "", "kinematic: poses in time, straight ways between"),
      member("force", &R::force, "N", "three formulas in t, along x, y and z of the world; acts on each at its centre of mass"),
      member("torque", &R::torque, "N·m", "three formulas in t, about x, y and z of the world"),
      member("asleep", &R::asleep, "", "rests until something touches it"),
      member("colour", &R::colour, "", "red, green, blue in pictures").between(0, 1),
  };
}
static_assert(complete<RigidDescription>());
std::vector<Problem> validate(const RigidDescription& body);

struct JointDescription {
  rigid::JointKind kind = rigid::JointKind::ball;
  std::vector<std::string> between;
  std::vector<int> copies;
  bool chain = false;
  std::optional<std::array<double, 3>> at;  // no Vec3: clang cannot count an optional one (see complete())
  std::optional<std::array<double, 3>> other_end;
  Vec3 axis = Vec3::UnitX();
  std::optional<std::array<double, 2>> limits;
  std::optional<double> motor_speed;
  double motor_force = 0;
  double break_force = 0;
  bool touch = false;
};
constexpr auto describe(JointDescription*) {
  using J = JointDescription;
  return Members{
      member("kind", &J::kind, "",
             "ball: a point; hinge: turns about the axis; slider: moves along it; fixed; distance: two points")
          .required(),
      member("between", &J::between, "",
             "names of two [[rigid]] tables, or of one that is joined to the world; copies are joined one to one")
          .required(),
      member("copies", &J::copies, "", "which copy of each, counted from 0; absent: all of them").at_least(0),
      member("chain", &J::chain, "", "one name: joins each copy to the next"),
      member("at", &J::at, "m",
             "where, for the (first) body at its 'position'; copies carry it along; absent: half-way between the "
             "middles, or the middle of the one"),
      member("other_end", &J::other_end, "m", "distance: the point of the second body; absent: its middle"),
      member("axis", &J::axis, "", "of hinges and sliders; of ball joints: the middle of the cone"),
      member("limits", &J::limits, "degrees or m",
             "hinge, slider, distance: lowest and highest; ball: the second is the widest swing"),
      member("motor_speed", &J::motor_speed, "rad/s or m/s", "drives the first body against the second"),
      member("motor_force", &J::motor_force, "N·m or N", "the most the motor gives").at_least(0),
      member("break_force", &J::break_force, "N", "gives way beyond; 0: never").at_least(0),
      member("touch", &J::touch, "", "the joined bodies also collide"),
  };
}
static_assert(complete<JointDescription>());
std::vector<Problem> validate(const JointDescription& joint);

}  // namespace selkie::scene
