// Volume of the liquid: measured from its surface, and kept by letting crowded liquid expand and thin liquid
// shrink through the pressure solve. Particles that fell together are pushed apart.
#pragma once

#include "selkie/fluids/liquid/params.h"
#include "selkie/fluids/liquid/solids.h"

namespace selkie::liquid {

// Volume (m³, in 2-D m²) below φ = 0 at cell centres, linear between them, inside the domain and outside the
// solids. `scratch` is a field's worth of memory, used where there are solids.
template <class Real>
double enclosed_volume(const Model& model, const PlacedSolids<Real>& solids, const Buffer<Real>& surface,
                       Buffer<Real>& scratch);

// By what share of itself the volume that the surface encloses falls short of what is due; 0 without liquid.
template <class Real>
double volume_gap(const Model& model, const PlacedSolids<Real>& solids, const State<Real>& state, double due,
                  Buffer<Real>& scratch);

// Adds `growth` (1/s) to `rate` (1/s, cell field) in all liquid.
template <class Real>
void add_everywhere(const Model& model, const State<Real>& state, double growth, Buffer<Real>& rate);

// Adds to `rate` (1/s, cell field) the divergence that brings the number of particles around each inner
// liquid cell towards particles_per_cell().
template <class Real>
void add_spreading(const Model& model, const PlacedSolids<Real>& solids, const State<Real>& state,
                   const CellRanges& ranges, double dt, Buffer<Real>& rate);

// Every other row of cells, by turns: particles nearer to each other than `share` of their spacing push each other apart, each within its cell.
// All see the places from before, so that the order does not matter [Ando11, weak springs]. `scratch` is
// memory for the places.
template <class Real>
void separate(const Model& model, double share, const PlacedSolids<Real>& solids, const CellRanges& ranges,
              std::array<Buffer<Real>, 3>& scratch, State<Real>& state);

}  // namespace selkie::liquid
