// Solids in the liquid and the sides of its box on the grid: distances at corners, cut faces (LE-15),
// velocities of what moves; and the way out for particles that a solid has caught. Solids that stay are
// rasterised once and kept.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "selkie/fluids/liquid/state.h"
#include "selkie/grid/cut_surface.h"
#include "selkie/grid/pressure.h"
#include "selkie/ports/surface.h"

namespace selkie::liquid {

using Colliders = std::span<const ports::FieldSampler* const>;

// The solids at one time, on the grid.
template <class Real>
struct PlacedSolids {
  grid::CellKinds room;                  // fluid where liquid may be, solid elsewhere; ghosts by side
  Buffer<Real> nodes;                    // distance at corners, m; empty without solids
  std::array<Buffer<Real>, 3> open;      // open shares of faces; empty without solids
  std::array<Buffer<Real>, 3> velocity;  // of solids at faces; empty while all of them rest

  Buffer<Real> wall_nodes;      // scratch of cut_faces
  Buffer<double> covered;       // likewise
  std::vector<double> signature, next_signature;  // of what is placed; empty: nothing is

  bool any() const { return !nodes.empty(); }
  bool moving() const { return !velocity[0].empty(); }
};

// Puts the solids where they are at `time`. Without `velocities` they count as standing.
template <class Real>
void place_solids(const Model& model, Colliders colliders, double time, PlacedSolids<Real>& solids,
                  bool velocities = true);

// After place_solids: open shares and room anew, from distances to the walls and from the patches of all others.
template <class Real>
void cut_faces(const Model& model, Colliders walls, std::span<const grid::Patch> patches, double time,
               PlacedSolids<Real>& solids);

// Distance, normal and velocity of the nearest solid at a world point.
ports::FieldSample nearest_solid(Colliders colliders, const Vec3& point, double time);

// Distance (m) and unit gradient at a place given in cells, from the corners around it.
template <class Real>
struct NodeDistance {
  Real distance;
  std::array<Real, 3> normal;
};
template <class Real>
NodeDistance<Real> distance_at(const grid::Shape& shape, const Buffer<Real>& nodes,
                               const std::array<Real, 3>& cells);
template <class Real>
Real plain_distance_at(const grid::Shape& shape, const Buffer<Real>& nodes, const std::array<Real, 3>& cells);

}  // namespace selkie::liquid
