// A spoon of tetrahedra: a bar of cells bent and widened into a handle and an oval bowl; of even thickness,
// so that nothing is thinner than the bar was.
#pragma once

#include <array>

#include "selkie/core/describe.h"
#include "selkie/geometry/mesh.h"

namespace selkie::geometry {

struct TetSpoonShape {
  double length = 0.2;
  double handle_width = 0.012;
  double bowl_width = 0.045;
  double bowl_length = 0.065;
  double bowl_depth = 0.012;
  double thickness = 0.003;
  std::array<int, 3> divisions = {40, 1, 6};
};
constexpr auto describe(TetSpoonShape*) {
  using S = TetSpoonShape;
  return Members{
      member("length", &S::length, "m", "along x, the bowl at the end; the middle is the origin").above(0),
      member("handle_width", &S::handle_width, "m", "along z").above(0),
      member("bowl_width", &S::bowl_width, "m", "along z").above(0),
      member("bowl_length", &S::bowl_length, "m", "along x; less than the length").above(0),
      member("bowl_depth", &S::bowl_depth, "m", "along -y").at_least(0),
      member("thickness", &S::thickness, "m", "along y").above(0),
      member("divisions", &S::divisions, "", "cells along, through and across").between(1, 1e6).scaled(),
  };
}
static_assert(complete<TetSpoonShape>());
std::vector<Problem> validate(const TetSpoonShape& shape);

TetMesh tet_spoon(const TetSpoonShape& shape);

}  // namespace selkie::geometry
