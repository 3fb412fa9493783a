// A closed surface to play with: a small sitting animal with long ears, made from a few numbers.
#pragma once


#include "selkie/core/describe.h"
#include "selkie/geometry/mesh.h"

namespace selkie::geometry {

// Smooth, with thin parts and a flat stand.
struct CreatureShape {
  Vec3 foot = Vec3::Zero();
  double height = 1;
  double heading = 0;
  int divisions = 40;
};
constexpr auto describe(CreatureShape*) {
  using S = CreatureShape;
  return Members{
      member("foot", &S::foot, "m", "the ground between its feet"),
      member("height", &S::height, "m", "from the feet to the tips of the ears").above(0),
      member("heading", &S::heading, "degrees", "turned about y; at 0 it looks along +x"),
      member("divisions", &S::divisions, "", "triangles along the height, about").between(20, 500).scaled()};
}
static_assert(complete<CreatureShape>());

TriangleMesh creature(const CreatureShape& shape);

}  // namespace selkie::geometry
