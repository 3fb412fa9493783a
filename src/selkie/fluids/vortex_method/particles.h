// What particles do between solves: stay in the box, exchange strength by viscosity, and be put back on the
// grid before they clump.
#pragma once

#include "selkie/fluids/vortex_method/layers.h"
#include "selkie/fluids/vortex_method/params.h"
#include "selkie/fluids/vortex_method/state.h"

namespace selkie::vortex_method {

// The point mirrored at the walls until it is inside. The flow never carries anything through a wall; only
// the finite step does, so strength stays as it is.
Vec3 reflect_into_box(const grid::Shape& shape, const Vec3& point);

// Cells without padding, x fastest.
struct CellWork {
  Layers layers;
  Buffer<Vec3> strength, next, first;  // before and after a pass, and before all
  Buffer<double> cover;                // Σ w of the particles on each cell
};

// The most that one step may diffuse: kDiffusePasses passes over the grid.
inline constexpr double kDiffusePerPass = 0.125;  // νΔt/Δx²; stable below 1/6
inline constexpr int kDiffusePasses = 64;

// Viscosity: strengths are spread on the cells that particles cover, diffuse between these cells, and each
// particle gets its share of the change. No strength leaves the covered cells, so the total is kept to
// round-off; the cloud of particles only grows when it is put back on the grid. False: a particle is outside.
template <class Real>
[[nodiscard]] bool diffuse(const Model& model, double viscosity, double dt, CellWork& work,
                           State<Real>& state);

// Redistribution: new particles at cell centres with M4' weights [Monaghan85]. Those weaker than `cutoff`
// times the strongest are left out; what they held is given to the others in equal parts, so that the total
// is kept.
template <class Real>
[[nodiscard]] bool remesh(const Model& model, double cutoff, CellWork& work, State<Real>& state);

// Particles from the strength of each cell, in the order of the cells; as the end of remesh().
template <class Real>
void particles_from_cells(const Model& model, double cutoff, const Buffer<Vec3>& strength,
                          State<Real>& state);

// Number of a cell in such a list.
inline std::size_t cell_number(const grid::Shape& shape, int i, int j, int k) {
  const auto [nx, ny, nz] = shape.cells();
  return (static_cast<std::size_t>(k) * static_cast<std::size_t>(ny) + static_cast<std::size_t>(j)) *
             static_cast<std::size_t>(nx) +
         static_cast<std::size_t>(i);
}

}  // namespace selkie::vortex_method
