// One of the generators of surfaces, for members such as `mesh = { torus = { ... } }` of scene files.
#pragma once

#include <optional>

#include "selkie/geometry/creature.h"
#include "selkie/geometry/generators.h"

namespace selkie::geometry {

struct SurfaceShape {
  std::optional<SheetShape> sheet = {};
  std::optional<BoxShape> box = {};
  std::optional<BallShape> ball = {};
  std::optional<IcosphereShape> icosphere = {};
  std::optional<CylinderShape> cylinder = {};
  std::optional<TorusShape> torus = {};
  std::optional<ShellShape> shell = {};
  std::optional<CreatureShape> creature = {};
};
constexpr auto describe(SurfaceShape*) {
  using S = SurfaceShape;
  return Members{member("sheet", &S::sheet, "", "a flat rectangle"),
                 member("box", &S::box, "", "the surface of a box"),
                 member("ball", &S::ball, "", "a sphere by longitude and latitude"),
                 member("icosphere", &S::icosphere, "", "a sphere of nearly equal triangles"),
                 member("cylinder", &S::cylinder, "", "a closed cylinder"),
                 member("torus", &S::torus, "", "a ring"),
                 member("shell", &S::shell, "", "a hollow ball with a thick wall"),
                 member("creature", &S::creature, "", "a sitting animal with long ears")};
}
static_assert(complete<SurfaceShape>());
constexpr bool describes_one_of(SurfaceShape*) { return true; }

// Exactly one member must be set.
TriangleMesh make_surface(const SurfaceShape& shape);

}  // namespace selkie::geometry
