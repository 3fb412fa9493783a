// Slits between solids that no particle fits into (a ball on the ground, all of it below the surface). Taken
// for air they are a hole without pressure: water rushes in at √(2gh), finds no room, and the pool drains
// into it.
//
// A slit is a set of air cells with their middle inside a solid, or less than a cell away from one, that open faces
// join. It holds liquid if open faces lead to liquid and none to other air.
#pragma once

#include <vector>

#include "selkie/fluids/liquid/solids.h"

namespace selkie::liquid {

struct PocketWork {
  Buffer<std::uint8_t> marks;
  std::vector<grid::Index> cells;  // of one slit
};

// Makes such cells liquid in `kinds`.
template <class Real>
void fill_pockets(const Model& model, const PlacedSolids<Real>& solids, grid::CellKinds& kinds,
                  PocketWork& work);

}  // namespace selkie::liquid
