// What all deformable bodies of a scene share: where their mesh comes from and how they are held.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/geometry/creature.h"
#include "selkie/geometry/generators.h"
#include "selkie/geometry/shapes.h"
#include "selkie/geometry/tet_spoon.h"
#include "selkie/geometry/tetrahedra/mesher.h"
#include "selkie/sim/motion.h"

namespace selkie::scene {

// Which vertices are held, and how they move.
struct PinDescription {
  std::optional<geometry::Box> box;
  std::optional<geometry::Ball> ball;
  std::optional<geometry::Cylinder> cylinder;
  std::optional<geometry::Plane> half_space;
  std::vector<std::int64_t> vertices;
  std::optional<sim::MotionFormulas> motion;
};
constexpr auto describe(PinDescription*) {
  using P = PinDescription;
  return Members{
      member("box", &P::box, "", "vertices inside a box along the axes"),
      member("ball", &P::ball, "", "vertices inside a ball"),
      member("cylinder", &P::cylinder, "", "vertices inside a cylinder"),
      member("half_space", &P::half_space, "", "vertices behind a plane"),
      member("vertices", &P::vertices, "", "vertices by number, counted from 0").at_least(0),
      member("motion", &P::motion, "", "how the held vertices move; absent: they stay"),
  };
}
static_assert(complete<PinDescription>());
std::vector<Problem> validate(const PinDescription& pin);

// A closed surface whose inside becomes a body.
struct EnclosingSurface {
  std::optional<geometry::BoxShape> box;
  std::optional<geometry::BallShape> ball;
  std::optional<geometry::IcosphereShape> icosphere;
  std::optional<geometry::CylinderShape> cylinder;
  std::optional<geometry::TorusShape> torus;
  std::optional<geometry::ShellShape> shell;
  std::optional<geometry::CreatureShape> creature;
  std::optional<std::string> file;
};
constexpr auto describe(EnclosingSurface*) {
  using S = EnclosingSurface;
  return Members{
      member("box", &S::box, "", "a box"),
      member("ball", &S::ball, "", "a sphere by longitude and latitude"),
      member("icosphere", &S::icosphere, "", "a sphere of nearly equal triangles"),
      member("cylinder", &S::cylinder, "", "a closed cylinder"),
      member("torus", &S::torus, "", "a ring"),
      member("shell", &S::shell, "", "a hollow ball with a thick wall"),
      member("creature", &S::creature, "", "a sitting animal with long ears"),
      member("file", &S::file, "", "a closed mesh beside the scene: .obj .ply .stl .gltf .glb or .msh"),
  };
}
static_assert(complete<EnclosingSurface>());
constexpr bool describes_one_of(EnclosingSurface*) { return true; }

struct TetrahedraSource {
  EnclosingSurface surface;
  int divisions = 16;
  geometry::Mesher mesher = geometry::Mesher::bcc;
  bool skin = true;
};
constexpr auto describe(TetrahedraSource*) {
  using T = TetrahedraSource;
  return Members{
      member("surface", &T::surface, "", "what encloses the body: closed, and not cutting itself").required(),
      member("divisions", &T::divisions, "",
             "cells along the longest side of the surface's box; twelve tetrahedra each")
          .between(2, 1000)
          .scaled(),
      member(
          "mesher", &T::mesher, "",
          "bcc: a lattice fitted to the surface, every tetrahedron of good shape; delaunay: from points on "
          "and in the surface, keeps sharp edges but makes flat tetrahedra"),
      member("skin", &T::skin, "", "draw the given surface, carried by the tetrahedra, instead of their own"),
  };
}
static_assert(complete<TetrahedraSource>());

// Where a body's vertices and elements come from.
struct BodyMesh {
  std::optional<geometry::SheetShape> sheet;
  std::optional<geometry::BoxShape> box;
  std::optional<geometry::BallShape> ball;
  std::optional<geometry::IcosphereShape> icosphere;
  std::optional<geometry::CylinderShape> cylinder;
  std::optional<geometry::TorusShape> torus;
  std::optional<geometry::ShellShape> shell;
  std::optional<geometry::CreatureShape> creature;
  std::optional<geometry::BoxShape> tet_box;
  std::optional<geometry::TetBallShape> tet_ball;
  std::optional<geometry::TetSpoonShape> tet_spoon;
  std::optional<TetrahedraSource> tetrahedra;
  std::optional<geometry::TetTorusShape> tet_torus;
  std::optional<geometry::ChainShape> chain;
  std::optional<std::string> file;
};
constexpr auto describe(BodyMesh*) {
  using M = BodyMesh;
  return Members{
      member("sheet", &M::sheet, "", "a flat rectangle of triangles"),
      member("box", &M::box, "", "the surface of a box"),
      member("ball", &M::ball, "", "a sphere by longitude and latitude"),
      member("icosphere", &M::icosphere, "", "a sphere of nearly equal triangles"),
      member("cylinder", &M::cylinder, "", "a closed cylinder"),
      member("torus", &M::torus, "", "a ring"),
      member("shell", &M::shell, "", "a hollow ball with a thick wall"),
      member("creature", &M::creature, "", "the surface of a sitting animal with long ears"),
      member("tet_box", &M::tet_box, "", "a solid box of six tetrahedra per cell"),
      member("tet_ball", &M::tet_ball, "", "a solid ball of tetrahedra"),
      member("tet_spoon", &M::tet_spoon, "", "a spoon of tetrahedra"),
      member("tetrahedra", &M::tetrahedra, "", "the inside of a closed surface, filled with tetrahedra"),
      member("tet_torus", &M::tet_torus, "", "a solid ring of tetrahedra"),
      member("chain", &M::chain, "", "a row of segments"),
      member("file", &M::file, "",
             "a mesh file beside the scene: .obj .ply .stl .gltf .glb (surface) or .msh (Gmsh: tetrahedra, "
             "triangles or "
             "lines)"),
  };
}
static_assert(complete<BodyMesh>());
constexpr bool describes_one_of(BodyMesh*) { return true; }
std::vector<Problem> validate(const BodyMesh& mesh);

}  // namespace selkie::scene
