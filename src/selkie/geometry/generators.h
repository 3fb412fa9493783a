// Meshes made from a few numbers; each parameter struct can stand in a scene file as it is
// (`mesh = { sheet = {} }`). Closed surfaces are watertight with normals outwards; tets are positive.
// Herringbone sheets [HY-25]; geodesic balls split each face of an icosahedron into divisions² triangles.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/geometry/mesh.h"

namespace selkie::geometry {

// The diagonals of a sheet's quads: all alike, or alternating by (i + j) parity so that bending has no
// preferred direction [HY-25].
enum class SheetPattern { regular, herringbone };
constexpr auto describe(SheetPattern*) { return std::array<std::string_view, 2>{"regular", "herringbone"}; }

struct SheetShape {
  Vec3 center = Vec3::Zero();
  std::array<double, 2> size = {1, 1};
  std::array<int, 2> divisions = {16, 16};
  Vec3 u = Vec3::UnitZ();
  Vec3 v = Vec3::UnitX();
  SheetPattern pattern = SheetPattern::herringbone;
};
constexpr auto describe(SheetShape*) {
  using S = SheetShape;
  return Members{
      member("center", &S::center, "m", "middle of the sheet"),
      member("size", &S::size, "m", "lengths along u and v").above(0),
      member("divisions", &S::divisions, "", "quads along u and v").between(1, 1e6).scaled(),
      member("u", &S::u, "", "direction of the first side; only its direction counts"),
      member("v", &S::v, "", "direction of the second side; the front of the sheet looks along u × v"),
      member("pattern", &S::pattern, "", "how quads are cut into triangles")};
}
static_assert(complete<SheetShape>());

// Used for the surface (box_surface) and for the volume (tet_box).
struct BoxShape {
  Vec3 min = Vec3(-0.5, -0.5, -0.5);
  Vec3 max = Vec3(0.5, 0.5, 0.5);
  std::array<int, 3> divisions = {8, 8, 8};
};
constexpr auto describe(BoxShape*) {
  using S = BoxShape;
  return Members{
      member("min", &S::min, "m", "lowest corner"), member("max", &S::max, "m", "highest corner"),
      member("divisions", &S::divisions, "", "cells along x, y and z").between(1, 1e6).scaled()};
}
static_assert(complete<BoxShape>());

struct BallShape {
  Vec3 center = Vec3::Zero();
  double radius = 0.5;
  std::array<int, 2> divisions = {32, 16};
};
constexpr auto describe(BallShape*) {
  using S = BallShape;
  return Members{member("center", &S::center, "m", "middle"),
                 member("radius", &S::radius, "m", "radius").above(0),
                 member("divisions", &S::divisions, "", "around the y axis, and from pole to pole")
                     .between(3, 1e6)
                     .scaled()};
}
static_assert(complete<BallShape>());

struct IcosphereShape {
  Vec3 center = Vec3::Zero();
  double radius = 0.5;
  int divisions = 8;
};
constexpr auto describe(IcosphereShape*) {
  using S = IcosphereShape;
  return Members{member("center", &S::center, "m", "middle"),
                 member("radius", &S::radius, "m", "radius").above(0),
                 member("divisions", &S::divisions, "",
                        "parts each edge of the icosahedron is cut into; 20 n² triangles")
                     .between(1, 1e4)
                     .scaled()};
}
static_assert(complete<IcosphereShape>());

struct CylinderShape {
  Vec3 start = Vec3(0, -0.5, 0);
  Vec3 end = Vec3(0, 0.5, 0);
  double radius = 0.25;
  int around = 32;
  int along = 8;
  int rings = 4;
};
constexpr auto describe(CylinderShape*) {
  using S = CylinderShape;
  return Members{member("start", &S::start, "m", "middle of the first cap"),
                 member("end", &S::end, "m", "middle of the other cap"),
                 member("radius", &S::radius, "m", "radius").above(0),
                 member("around", &S::around, "", "divisions of the circle").between(3, 1e6).scaled(),
                 member("along", &S::along, "", "divisions along the axis").between(1, 1e6).scaled(),
                 member("rings", &S::rings, "", "rings of each cap").between(1, 1e6).scaled()};
}
static_assert(complete<CylinderShape>());

struct TorusShape {
  Vec3 center = Vec3::Zero();
  Vec3 axis = Vec3::UnitY();
  double major_radius = 0.4;
  double minor_radius = 0.15;
  std::array<int, 2> divisions = {48, 24};
};
constexpr auto describe(TorusShape*) {
  using S = TorusShape;
  return Members{
      member("center", &S::center, "m", "middle"), member("axis", &S::axis, "", "direction through the hole"),
      member("major_radius", &S::major_radius, "m", "from the middle to the middle of the tube").above(0),
      member("minor_radius", &S::minor_radius, "m", "of the tube").above(0),
      member("divisions", &S::divisions, "", "around the axis, and around the tube")
          .between(3, 1e6)
          .scaled()};
}
static_assert(complete<TorusShape>());

// A hollow ball with a thick wall: an outer surface, and an inner one whose normals point into the cavity.
struct ShellShape {
  Vec3 center = Vec3::Zero();
  double radius = 0.5;
  double thickness = 0.05;
  int divisions = 8;
};
constexpr auto describe(ShellShape*) {
  using S = ShellShape;
  return Members{member("center", &S::center, "m", "middle"),
                 member("radius", &S::radius, "m", "of the outer surface").above(0),
                 member("thickness", &S::thickness, "m", "of the wall; less than the radius").above(0),
                 member("divisions", &S::divisions, "", "as for icosphere").between(1, 1e4).scaled()};
}
static_assert(complete<ShellShape>());

struct ChainShape {
  Vec3 start = Vec3::Zero();
  Vec3 end = Vec3(1, 0, 0);
  int segments = 16;
};
constexpr auto describe(ChainShape*) {
  using S = ChainShape;
  return Members{member("start", &S::start, "m", "first point"), member("end", &S::end, "m", "last point"),
                 member("segments", &S::segments, "", "equal parts").between(1, 1e8).scaled()};
}
static_assert(complete<ChainShape>());

struct TetBallShape {
  Vec3 center = Vec3::Zero();
  double radius = 0.5;
  int divisions = 6;
};
constexpr auto describe(TetBallShape*) {
  using S = TetBallShape;
  return Members{member("center", &S::center, "m", "middle"),
                 member("radius", &S::radius, "m", "radius").above(0),
                 member("divisions", &S::divisions, "", "cells from the middle to the surface")
                     .between(1, 1e3)
                     .scaled()};
}
static_assert(complete<TetBallShape>());

struct TetTorusShape {
  Vec3 center = Vec3::Zero();
  Vec3 axis = Vec3::UnitY();
  double major_radius = 0.4;
  double minor_radius = 0.15;
  std::array<int, 2> divisions = {32, 3};
};
constexpr auto describe(TetTorusShape*) {
  using S = TetTorusShape;
  return Members{
      member("center", &S::center, "m", "middle"), member("axis", &S::axis, "", "direction through the hole"),
      member("major_radius", &S::major_radius, "m", "from the middle to the middle of the tube").above(0),
      member("minor_radius", &S::minor_radius, "m", "of the tube").above(0),
      member("divisions", &S::divisions, "",
             "cells around the axis (at least 3), and from the middle of the tube to its surface")
          .between(1, 1e5)
          .scaled()};
}
static_assert(complete<TetTorusShape>());

// Rules across members; also bound the element count, so that a slip of the keyboard cannot fill the memory.
std::vector<Problem> validate(const SheetShape& shape);
std::vector<Problem> validate(const BoxShape& shape);
std::vector<Problem> validate_solid(const BoxShape& shape);  // as a volume, whose elements are many more
std::vector<Problem> validate(const BallShape& shape);
std::vector<Problem> validate(const IcosphereShape& shape);
std::vector<Problem> validate(const CylinderShape& shape);
std::vector<Problem> validate(const TorusShape& shape);
std::vector<Problem> validate(const ShellShape& shape);
std::vector<Problem> validate(const ChainShape& shape);
std::vector<Problem> validate(const TetBallShape& shape);
std::vector<Problem> validate(const TetTorusShape& shape);

TriangleMesh sheet(
    const SheetShape& shape);  // vertex (i, j) along (u, v) has number i + j (divisions[0] + 1)
TriangleMesh box_surface(const BoxShape& shape);
TriangleMesh ball_surface(const BallShape& shape);
TriangleMesh icosphere(const IcosphereShape& shape);
TriangleMesh cylinder_surface(const CylinderShape& shape);
TriangleMesh torus_surface(const TorusShape& shape);
TriangleMesh shell_surface(const ShellShape& shape);
SegmentMesh chain(const ChainShape& shape);
TetMesh tet_box(const BoxShape& shape);         // six tets per cell around its diagonal [Kuhn60]
TetMesh tet_ball(const TetBallShape& shape);    // the same on a cube, bent onto the ball
TetMesh tet_torus(const TetTorusShape& shape);  // the same on a beam, bent into a ring

}  // namespace selkie::geometry
