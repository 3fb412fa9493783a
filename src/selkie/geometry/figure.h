// A closed figure with two arms and two legs, made from formulas, with a skeleton that walks; and letters
// made of strokes. Shapes for fluid characters.
#pragma once

#include <string>

#include "selkie/core/describe.h"
#include "selkie/geometry/mesh.h"
#include "selkie/geometry/skeleton.h"

namespace selkie::geometry {

struct FigureShape {
  Vec3 foot = Vec3::Zero();
  double height = 1.8;
  double heading = 0;
  int divisions = 44;
};
constexpr auto describe(FigureShape*) {
  using S = FigureShape;
  return Members{
      member("foot", &S::foot, "m", "the ground between its feet"),
      member("height", &S::height, "m", "from the soles to the top of the head").above(0),
      member("heading", &S::heading, "degrees", "turned about y; at 0 it looks along +x"),
      member("divisions", &S::divisions, "", "cells along the height; thinner limbs than a cell are lost")
          .between(29, 1000)
          .scaled()};
}
static_assert(complete<FigureShape>());

// Clips: "walk" on the spot, one double step a second, and "wave", arms swinging sideways.
struct Figure {
  TriangleMesh mesh;
  Skeleton skeleton;
  std::vector<SkinWeight> skin;
};
Figure figure(const FigureShape& shape);

struct LettersShape {
  std::string text = "SWIM";
  Vec3 corner = Vec3::Zero();
  double height = 1;
  double depth = 0.25;
  int divisions = 22;
};
constexpr auto describe(LettersShape*) {
  using S = LettersShape;
  return Members{
      member("text", &S::text, "", "of the letters C, E, F, I, L, M, N, S, T, U, V, W, Z and spaces"),
      member("corner", &S::corner, "m", "lower left front corner of the first letter; they follow along x"),
      member("height", &S::height, "m", "of a letter").above(0),
      member("depth", &S::depth, "m", "along z").above(0),
      member("divisions", &S::divisions, "", "cells along the height").between(12, 1000).scaled()};
}
static_assert(complete<LettersShape>());
std::vector<Problem> validate(const LettersShape& shape);

// One component without holes per letter.
TriangleMesh letters(const LettersShape& shape);

}  // namespace selkie::geometry
