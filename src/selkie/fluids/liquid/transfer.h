// Velocity between particles and grid (LE-10 … LE-13) [Zhu05 §4; Jiang15]: weighted means onto faces; back as
// the grid's velocity (PIC), its change (FLIP), or its velocity and gradient (APIC).
//
// Onto the grid particles of a slab of planes are added one after the other and slabs of one colour at the
// same time; the slabs depend on the grid alone, so that any number of threads gives the same bits.
#pragma once

#include "selkie/fluids/liquid/params.h"
#include "selkie/fluids/liquid/particles.h"
#include "selkie/fluids/liquid/state.h"

namespace selkie::liquid {

template <class Real>
struct TransferWork {
  Buffer<Real> sums;  // per component and face: Σ w v and Σ w, side by side
};

// velocity = Σ w v_p / Σ w at faces that particles reach; other faces stay as they are. `known` receives
// where (1) or not (0). With params.transfer apic particles bring their gradients.
template <class Real>
void to_grid(const Model& model, const Params& params, const Particles<Real>& particles,
             const CellRanges& ranges, State<Real>& state, TransferWork<Real>& work);

// Particles take what the grid has: `state.velocity` as it is now, `change` what the step added to it. Ghosts
// of both hold values. FLIP with hat weights leaves in `change` what it was blended with.
template <class Real>
void to_particles(const Model& model, const Params& params, std::array<Buffer<Real>, 3>& change,
                  State<Real>& state);

// Ghost samples become those next to them, along every axis.
template <class Real>
void fill_ghosts(const grid::Shape& shape, grid::Place place, Buffer<Real>& field);

}  // namespace selkie::liquid
