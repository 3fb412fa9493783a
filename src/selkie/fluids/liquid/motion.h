// Particles moved through the flow by Runge-Kutta steps (LE-18), kept out of solids and inside the domain.
#pragma once

#include "selkie/fluids/liquid/params.h"
#include "selkie/fluids/liquid/solids.h"
#include "selkie/ports/time.h"

namespace selkie::liquid {

struct MotionReport {
  std::uint64_t outflow = 0, crushed = 0, pushed = 0;  // pushed: out of a solid
};

// Moves all particles over the interval with state.velocity, whose ghosts hold values; then out of the solids
// as these are at the interval's end. Particles that left or found no room have key kDropped; the others
// that of their cell.
template <class Real>
MotionReport move_particles(const Model& model, const Params& params, Colliders colliders, Interval interval,
                            const PlacedSolids<Real>& solids, State<Real>& state, Buffer<std::uint32_t>& key);

// Out of the solids alone, as at `time`; keys as above. For particles that were just born or pushed.
template <class Real>
MotionReport leave_solids(const Model& model, Colliders colliders, double time,
                          const PlacedSolids<Real>& solids, State<Real>& state, Buffer<std::uint32_t>& key);

}  // namespace selkie::liquid
