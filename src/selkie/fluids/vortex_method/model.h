// Model of a vortex-method domain: a closed box of cubes with free-slip walls. Fixed once built.
//
// Staggering: velocity at cell faces, vorticity ω and stream function ψ at cell edges (component a at the
// middle of the edges along axis a), smoke at cell centres. Edges that lie on a wall hold ψ = 0 and are no
// unknowns; those inside have a shape of their own, whose ghost layer stands for the walls:
//   edge of component a at cell corner (i,j,k)  →  (i,j,k) − (1,1,1) + e_a  in edges[a]
#pragma once

#include <array>

#include "selkie/core/check.h"
#include "selkie/grid/shape.h"

namespace selkie::vortex_method {

inline constexpr int kFewestCells = 4;  // along each axis: kernels must not reach from wall to wall

struct Model {
  grid::Shape shape;
  std::array<grid::Shape, 3> edges;

  // Particles are seeded and redistributed one to a cell, m³.
  double particle_volume() const { return shape.cell_size() * shape.cell_size() * shape.cell_size(); }
};

inline Model make_model(const grid::Shape& shape) {
  SELKIE_CHECK(shape.dims() == 3, "the vortex method is three-dimensional");
  Model model{shape, {}};
  for (std::size_t a = 0; a < 3; ++a) {
    grid::Index inside = shape.cells();
    for (std::size_t d = 0; d < 3; ++d) {
      SELKIE_CHECK(inside[d] >= kFewestCells, "the box has at least four cells along each axis");
      if (d != a) --inside[d];
    }
    model.edges[a] = grid::Shape(3, inside, shape.cell_size());
  }
  return model;
}

}  // namespace selkie::vortex_method
